import Store
import Sync

// A client reset that brings a file from its partition to subscriptions, or back (F-95, F-100).
extension ClientReset {
    /// Notes what is under way before the fresh file is opened.
    func noteMigration() throws {
        switch action {
        case .migrateToFlexible:
            guard let partitionQuery, let partition else { return }
            // The partition's own, if an earlier attempt has noted it.
            var migration =
                history.migration
                ?? FlexibleMigration(query: partitionQuery, partition: partition, startedAt: history.options.now())
            migration.state = .inProgress
            migration.query = partitionQuery
            if migration != history.migration { try history.noteMigration(migration) }
        case .revertToPartition:
            guard var migration = history.migration, migration.state != .rollbackInProgress else { return }
            migration.state = .rollbackInProgress
            try history.noteMigration(migration)
        default: break
        }
    }

    /// Whether the fresh file is one of flexible sync.
    var isFreshFlexible: Bool {
        switch action {
        case .migrateToFlexible: true
        case .revertToPartition: false
        default: history.subscriptions != nil
        }
    }

    /// Migration to flexible sync: the next subscriptions of the fresh file, to be asked for whenever its session has caught
    /// up (F-95). Nil: there is nothing more to ask for, or an answer is still to come.
    package func nextFreshQuery() throws -> PendingQuery? {
        guard action == .migrateToFlexible, let partitionQuery, let fresh = fresh?.history,
            let subscriptions = fresh.subscriptions, subscriptions.latest.state == .complete
        else { return nil }
        let missing = try wantedClasses(fresh).filter { !subscriptions.latest.covers($0) }
        guard !missing.isEmpty else { return nil }
        return try subscriptions.update { edit in
            for name in missing { edit.insert(migrating: name, partitionQuery) }
        }.pendingQuery
    }

    /// Whether the fresh file is filled by subscriptions, so that the first download isn't all.
    package var hasFreshSubscriptions: Bool { fresh?.history?.subscriptions != nil }

    /// Whether the fresh file has everything that it asks for. Without subscriptions a download is all there is to wait for.
    package var isFreshComplete: Bool {
        guard let subscriptions = fresh?.history?.subscriptions else { return true }
        return subscriptions.latest.state == .complete
    }

    /// The server has refused the fresh file's subscriptions. Classes that only this device has may be why: it is tried
    /// without them, once.
    /// - Returns: what to ask for now; nil: nothing helps.
    package func freshQueryFailed(version: Int64, message: String) throws -> PendingQuery? {
        guard let fresh = fresh?.history, let subscriptions = fresh.subscriptions else { return nil }
        try fresh.queryFailed(version: version, message: message)
        guard action == .migrateToFlexible, let partitionQuery, !leavesOutLocalClasses else { return nil }
        leavesOutLocalClasses = true
        let names = try wantedClasses(fresh)
        return try subscriptions.update { edit in
            edit.removeAll()
            for name in names { edit.insert(migrating: name, partitionQuery) }
        }.pendingQuery
    }

    /// The top-level classes of the server, and those that it will get from here: what is written in a class without a
    /// subscription would be undone.
    private func wantedClasses(_ fresh: ClientHistory) throws -> [String] {
        let files = leavesOutLocalClasses ? [fresh.file] : [fresh.file, history.file]
        var names: Set<String> = []
        for file in files {
            names.formUnion(try file.snapshot().schema.tables.filter { $0.kind == .topLevel }.map(\.name))
        }
        return names.sorted()
    }

    // MARK: The transaction

    /// Brings the file's subscriptions and its memory of the migration to what the reset makes of them: part of
    /// its transaction.
    func adjustSubscriptions(_ transaction: WriteTransaction, keepingPending: Bool) throws {
        switch action {
        case .migrateToFlexible:
            guard let sets = fresh?.history?.subscriptions, var migration = history.migration else {
                throw ClientResetFailure(.noFreshFile, "the server's state has no subscriptions")
            }
            migration.state = .migrated
            migration.completedAt = history.options.now()
            migration.sentinel = nil
            try history.put(migration, transaction)
            try history.importSubscriptions(sets.active, transaction)
        case .revertToPartition:
            try history.put(nil, transaction)
            history.subscriptions?.dropAll()
        default: history.subscriptions?.resetIsPerformed(keepingPending: keepingPending)
        }
    }

    /// Its transaction is committed.
    func adoptMigration() throws {
        guard action == .migrateToFlexible || action == .revertToPartition else { return }
        history.adopt(try FlexibleMigration(history.file.snapshot()))
        if action == .revertToPartition { history.forgetSubscriptions() }
    }

    /// Nothing came of it.
    func forgetImport() {
        if action == .migrateToFlexible { history.forgetSubscriptions() }
    }
}
