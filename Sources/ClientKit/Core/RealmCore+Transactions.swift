import Foundation
import Model
import Store
import Wire

extension RealmCore {
    /// Begins a write transaction: blind if it can be, else with the write lock and at the newest version. Throws when
    /// the agent is needed and can't be reached.
    func beginWrite() throws {
        check()
        if isFrozen { fail(.frozen("begin a write transaction")) }
        if isReadOnly { fail(.readOnly("begin a write transaction")) }
        if isInWrite { fail(.alreadyInWriteTransaction) }
        checkHeldVersions()
        finishCommit()
        if try beginBlind() { return }
        // Locks that are being waited for on behalf of this instance come first, in their order: behind one of them
        // this thread would wait for itself.
        while !pendingGrants.isEmpty {
            if let outcome = pendingGrants.removeFirst().take() { return try begin(outcome.get()) }
        }
        try begin(WriteGrant.wait(coordinator))
    }

    /// Traps if the process holds more versions of the file, frozen ones included, than the configuration allows (CF-15).
    private func checkHeldVersions() {
        guard let limit = configuration.maximumNumberOfActiveVersions, limit > 0 else { return }
        let held = Set(coordinator.cores.map { $0.heldVersion.load(ordering: .relaxed) }).subtracting([0])
        if held.count > limit { fail(.tooManyVersions(held.count, limit: limit, coordinator.settings.path)) }
    }

    /// Begins with a lock that has been had.
    func begin(_ grant: WriteGrant) throws {
        if isInWrite { fail(.alreadyInWriteTransaction) }
        finishCommit()
        let granted = grant.granted
        if granted.generation != self.grant.generation || granted.version != snapshot.version {
            do {
                let (snapshot, used) = try fittingSnapshot(granted)
                coordinator.note(used, on: grant.handle)
                move(to: snapshot, used)
            } catch {
                grant.giveBack()
                throw error
            }
        }
        transaction = OpenTransaction(grant, firstGeneration: access.pointee.generation)
        // Notifications that are due come before the changes of this transaction; they see the realm as in a write.
        deliverNotifications()
    }

    /// Makes the transaction durable, or throws and leaves the realm as it was.
    func commitWrite(skipping tokens: [NotificationToken] = []) throws {
        check()
        guard isInWrite, let transaction else { fail(.notInWriteTransaction("commit")) }
        let skipped = notifiersToSkip(tokens)
        if transaction.isBlind { return try commitBlind(transaction) }
        if transaction.recorder.isEmpty, transaction.failure == nil {
            self.transaction = nil
            transaction.cancel()
            return
        }
        let handle: RealmCoordinator.Handle
        let reply: WriteCommitReply
        do {
            (handle, reply) = try committed(transaction, transaction.recorder.takeBytes())
        } catch {
            rollBack(transaction)
            throw Realm.Error(error, path: coordinator.settings.path)
        }
        self.transaction = nil
        transaction.end()
        adopt(reply, handle, skipping: skipped)
    }

    /// Goes over to the version that a commit made.
    func adopt(
        _ reply: WriteCommitReply, _ handle: RealmCoordinator.Handle, skipping skipped: [Notifier]
    ) {
        if let own = reply.own, let identity = handle.identity {
            receipt = CommitReceipt(WireReceipt(path: coordinator.settings.path, realm: identity, version: own))
        }
        Logger.shared.log(.debug, "Committed version \(reply.version) of '\(coordinator.settings.path)'.")
        let grant = RealmCoordinator.Grant(
            version: reply.version, generation: reply.generation,
            pin: Pin(reply.pin, realm: handle.realm, link: handle.link))
        do {
            let (snapshot, used) = try fittingSnapshot(grant)
            coordinator.note(used, on: handle)
            move(to: snapshot, used)
            notifiers.ownVersion = snapshot.version
            notifiers.advanceSilently(skipped, self)
        } catch Realm.Error.schemaMismatch {
            // It is committed, on top of a migration. The next refresh or write says so.
        } catch {
            // It is committed: that the new version can't be mapped now must not read as a failure of the commit.
            warn("The committed version \(reply.version) can't be read yet: \(error)")
            dropSnapshot()
        }
        if !notifiers.isEmpty { wake() }
        coordinator.wakeCores(except: self)
    }

    /// Sends the last bytes of a transaction and waits until it is on disk. Any thread.
    func committed(
        _ transaction: OpenTransaction, _ bytes: [UInt8]
    ) throws -> (RealmCoordinator.Handle, WriteCommitReply) {
        if let failure = transaction.failure { throw failure }
        guard let grant = transaction.grant else { throw WireError(.connectionLost, "there is no write lock") }
        do {
            let reply = try grant.handle.link.call(
                WriteCommit(
                    realm: grant.handle.realm, transaction: grant.reply.transaction, changes: Bytes(bytes),
                    uid: transaction.uid))
            return (grant.handle, reply)
        } catch let error as WireError where error.meansAgentIsGone {
            return try resolve(transaction, grant)
        }
    }

