import Model
import Store
import Sync

/// A client reset: the realm of a client that can't go on with its server is given the server's state and another ident,
/// and what wasn't synced is replayed on it, or goes. Afterwards it has happened, or it hasn't: all changes are one
/// transaction.
///
/// **How it is driven.** By whoever owns the realm's `ClientHistory`, on its thread; the session machine says when.
///
/// 1. At `ClientEffect.reset` the session is suspended. `init` says whether the realm may be reset automatically; what it
///    throws is told to the application with the backup's path, and the manual way is open (R-10, `ResetBackup`).
/// 2. `begin` opens the fresh file. A session with `uploads` false, of the same user and realm, is added for it with
///    `fresh.history?.clientFile`, and its requests go to `fresh.history`. The application reads and writes meanwhile.
///    If that session is to be reset itself, `giveUp` is called, and what it returns is the failure.
/// 3. When a waiter for downloads of that session is done, the session is removed, and once it has ended the first one is
///    removed too, and one added in its place with `awaitsReset`, and with the waiters of the first.
/// 4. At `ClientEffect.performReset` the application's *before* block is called, with a snapshot of the realm taken then
///    whatever the block writes counts as unsynced.
/// 5. With no write transaction open, `perform`. Then `ClientConnection.resetPerformed` with `outcome.clientFile`, and the
///    *after* block with `outcome.before` and the new state. Observers see one change. If it throws, the realm is
///    as it was, and the manual way is left.
/// 6. Whenever a session is added while `ClientHistory.pendingReset` isn't nil, a waiter for uploads and one for downloads
///    are added with it; when both are done, `ClientHistory.confirm`.
///
/// **Migration** (F-95, F-100) is the same with a fresh file of the other kind, which is bound as a new one of that kind, as
/// the realm itself is from step 3 on (`freshBinding`, `ClientHistory.binding`). To flexible sync, whenever the fresh file's
/// session has caught up, `nextFreshQuery` says what it is to subscribe to, and step 3 is due once `isFreshComplete` and
/// there is nothing more; from step 5 on the session has `ClientHistory.queries`. If the fresh file is told to go the other
/// way, it is given up, and the realm's own session resumed: it finds out.
///
/// `abandon` ends it at any time before `perform`, as when the session is stopped or the user logs out: the file that is
/// left serves the next attempt. A process that is killed leaves the same, or a completed reset.
package final class ClientReset {
    package let mode: ClientResetMode
    package let action: ErrorAction
    package let report: SyncReport
    let history: ClientHistory
    /// Migration to flexible sync: the partition, and the query that selects what it held (F-95).
    let partition: String?
    let partitionQuery: String?
    /// Migration: classes that only this device has aren't subscribed to.
    var leavesOutLocalClasses = false
    package private(set) var fresh: FreshRealm?

    /// Throws if nothing can happen by itself: in manual mode, and where the server doesn't allow what the mode wants.
    /// `partition`, as applications name it, and `partitionQuery` are needed to migrate to flexible sync.
    package init(
        _ history: ClientHistory, mode: ClientResetMode, action: ErrorAction, report: SyncReport,
        partition: String? = nil, partitionQuery: String? = nil
    ) throws(ClientResetFailure) {
        self.history = history
        self.partition = partition ?? history.migration?.partition
        self.partitionQuery = partitionQuery
        self.mode = try ClientReset.checked(mode, action)
        self.action = action
        self.report = report
    }

    private static func checked(_ mode: ClientResetMode, _ action: ErrorAction) throws(ClientResetFailure)
        -> ClientResetMode
    {
        let allowed = mode.allowed(by: action)
        guard allowed != .manual else {
            throw ClientResetFailure(
                .recoveryNotAllowed,
                mode == .manual
                    ? "the realm is to be reset by hand"
                    : "the server doesn't allow that unsynced changes are recovered")
        }
        return allowed
    }

    /// Opens the file for the server's state.
    package func begin() throws(ClientResetFailure) -> FreshRealm {
        if let fresh { return fresh }
        guard action != .migrateToFlexible || partition != nil && partitionQuery != nil else {
            throw ClientResetFailure(.noFreshFile, "the server hasn't said what the partition is by now")
        }
        do { try noteMigration() } catch {
            throw ClientResetFailure(.storage, "the realm can't be written: \(error)")
        }
        let made = try FreshRealm(of: history, isFlexible: isFreshFlexible)
        fresh = made
        return made
    }

    /// Ends the attempt; nothing has happened.
    package func abandon() {
        fresh?.close()
        fresh = nil
    }

    /// Ends the attempt because the server doesn't take the fresh file either: it goes, and the next attempt makes another.
    /// - Returns: what to tell the application.
    package func giveUp(_ report: SyncReport) -> ClientResetFailure {
        fresh?.remove()
        fresh = nil
        return ClientResetFailure(.noFreshFile, "the server's state can't be downloaded: \(report.message)")
    }

    /// Rewrites the realm from the completed fresh file, which is removed in any case. Durable when this returns.
    package func perform() throws(ClientResetFailure) -> ClientResetOutcome {
        defer {
            fresh?.remove()
            fresh = nil
        }
        do {
            guard let fresh, let freshFile = fresh.file, let freshState = fresh.history?.state, freshState.ident != nil
            else { throw ClientResetFailure(.noFreshFile, "the server's state wasn't downloaded") }
            let mode = try noteAttempt()
            return try rewrite(from: freshFile, freshState, mode)
        } catch let failure as ClientResetFailure {
            throw failure
        } catch {
            throw ClientResetFailure(.storage, "the realm can't be reset: \(error)")
        }
    }

    /// Notes in the realm, durably, that it is about to be reset, and how, unless that has been tried in vain.
    private func noteAttempt() throws -> ClientResetMode {
        let mode = try ClientReset.checked(
            PendingClientReset.mode(self.mode, for: action, after: try history.pendingReset), action)
        try history.note(
            PendingClientReset(
                time: history.options.now(), recovers: mode.recovers, action: action, code: report.code,
                message: report.message))
        return mode
    }

    // MARK: The transaction

    private func rewrite(
        from freshFile: RealmFile, _ freshState: ClientState, _ mode: ClientResetMode
    ) throws -> ClientResetOutcome {
        let before = try history.file.snapshot()
        let freshTransaction = try freshFile.beginWrite()
        defer { freshTransaction.rollback() }
        var outcome = ClientResetOutcome(before: before, didRecover: mode.recovers, clientFile: history.clientFile)
        var next = history.state
        next.ident = freshState.ident
        // What the fresh file has integrated, which may be less than the newest that it was told of.
        next.download = DownloadCursor(server: freshState.download.server, client: 0)
        next.latest = freshState.latest
        next.upload = UploadCursor(client: 0, server: freshState.download.server)
        let recovery = Recovery(on: freshTransaction, before: before)
        var isDone = false
        defer { if !isDone { forgetImport() } }
        do {
            try history.write { transaction in
                try transaction.putSync(HistoryKey.state, next.encoded)
                try transaction.removeSync(from: HistoryKey.entry(0), to: HistoryKey.entry(.max))
                try transaction.removeSync(
                    from: HistoryKey.form(ClientHistory.server, 0), to: HistoryKey.form(ClientHistory.server, .max))
                try history.forgetBootstrap(transaction)
                try adjustSubscriptions(transaction, keepingPending: mode.recovers)
                if !mode.recovers { try history.rejectUnsynced(since: before, transaction) }
                if mode.recovers {
                    try replay(with: recovery, since: next.download.server, transaction, &outcome)
                }
                let sink = InstructionSink(transaction)
                try StateTransfer(from: recovery.state(), to: before) { try sink.append($0) }.run()
                try sink.flush()
            }
        } catch let error as StoreError where error.code == .badChangeset || error.code == .unsupportedChange {
            throw ClientResetFailure(.notRecoverable, error.message)
        } catch let error as ChangesetError {
            throw ClientResetFailure(.notRecoverable, "\(error)")
        }
        isDone = true
        history.adopt(next)
        try adoptMigration()
        outcome.discards = recovery.discards
        outcome.discardCount = recovery.discardCount
        outcome.clientFile = history.clientFile
        return outcome
    }

    /// Replays what wasn't synced, and puts what it has become in the place of what it was.
    private func replay(
        with recovery: Recovery, since server: Int64, _ transaction: WriteTransaction,
        _ outcome: inout ClientResetOutcome
    ) throws {
        try history.eachUnsyncedChange(recovery.before) { change in
            let discarded = recovery.discardCount
            let replayed = try recovery.replay(change.instructions)
            if recovery.discardCount > discarded {
                try history.reject(
                    Rejection(version: change.version, .reset, message: Rejection.notRecovered), transaction)
            }
            var record = change.record
            record.remoteVersion = UInt64(server)
            // One of which nothing is left stays as an empty entry, and isn't uploaded.
            record.changeset = try Changeset.encode(replayed)
            outcome.recoveredChanges += replayed.isEmpty ? 0 : 1
            try transaction.putSync(HistoryKey.entry(change.version), record.head + record.changeset)
        }
    }
}

/// What a client reset has done.
package struct ClientResetOutcome {
    /// The realm as it was.
    package let before: Snapshot
    /// Whether unsynced changes were recovered, should there have been any.
    package let didRecover: Bool
    /// What the session goes on with.
    package fileprivate(set) var clientFile: ClientFile
    /// Transactions that will be uploaded.
    package fileprivate(set) var recoveredChanges = 0
    /// Changes that could not be kept, for the log: the first of them in words, and how many there were.
    package fileprivate(set) var discards: [String] = []
    package fileprivate(set) var discardCount = 0
}
