import Store
import Sync

/// What a file remembers of its app's migration to flexible sync (F-94): its application knows of a partition, its server
/// of subscriptions.
package struct FlexibleMigration: Hashable, Sendable {
    package enum State: UInt8, Hashable, Sendable {
        /// The server has said so; the file is what it was.
        case inProgress = 1
        /// The file is synced by subscriptions.
        case migrated = 2
        /// It is, and the server has said that partitions are back.
        case rollbackInProgress = 3
    }

    package var state: State
    /// Milliseconds since 2015.
    package var startedAt: UInt64
    package var completedAt: UInt64?
    /// Selects what the partition held, in every class (F-95).
    package var query: String
    /// As its application names it (P-42).
    package var partition: String
    /// The set of subscriptions after which the file isn't a migrated one any more (F-99).
    package var sentinel: Int64?

    /// Subscriptions that were made by the migration are called so, with the class behind it.
    package static let subscriptionPrefix = "flx_migrated_"

    private static let kind: UInt32 = 0x4D49_4701

    init(query: String, partition: String, startedAt: UInt64) {
        state = .inProgress
        self.query = query
        self.partition = partition
        self.startedAt = startedAt
    }

    /// Nil if there was none.
    init?(_ snapshot: Snapshot) throws {
        guard let bytes = snapshot.syncRecord(HistoryKey.migration) else { return nil }
        var reader = RecordReader(bytes)
        guard try reader.number() == FlexibleMigration.kind, let state = State(rawValue: try reader.number()) else {
            throw HistoryError.damaged
        }
        self.state = state
        startedAt = try reader.number()
        let completed: UInt64 = try reader.number()
        completedAt = completed == 0 ? nil : completed
        let sentinel: Int64 = try reader.number()
        self.sentinel = sentinel < 0 ? nil : sentinel
        query = try reader.text()
        partition = try reader.text()
    }

    var encoded: [UInt8] {
        var writer = RecordWriter()
        writer.append(FlexibleMigration.kind)
        writer.append(state.rawValue)
        writer.append(startedAt)
        writer.append(completedAt ?? 0)
        writer.append(sentinel ?? -1)
        writer.append(counted: query.utf8)
        writer.append(counted: partition.utf8)
        return writer.bytes
    }

    /// Whether the file is synced by subscriptions.
    package var isFlexible: Bool { state != .inProgress }

    /// What BIND says (F-96).
    package func bind(sessionReason: Int64 = 0) -> FlexibleBind {
        FlexibleBind(migratedPartition: partition, sessionReason: sessionReason)
    }
}

extension ClientHistory {
    /// Notes how far a migration is, durably; nil: that it is over.
    func noteMigration(_ migration: FlexibleMigration?) throws {
        try write { try put(migration, $0) }
        adopt(migration)
    }

    func put(_ migration: FlexibleMigration?, _ transaction: WriteTransaction) throws {
        guard let migration else { return try transaction.removeSync(HistoryKey.migration) }
        try transaction.putSync(HistoryKey.migration, migration.encoded)
    }

    // MARK: Classes

    /// Subscribes to classes that a migrated file has got since, from the server or from its application (F-97). To be
    /// called after each of both.
    /// - Returns: what the session is to be told of; nil if there are none.
    package func coverNewClasses() throws -> PendingQuery? {
        guard let migration, migration.isFlexible, migration.sentinel == nil, let subscriptions else { return nil }
        let missing = try file.snapshot().schema.tables.filter {
            $0.kind == .topLevel && !subscriptions.latest.covers($0.name)
        }
        guard !missing.isEmpty else { return nil }
        return try subscriptions.update { edit in
            for table in missing { edit.insert(migrating: table.name, migration.query) }
        }.pendingQuery
    }

    // MARK: Native use

    /// The application opens the file as one of flexible sync from now on (F-99): after a last set of subscriptions, which
    /// asks for the same as before, nothing is sent until that is in force. Then `becomeNative` is due.
    /// - Returns: what the session is to be told of; nil if it knows, or if the file isn't a migrated one.
    package func leaveMigration() throws -> PendingQuery? {
        guard var migration, migration.isFlexible, migration.sentinel == nil, let subscriptions else { return nil }
        let set = try subscriptions.update { _ in }
        migration.sentinel = set.version
        try noteMigration(migration)
        return queries.pending.first { $0.query.version == set.version }
    }

    /// Whether the server has everything that was written while the file was a migrated one.
    package var isReadyToBecomeNative: Bool {
        guard let sentinel = migration?.sentinel, let subscriptions else { return false }
        // A set that isn't there any more was followed by another.
        return [.complete, .superseded].contains(subscriptions.state(of: sentinel))
    }

    /// Forgets the migration, durably; the session is to begin anew, without a word of the partition.
    package func becomeNative() throws {
        var origin = try SyncOrigin(file.snapshot())
        origin?.partition = nil
        try write { transaction in
            try put(nil, transaction)
            if let origin { try transaction.putSync(HistoryKey.origin, origin.encoded) }
        }
        adopt(nil as FlexibleMigration?)
    }

    /// What a session must know of the file's subscriptions.
    package var queries: SessionQueries {
        guard let subscriptions else { return SessionQueries() }
        var queries = subscriptions.queries
        if let sentinel = migration?.sentinel {
            for index in queries.pending.indices where queries.pending[index].query.version == sentinel {
                queries.pending[index].isSentinel = true
            }
        }
        return queries
    }
}

extension SubscriptionEdit {
    /// Subscribes to what a partition held of a class (F-95).
    mutating func insert(migrating className: String, _ query: String) {
        insert(name: FlexibleMigration.subscriptionPrefix + className, className: className, query: query)
    }
}
