import Model
import Store
import Wire

// Write transactions without the write lock: docs/decisions/003-commits-in-one-request.md.
extension RealmCore {
    /// Begins a transaction without asking the agent. False if this instance has to begin it with the lock.
    func beginBlind() throws -> Bool {
        // Observers are told of what others did before the block runs, which takes the version that the lock is for;
        // and an asynchronous write that waits for the lock on behalf of this instance comes first.
        guard notifiers.isEmpty, pendingGrants.isEmpty else { return false }
        coordinator.writeTurn.begin()
        let newest = coordinator.newest
        if newest.version > snapshot.version, newest.generation == grant.generation {
            do {
                let (snapshot, grant) = try fittingSnapshot(newest)
                move(to: snapshot, grant)
            } catch {
                coordinator.writeTurn.end()
                throw error
            }
        }
        setSnapshotAside()
        transaction = OpenTransaction(blind: coordinator, firstGeneration: access.pointee.generation)
        return true
    }

    /// Must come before anything is read, or changed, that the transaction hasn't created itself.
    @inline(__always)
    package func settle() {
        if transaction?.isBlind == true { takeLock() }
    }

    /// `settle`, and the key by which the object will be known, for a key that may be provisional.
    package func settled(_ info: ClassInfo, _ key: ObjectKey) -> ObjectKey {
        settle()
        return transaction?.recorder.settled(info, key) ?? key
    }

    /// Waits for the write lock, goes over to the newest version and gives new objects their keys there. If that fails,
    /// the version that is there is read, and committing will say what happened.
    func takeLock() {
        guard let transaction, transaction.isBlind, let aside else { return }
        do {
            let lock = try WriteGrant.request(coordinator)
            let granted = lock.granted
            var (snapshot, used) = (aside, granted)
            if granted.generation != grant.generation || granted.version != aside.version {
                do {
                    (snapshot, used) = try fittingSnapshot(granted)
                    coordinator.note(used, on: lock.handle)
                } catch {
                    lock.cancel()
                    throw error
                }
            }
            // From here on the lock counts as had: nothing below may come back here.
            transaction.recorder.isBlind = false
            move(to: snapshot, used)
            if snapshot.version != aside.version { checkCreated(transaction) }
            transaction.settle(lock)
        } catch {
            transaction.fail(Realm.Error(error, path: coordinator.settings.path))
            move(to: aside, grant)
        }
    }

    /// Whether others have made objects meanwhile with the keys of those that were created here: they came first.
    private func checkCreated(_ transaction: OpenTransaction) {
        for overlay in transaction.recorder.overlays.values where overlay.isProvisional {
            for row in overlay.rows.indices {
                let key = overlay.newPrimaryKey(row)
                if overlay.info.reader.find(key) != nil { fail(.primaryKeyExists(overlay.info.name, key.text)) }
            }
        }
    }

    // MARK: Creating

    /// As `find`, for a key that an object is to be created with if it is free. A blind transaction stays blind if the
    /// key is free as far as is known here; when it isn't by the time of the commit, that traps.
    package func find(_ info: ClassInfo, toCreate key: PrimaryKey) -> ObjectKey? {
        guard let transaction, transaction.isBlind, let aside else { return find(info, key) }
        let overlay = transaction.recorder.overlay(info)
        if let created = overlay?.newObject(key) { return created }
        if let greatest = overlay?.greatestStoredKey(in: aside.table(info.table.id)), greatest.precedes(key) {
            return nil
        }
        let table = aside.table(info.table.id)
        guard table.count > 0, table.find(key) != nil else { return nil }
        return find(info, key)
    }

    /// Called for each accessor that is made for a key: the key it is to have.
    @inline(__always)
    func admit(_ object: ObjectBase, _ info: ClassInfo, _ key: ObjectKey) -> ObjectKey {
        key.isProvisional ? admitProvisional(object, info, key) : key
    }

    private func admitProvisional(_ object: ObjectBase, _ info: ClassInfo, _ key: ObjectKey) -> ObjectKey {
        guard let transaction else { return key }
        if transaction.isBlind, transaction.hasManyAccessors { takeLock() }
        if transaction.isBlind {
            transaction.note(provisional: object)
            return key
        }
        return transaction.recorder.settled(info, key)
    }

    // MARK: Ending

