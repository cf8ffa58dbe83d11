import Store

/// Where a synced file's data comes from and goes to: fixed when the file is made.
package struct SyncOrigin: Hashable, Sendable {
    /// Id of the app.
    package var app: String
    /// Address of the app's server.
    package var baseURL: String
    /// Id of the user; of a bundle there is none, until somebody opens it.
    package var user: String
    /// The partition's text (P-42); nil for flexible sync.
    package var partition: String?

    package init(app: String, baseURL: String, user: String, partition: String?) {
        self.app = app
        self.baseURL = baseURL
        self.user = user
        self.partition = partition
    }

    private static let kind: UInt32 = 0x4F52_4901

    /// Nil if the realm isn't synced, or only the history of a client without an agent.
    package init?(_ snapshot: Snapshot) throws {
        guard let bytes = snapshot.syncRecord(HistoryKey.origin) else { return nil }
        var reader = RecordReader(bytes)
        guard try reader.number() == SyncOrigin.kind else { throw HistoryError.damaged }
        app = try reader.text()
        baseURL = try reader.text()
        user = try reader.text()
        partition = try reader.number(UInt8.self) == 0 ? nil : try reader.text()
    }

    var encoded: [UInt8] {
        var writer = RecordWriter()
        writer.append(SyncOrigin.kind)
        for text in [app, baseURL, user] { writer.append(counted: text.utf8) }
        writer.append(UInt8(partition == nil ? 0 : 1))
        if let partition { writer.append(counted: partition.utf8) }
        return writer.bytes
    }

    /// Whether both name the same data. A server may move.
    package func isSame(as other: SyncOrigin) -> Bool {
        user == other.user && hasSameData(as: other)
    }

    /// Whether both name the same data, whoever the user is.
    package func hasSameData(as other: SyncOrigin) -> Bool {
        app == other.app && partition == other.partition
    }

    /// Whether the file waits for a user: whoever opens it first.
    package var isBundle: Bool { user.isEmpty }

    /// Whether a file of this origin may be opened as one of another.
    package func admits(_ other: SyncOrigin) -> Bool { isBundle ? hasSameData(as: other) : isSame(as: other) }

    /// That of a bundle of the same data.
    var withoutUser: SyncOrigin { SyncOrigin(app: app, baseURL: baseURL, user: "", partition: partition) }
}

extension ClientHistory {
    /// Writes down where the file belongs, in a transaction that `begin` was called for.
    package func put(_ origin: SyncOrigin, _ transaction: WriteTransaction) throws {
        try transaction.putSync(HistoryKey.origin, origin.encoded)
    }
}