    /// The agent went away around the commit: finds out what became of it. Either it has happened, or it is sent
    /// again on the very version it was made for, or it fails; it is never applied twice, since the agent remembers
    /// the uid (R86).
    private func resolve(
        _ transaction: OpenTransaction, _ grant: WriteGrant
    ) throws -> (RealmCoordinator.Handle, WriteCommitReply) {
        for _ in 0..<5 {
            do {
                let handle = try coordinator.handle()
                let outcome = try handle.link.call(
                    WriteOutcome(realm: handle.realm, uid: transaction.uid, after: grant.reply.version))
                if let version = outcome.version {
                    let pinned = try handle.link.call(SnapshotPin(realm: handle.realm))
                    return (
                        handle,
                        WriteCommitReply(
                            version: version, pin: pinned.pin, generation: pinned.generation, own: version)
                    )
                }
                guard let parts = transaction.recorder.repeatable else { break }
                let reply = try handle.link.call(
                    WriteCommit(
                        realm: handle.realm, changes: Bytes(Array(parts.joined())), uid: transaction.uid,
                        ifVersion: grant.reply.version))
                return (handle, reply)
            } catch let error as WireError where error.code == .versionChanged {
                break
            } catch let error as WireError where error.meansAgentIsGone {
                continue
            }
        }
        throw Realm.Error(
            .fail,
            "The transaction was not written: the connection to the agent was lost, and the Realm has changed since "
                + "or the transaction was too large to be repeated.", path: coordinator.settings.path)
    }

    /// Undoes everything since `beginWrite`.
    func cancelWrite() {
        check()
        guard isInWrite, let transaction else { fail(.notInWriteTransaction("cancel")) }
        rollBack(transaction)
    }

    func rollBack(_ transaction: OpenTransaction) {
        self.transaction = nil
        takeSnapshotBack()
        var firstNewKeys: [TableId: Int64] = [:]
        // Provisional keys are never given out again.
        for (table, overlay) in transaction.recorder.overlays where overlay.newKeyCount > 0 && !overlay.isProvisional {
            firstNewKeys[table] = overlay.firstNewKey
        }
        cancelled.insert(transaction.firstGeneration...access.pointee.generation, firstNewKeys)
        transaction.cancel()
        bumpGeneration()
    }

    // MARK: Advancing

    /// Goes to the newest version and delivers what is due. False if there was none newer.
    @discardableResult
    func refresh() -> Bool {
        check()
        if isFrozen || isReadOnly { fail(.doesNotChange("refresh")) }
        // The begin of a write delivers, too.
        if notifiers.isDelivering { return false }
        if isInWrite { fail(Mistake("Cannot refresh inside a write transaction: already in a write transaction.")) }
        finishCommit()
        do {
            return try advance(to: try coordinator.pinNewest())
        } catch Realm.Error.schemaMismatch {
            warnOfMigration()
            return false
        } catch {
            // Without an agent there is no newer version to be had.
            return false
        }
    }

    /// Says, once, why the realm doesn't advance any more.
    private func warnOfMigration() {
        if hasWarnedOfMigration { return }
        hasWarnedOfMigration = true
        warn(
            "The Realm at '\(coordinator.settings.path)' stays at version \(version): another process has migrated the "
                + "file. Writing throws Realm.Error.schemaMismatch.")
    }

    /// Goes to a version if it is newer, and delivers what is due.
    @discardableResult
    func advance(to target: RealmCoordinator.Grant) throws -> Bool {
        finishCommit()
        let isNewer = target.version > snapshot.version
        guard isNewer || target.generation > grant.generation else {
            deliverNotifications()
            return false
        }
        let (snapshot, grant) = try fittingSnapshot(target)
        move(to: snapshot, grant)
        deliverNotifications()
        return isNewer
    }

    func invalidate() {
        check()
        if isFrozen { fail(.frozen("invalidate")) }
        finishCommit()
        if let transaction {
            warn("invalidate() cancels the open write transaction of the Realm at '\(coordinator.settings.path)'.")
            rollBack(transaction)
        }
        dropSnapshot()
    }

    // MARK: Waking

    /// Whether a new version is delivered here without being asked for.
    var canBeWoken: Bool { scheduler != nil && !isFrozen && !isReadOnly }

    /// Something new has been announced: looks at it in a next turn. Any thread.
    func wake() {
        guard canBeWoken, let scheduler else { return }
        let mustWake = wakeFlag.withLock { flag in
            defer { flag = true }
            return !flag
        }
        if mustWake { scheduler.wake() }
    }

    /// The turn has come.
    func woken() {
        wakeFlag.withLock { $0 = false }
        runScheduledWork()
        notifiers.removeEnded()
        // The end of a commit has a turn of its own.
        guard transaction == nil, !notifiers.isDelivering else { return }
        let newest = coordinator.newest
        if autorefresh {
            do {
                try advance(to: newest)
            } catch Realm.Error.schemaMismatch {
                warnOfMigration()
            } catch {
                warn("The Realm at '\(coordinator.settings.path)' could not advance: \(error)")
            }
        } else {
            deliverNotifications()
            if newest.version > snapshot.version { notifiers.sendRefreshRequired(self) }
        }
    }
}
