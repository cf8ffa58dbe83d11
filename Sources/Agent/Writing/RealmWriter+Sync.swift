import History
import Model
import Store
import Sync
import Wire

// What a synced realm needs of its writer thread. Everything here belongs to that thread.
extension RealmWriter {
    /// The history of a synced file.
    func history(_ file: RealmFile, of origin: SyncOrigin) throws -> ClientHistory {
        let history = try ClientHistory(file, isFlexible: origin.partition == nil)
        observeSets(of: history)
        return history
    }

    private func observeSets(of history: ClientHistory) {
        history.subscriptions?.observer = { [unowned self] in changedSets.append($0) }
    }

    /// What a session begins with.
    struct SessionState: Sendable {
        var file: ClientFile
        var queries: SessionQueries
        var binding: SessionBinding
    }

    /// Nil once the file is closed. `reset`: the action of the client reset that the session awaits.
    func sessionState(_ partition: String?, reset: ErrorAction? = nil) -> SessionState? {
        history.map {
            SessionState(
                file: $0.clientFile, queries: $0.queries, binding: $0.binding(partition: partition, reset: reset))
        }
    }

    /// Begins a transaction that the history of a synced realm will know. Throws `queueFull` while too much waits for the
    /// server, unless the transaction has to be.
    func beginWrite(isNeeded: Bool = false) throws -> WriteTransaction {
        if let history, !isNeeded { try queue.check(path) { try history.unsentBytes() } }
        let transaction = try fileToWrite().beginWrite()
        history?.begin(transaction)
        if let set = history?.subscriptions?.latest {
            transaction.checkCreation = { [path] in try set.checkCreation($0, in: path) }
        }
        return transaction
    }

    /// Runs `body` in a transaction of the agent's own, and commits what it did if it says so.
    /// - Returns: what `body` does, and the version that this has made.
    @discardableResult
    func transact<Value>(
        uid: TransactionUID? = nil, isNeeded: Bool = false,
        _ body: (WriteTransaction) throws -> (value: Value, commits: Bool)
    ) throws -> (value: Value, version: UInt64?) {
        let transaction = try beginWrite(isNeeded: isNeeded)
        do {
            let (value, commits) = try body(transaction)
            guard commits else {
                transaction.rollback()
                return (value, nil)
            }
            try history?.append(to: transaction)
            return (value, try transaction.commit(uid: uid))
        } catch {
            transaction.rollback()
            throw error
        }
    }

    /// Makes the file one that is synced, unless it is, and its classes those of the app. Throws `syncMismatch` for a
    /// file that belongs elsewhere.
    func adopt(_ origin: SyncOrigin, _ schema: RealmSchema?, schemaVersion: UInt64) throws {
        let file = try fileToWrite()
        let stored = try file.snapshot().schema
        try check(origin, isNew: stored.tables.isEmpty)
        let history = try self.history ?? history(file, of: origin)
        let isNew = self.history == nil
        let isBundle = self.origin?.isBundle ?? false
        self.history = history
        do {
            // Who only wants to read must be able to.
            try transact(isNeeded: true) { transaction in
                if isNew || isBundle { try history.put(origin, transaction) }
                guard let schema else { return ((), isNew || isBundle) }
                let instructions = stored.instructions(adding: schema)
                if !instructions.isEmpty {
                    let bytes = try Changeset.encode(instructions)
                    try bytes.withUnsafeBytes { try transaction.apply($0) }
                }
                // Indexes and the version are the file's own (C-71).
                let outcome = try transaction.ensureSchema(schema, schemaVersion: schemaVersion, mode: .additive)
                return ((), isNew || isBundle || !instructions.isEmpty || outcome.isChanged)
            }
        } catch {
            if isNew { self.history = nil }
            throw error
        }
        if isNew || isBundle { self.origin = origin }
        if origin.partition == nil { _ = try history.leaveMigration() } else { _ = try history.coverNewClasses() }
    }

