import Merge
import Model
import Query
import Store
import Sync

/// What a bootstrap says of objects that stay in the view.
enum Resent {
    case nothing
    /// All of them anew: other fields may be read now.
    case everything
    /// The partition that each belongs to.
    case partition
}

/// Moving a client from one view to another (F-29 to F-35).
extension FlexibleRealm {
    /// Puts queries in force for a file, and what brings the client there into the file's history: objects that leave its
    /// view are erased, those that come are made anew.
    func bootstrap(
        _ view: FlexibleView, queryVersion: Int64, text: String, _ queries: [String: Condition],
        resending resent: Resent = .nothing
    ) throws {
        try catchUp([view])
        let snapshot = try base.snapshot()
        let isFirst = view.record.states.isEmpty
        view.adopt(queries)
        var record = view.record
        let version = base.state.version + 1
        let firstPart = record.last + 1
        var parts = PartWriter(self, view, version: version, queryVersion: queryVersion, last: record.last)
        if isFirst { try parts.add(snapshot.schemaInstructions()) }
        for stored in snapshot.schema.tables where stored.kind == .topLevel {
            try move(view, to: stored, snapshot, &parts, resent)
        }
        try parts.finish()

        record.last = parts.last
        record.generated = version
        record.unappliedFrom = firstPart
        record.states.append(
            ViewRecord.State(
                since: version, queryVersion: queryVersion, text: text, permissions: view.permissions))
        var next = base.state
        next.version = version
        next.versionSalt = base.versionSalt
        try base.change(to: next, isDurable: false) { transaction in
            try transaction.putSync(HistoryKey.view(UInt64(view.file)), record.encoded)
            try putEmptyEntry(version, in: transaction)
        }
        view.record = record
        try applyMembers(of: view)
        try base.finishChanges()
        try track(view)
    }

    /// A version of the realm's history without content, which is for one client only.
    func putEmptyEntry(_ version: UInt64, in transaction: WriteTransaction) throws {
        let entry = EntryRecord(
            rank: Rank(originTimestamp: base.options.now(), originFileIdent: 1), remoteVersion: 0,
            salt: base.versionSalt,
            totalBytes: base.state.totalBytes)
        try transaction.putSync(HistoryKey.entry(version), entry.head)
    }

    private func move(
        _ view: FlexibleView, to stored: StoredTable, _ snapshot: Snapshot, _ parts: inout PartWriter, _ resent: Resent
    ) throws {
        let table = snapshot.table(stored.id)
        let classView = view.view(of: stored, snapshot.schema)
        let wanted =
            classView.visible == .constant(false)
            ? [] : try snapshot.objects(ClassQuery(stored.name, classView.visible))
        let wantedKeys = Set(wanted)
        // Erased first: in the same order as it is in the histories of others, where keys go before they come again.
        let range = HistoryKey.members(UInt64(view.file), of: stored.name)
        var leaving: [Instruction] = []
        try snapshot.eachSyncRecord(from: range.from, to: range.to) { _, value in
            let name = try ObjectName(value)
            if !(table.find(name.key).map { wantedKeys.contains($0) } ?? false) {
                leaving.append(.eraseObject(className: name.className, key: name.key))
            }
            if leaving.count == PartWriter.batch {
                try parts.add(leaving)
                leaving = []
            }
            return true
        }
        try parts.add(leaving)
        let role = classView.role
        for start in stride(from: 0, to: wanted.count, by: PartWriter.batch) {
            var instructions: [Instruction] = []
            for key in wanted[start..<min(start + PartWriter.batch, wanted.count)] {
                guard let primaryKey = table.primaryKey(of: key) else { continue }
                let name = ObjectName(stored.name, primaryKey)
                guard resent == .everything || !isMember(name, of: view, snapshot) else {
                    if resent == .partition { instructions += partition(of: name, key, table) }
                    continue
                }
                instructions.append(.eraseObject(className: name.className, key: name.key))
                instructions += snapshot.instructions(creating: [key], of: table) { role?.isReadable($0) ?? false }
            }
            try parts.add(instructions)
        }
    }

    /// Tells of an object which partition it belongs to.
    private func partition(of name: ObjectName, _ key: ObjectKey, _ table: Table) -> [Instruction] {
        guard let field = configuration.partitionField, let column = table.stored.column(named: field.property) else {
            return []
        }
        let path = InstructionPath(name.className, name.key, field.property)
        return [.update(path, .value(table.value(key, column)), isDefault: false)]
    }