    /// Commits in one request.
    func commitBlind(_ transaction: OpenTransaction) throws {
        if transaction.recorder.isEmpty {
            // Like any write, it leaves the realm at the newest version.
            endBlind(transaction)
            if let newest = try? coordinator.pinNewest() { try advance(to: newest) }
            return
        }
        let handle: RealmCoordinator.Handle
        let reply: WriteCommitReply
        do {
            (handle, reply) = try committed(transaction)
        } catch let error as WireError where error.code == .objectExists {
            refuseExisting(transaction, error)
        } catch {
            rollBack(transaction)
            // What doesn't fit may not fit because another process has migrated the file: then that is what to say.
            if (error as? WireError)?.code == .badChangeset, let newest = try? coordinator.pinNewest() {
                try advance(to: newest)
            }
            throw Realm.Error(error, path: coordinator.settings.path)
        }
        let base = aside?.version ?? 0
        endBlind(transaction)
        adopt(reply, handle, skipping: [])
        nameCreated(transaction, after: base)
    }

    private func endBlind(_ transaction: OpenTransaction) {
        self.transaction = nil
        takeSnapshotBack()
        transaction.end()
    }

    private func committed(_ transaction: OpenTransaction) throws -> (RealmCoordinator.Handle, WriteCommitReply) {
        let bytes = Bytes(transaction.recorder.takeBytes())
        var isRepeated = false
        // It can only come after what was known before it was first sent.
        var known: UInt64 = 0
        for _ in 0..<5 {
            do {
                let handle = try coordinator.handle()
                if isRepeated {
                    let outcome = try handle.link.call(
                        WriteOutcome(realm: handle.realm, uid: transaction.uid, after: known))
                    if let version = outcome.version {
                        let pinned = try handle.link.call(SnapshotPin(realm: handle.realm))
                        return (
                            handle,
                            WriteCommitReply(
                                version: version, pin: pinned.pin, generation: pinned.generation, own: version)
                        )
                    }
                }
                if !isRepeated { known = coordinator.newest.version }
                isRepeated = true
                // The next thread of this process may begin when this has been sent: what it asks comes later.
                let reply = try handle.link.call(
                    WriteCommit(realm: handle.realm, changes: bytes, uid: transaction.uid, mustCreate: true),
                    whenSent: transaction.end)
                return (handle, reply)
            } catch let error as WireError where error.meansAgentIsGone {
                continue
            }
        }
        throw WireError(.connectionLost, "the agent went away again and again; nothing was written")
    }

    /// Another process has made an object with one of the keys before this transaction could be committed.
    private func refuseExisting(_ transaction: OpenTransaction, _ error: WireError) -> Never {
        rollBack(transaction)
        guard case .string(let name)? = error.facts["class"], let key = error.facts["key"] else {
            fail(Mistake("The object already exists: \(error.message)"))
        }
        fail(.primaryKeyExists(name, key.keyText))
    }

    /// Gives the objects that a blind transaction has created, as far as the app still has them, the keys that they got.
    private func nameCreated(_ transaction: OpenTransaction, after base: UInt64) {
        var objects = transaction.takeProvisionalAccessors()
        guard !objects.isEmpty else { return }
        let uid = TransactionUID(transaction.uid)
        var later: ChangeSummary?
        if snapshot.version > base + 1, let own = snapshot.version(of: uid, after: base), own < snapshot.version {
            later = snapshot.changes(after: own)
        }
        while var object = objects.popLast() {
            guard let info = object._rlmModel?.info, let persisted = object._rlmModel?.persisted else { continue }
            // Nobody would see it, unless through one of its collections.
            if persisted.collections.isEmpty, isKnownUniquelyReferenced(&object) { continue }
            guard let overlay = transaction.recorder.overlay(info), let row = overlay.row(of: object._rlmKey),
                let key = info.reader.find(overlay.newPrimaryKey(row)),
                // Deleted meanwhile, and another was made with its primary key.
                later?.tables[info.table.id]?.insertions.contains(key) != true
            else { continue }
            object._rename(to: key)
        }
    }
}

extension TransactionUID {
    init(_ id: UniqueId) {
        self = withUnsafeBytes(of: id.uuid.uuid) {
            TransactionUID(
                high: $0.loadUnaligned(as: UInt64.self), low: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
    }
}

extension BSONValue {
    /// A primary key, for messages.
    fileprivate var keyText: String {
        switch self {
        case .null: "nil"
        case .int64(let value): "\(value)"
        case .int32(let value): "\(value)"
        case .string(let value): value
        case .objectId(let value): value.description
        default: "\(self)"
        }
    }
}