    /// Forgets that the realm was a partition's, once the server has all that was written while it was (F-99). True: its
    /// session is to begin anew.
    func becomeNativeIfReady() throws -> Bool {
        guard let history, history.isReadyToBecomeNative else { return false }
        try history.becomeNative()
        origin?.partition = nil
        return true
    }

    private func check(_ origin: SyncOrigin, isNew: Bool) throws {
        guard let known = self.origin else {
            if isNew { return }
            throw WireError(
                .syncMismatch,
                "the realm at \(path) isn't synced, so it can't be opened as one of user \(origin.user); choose another "
                    + "file, or copy it with writeCopy", facts: ["path": .string(path)])
        }
        guard !known.admits(origin) else { return }
        // The application has been moved to flexible sync after its server was (F-99).
        if origin.partition == nil, known.app == origin.app, known.user == origin.user,
            history?.migration?.isFlexible == true
        {
            return
        }
        throw WireError(
            .syncMismatch,
            (known.isBundle
                ? "the realm at \(path) is a bundle of app \(known.app) with "
                : "the realm at \(path) is synced for user \(known.user) of app \(known.app) with ")
                + (known.partition.map { "partition \($0)" } ?? "subscriptions") + ", not as it is to be opened",
            facts: ["path": .string(path)])
    }

    /// Does what a session asks of the file.
    func answer(_ work: StoreRequest.Work) throws -> StoreAnswer {
        guard let history else {
            throw WireError(.shuttingDown, "the realm is closed", facts: ["path": .string(path)])
        }
        return try history.answer(work)
    }

    // MARK: Client reset

    /// Prepares a reset. Returns what the session that downloads the server's state begins with.
    func beginReset(
        _ mode: ClientResetMode, _ report: SyncReport, _ partition: String?, _ partitionQuery: String?
    ) throws -> SessionState {
        guard let history else {
            throw WireError(.shuttingDown, "the realm is closed", facts: ["path": .string(path)])
        }
        let reset = try ClientReset(
            history, mode: mode, action: report.action, report: report, partition: partition,
            partitionQuery: partitionQuery)
        self.reset = reset
        guard let fresh = try reset.begin().history else {
            throw WireError(.internalError, "the file for the server's state is closed")
        }
        return SessionState(file: fresh.clientFile, queries: fresh.queries, binding: reset.freshBinding)
    }

    /// What a session goes on with after a client reset.
    struct ResetRealm: Sendable {
        var file: ClientFile
        var queries: SessionQueries
        /// Whether unsynced changes were kept.
        var recovered: Bool
        /// What is to be confirmed.
        var pending: PendingClientReset?
    }

    /// Rewrites the realm from the downloaded state.
    func performReset() throws -> ResetRealm {
        guard let reset else {
            throw WireError(.syncFailed, "no client reset is prepared", facts: ["path": .string(path)])
        }
        self.reset = nil
        let outcome = try reset.perform()
        for line in outcome.discards { AgentLog.write("\(path): sync: not kept: \(line)") }
        // A migrated realm has sets of its own from now on.
        if let history { observeSets(of: history) }
        return ResetRealm(
            file: outcome.clientFile, queries: history?.queries ?? SessionQueries(),
            recovered: outcome.didRecover, pending: try history?.pendingReset)
    }

    /// The server doesn't take the fresh file either.
    func giveUpReset(_ report: SyncReport) {
        _ = reset?.giveUp(report)
        reset = nil
    }

    func abandonReset() {
        reset?.abandon()
        reset = nil
    }
}

extension SubscriptionSet {
    /// Throws `noSubscriptionForWrite` for a class whose objects nobody has subscribed to (F-28).
    fileprivate func checkCreation(_ table: StoredTable, in path: String) throws {
        guard table.kind == .topLevel, !covers(table.name) else { return }
        throw WireError(
            .noSubscriptionForWrite,
            "Cannot write to class \(table.name) when no flexible sync subscription has been created.",
            facts: ["path": .string(path), "class": .string(table.name)])
    }
}
