/// What a server keeps of a client file of flexible sync: which view it is sent, and how far.
///
/// The file has a history of its own, numbered from 1: what it is sent, in that order (F-54a). Uploads are merged over it,
/// and it is sent again from there after a break. What the client has had acknowledged goes.
struct ViewRecord: Hashable {
    /// A view, from the version of the bootstrap that led to it.
    struct State: Hashable {
        var since: UInt64
        var queryVersion: Int64
        var text: String
        /// What the user might do then (F-78), and whether the file was a migrated one.
        var permissions: String

        var wasMigrated: Bool { permissions.hasSuffix(ViewRecord.migratedMark) }

        /// Without a word on migration.
        var roles: Substring { ViewRecord.roles(permissions) }
    }

    /// Behind the permissions of a migrated file's view.
    static let migratedMark = "\npartition"

    static func roles(_ permissions: String) -> Substring {
        permissions.hasSuffix(migratedMark) ? permissions.dropLast(migratedMark.count) : permissions[...]
    }

    /// Everything up to this version of the realm's history is in the file's.
    var generated: UInt64 = 0
    /// The last version of the client that is integrated there.
    var client: Int64 = 0
    /// Number of the last entry of the file's history.
    var last: UInt64 = 0
    /// The client has everything up to this version of the realm; its entries are gone.
    var trimmed: UInt64 = 0
    /// From this entry on a bootstrap is there whose objects aren't all noted as members yet; 0 if there is none.
    var unappliedFrom: UInt64 = 0
    /// Views by the versions in which they begin: the last is the present one, the first holds at `trimmed`.
    var states: [State] = []

    init() {}

    init(_ bytes: UnsafeRawBufferPointer) throws {
        var reader = RecordReader(bytes)
        generated = try reader.number()
        client = try reader.number()
        last = try reader.number()
        trimmed = try reader.number()
        unappliedFrom = try reader.number()
        for _ in 0..<(try reader.number(UInt32.self)) {
            states.append(
                State(
                    since: try reader.number(), queryVersion: try reader.number(), text: try reader.text(),
                    permissions: try reader.text()))
        }
    }

    var encoded: [UInt8] {
        var writer = RecordWriter()
        writer.append(generated)
        writer.append(client)
        writer.append(last)
        writer.append(trimmed)
        writer.append(unappliedFrom)
        writer.append(UInt32(states.count))
        for state in states {
            writer.append(state.since)
            writer.append(state.queryVersion)
            writer.append(counted: state.text.utf8)
            writer.append(counted: state.permissions.utf8)
        }
        return writer.bytes
    }

    /// The view that a client has which has integrated everything up to a version.
    func state(at version: UInt64) -> State? { states.last { $0.since <= version } }
}

/// One entry of the history of a client file.
struct OutgoingRecord: Hashable {
    enum Kind: UInt8, Hashable {
        case steady = 0
        /// A part of a bootstrap; only with the last one is it whole.
        case bootstrap = 1
        case bootstrapEnd = 2
    }

    var kind = Kind.steady
    /// Made up by the server, to bring objects into the view or out of it: not a change that somebody made.
    var isMadeUp = false
    var version: UInt64
    /// The last version of the client that was integrated before it.
    var client: Int64
    var timestamp: UInt64
    var origin: UInt64
    var queryVersion: Int64
    var changeset: [UInt8]

    init(
        _ kind: Kind = .steady, isMadeUp: Bool = false, version: UInt64, client: Int64, timestamp: UInt64,
        origin: UInt64,
        queryVersion: Int64, changeset: [UInt8]
    ) {
        self.kind = kind
        self.isMadeUp = isMadeUp
        self.version = version
        self.client = client
        self.timestamp = timestamp
        self.origin = origin
        self.queryVersion = queryVersion
        self.changeset = changeset
    }

    init(_ bytes: UnsafeRawBufferPointer) throws {
        var reader = RecordReader(bytes)
        guard let kind = Kind(rawValue: try reader.number()) else { throw HistoryError.damaged }
        self.kind = kind
        isMadeUp = try reader.number(UInt8.self) != 0
        version = try reader.number()
        client = try reader.number()
        timestamp = try reader.number()
        origin = try reader.number()
        queryVersion = try reader.number()
        changeset = Array(reader.rest())
    }

    /// The version alone, without copying the changeset.
    static func version(_ bytes: UnsafeRawBufferPointer) throws -> UInt64 {
        var reader = RecordReader(bytes)
        _ = try reader.number(UInt16.self)
        return try reader.number()
    }

    var encoded: [UInt8] {
        var writer = RecordWriter()
        writer.append(kind.rawValue)
        writer.append(UInt8(isMadeUp ? 1 : 0))
        writer.append(version)
        writer.append(client)
        writer.append(timestamp)
        writer.append(origin)
        writer.append(queryVersion)
        return writer.bytes + changeset
    }
}