    /// Notes who is in the view after a bootstrap. What that is its parts say: a server that is killed begins again.
    func applyMembers(of view: FlexibleView) throws {
        guard view.record.unappliedFrom > 0 else { return }
        let file = UInt64(view.file)
        let snapshot = try base.snapshot()
        try snapshot.eachSyncRecord(
            from: HistoryKey.outgoing(file, view.record.unappliedFrom), to: HistoryKey.outgoing(file, .max)
        ) { _, value in
            let part = try OutgoingRecord(value)
            guard part.kind != .steady else { return false }
            var members: [ObjectName: Bool] = [:]
            for instruction in try Changeset.decode(part.changeset) {
                switch instruction {
                case .createObject(let className, let key): members[ObjectName(className, key)] = true
                case .eraseObject(let className, let key): members[ObjectName(className, key)] = false
                default: break
                }
            }
            guard !members.isEmpty else { return true }
            try base.change(to: base.state, isDurable: false) { transaction in
                for (object, isMember) in members {
                    let key = HistoryKey.member(file, object)
                    if isMember {
                        try transaction.putSync(key, object.encoded)
                    } else {
                        try transaction.removeSync(key)
                    }
                }
            }
            return true
        }
        var record = view.record
        record.unappliedFrom = 0
        try base.change(to: base.state, isDurable: false) { transaction in
            try transaction.putSync(HistoryKey.view(file), record.encoded)
        }
        view.record = record
    }
}

/// Writes the parts of a bootstrap into the history of a file, each in a transaction of its own: a bootstrap of many
/// objects takes no more memory than one of few. Until the file's record says so they are not part of its history.
private struct PartWriter {
    private let realm: FlexibleRealm
    private let view: FlexibleView
    private let version: UInt64
    private let queryVersion: Int64
    private let timestamp: UInt64
    private(set) var last: UInt64
    /// The part that waits to be known as the last, or not.
    private var pending: [UInt8]?
    private var instructions: [Instruction] = []
    /// About so many bytes of changes.
    private var bytes = 0

    /// So many objects at a time.
    static let batch = 128

    init(_ realm: FlexibleRealm, _ view: FlexibleView, version: UInt64, queryVersion: Int64, last: UInt64) {
        self.realm = realm
        self.view = view
        self.version = version
        self.queryVersion = queryVersion
        self.last = last
        timestamp = realm.base.options.now()
    }

    mutating func add(_ more: [Instruction]) throws {
        for instruction in more {
            // Between objects, each of which begins so.
            if case .eraseObject = instruction, bytes >= realm.bootstrapPartBytes { try close() }
            instructions.append(instruction)
            bytes += instruction.roughSize
        }
    }

    private mutating func close() throws {
        guard !instructions.isEmpty else { return }
        if let pending { try put(pending, .bootstrap) }
        pending = try Changeset.encode(instructions)
        instructions = []
        bytes = 0
    }

    /// There is always a part, if an empty one (F-31).
    mutating func finish() throws {
        try close()
        try put(pending ?? [], .bootstrapEnd)
    }

    private mutating func put(_ changeset: [UInt8], _ kind: OutgoingRecord.Kind) throws {
        last += 1
        let part = OutgoingRecord(
            kind, isMadeUp: true, version: version, client: view.record.client, timestamp: timestamp, origin: 1,
            queryVersion: queryVersion, changeset: changeset)
        let key = HistoryKey.outgoing(UInt64(view.file), last)
        try realm.base.change(to: realm.base.state, isDurable: false) { try $0.putSync(key, part.encoded) }
    }
}

extension Instruction {
    /// About how many bytes it has in a changeset. Parts may differ in size, but a few long values make one (F-33).
    fileprivate var roughSize: Int {
        switch self {
        case .update(_, let payload, _), .updateElement(_, let payload, _), .arrayInsert(_, let payload, _),
            .setInsert(_, let payload):
            24 + payload.longSize
        default: 24
        }
    }
}

extension Payload {
    /// Bytes of what can have many.
    fileprivate var longSize: Int {
        switch self {
        case .value(.string(let text)): text.utf8.count
        case .value(.binary(let data)): data.count
        default: 0
        }
    }
}
