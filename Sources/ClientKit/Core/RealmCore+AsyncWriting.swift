import Dispatch

extension RealmCore {
    /// Asks for the write lock in the background and calls `then` there when the answer is known.
    private func requestGrant(_ then: @escaping @Sendable (PendingGrant) -> Void) {
        let pending = PendingGrant()
        pendingGrants.append(pending)
        let coordinator = coordinator
        waiters.async {
            pending.fulfil(Result { try WriteGrant.wait(coordinator) })
            then(pending)
        }
    }

    /// Waits for the write lock without blocking this thread, and begins.
    func beginWriteWaiting(_isolation: isolated (any Actor)? = #isolation) async throws {
        check()
        if isFrozen { fail(.frozen("begin a write transaction")) }
        if isReadOnly { fail(.readOnly("begin a write transaction")) }
        while true {
            let pending = await withCheckedContinuation { continuation in
                requestGrant { continuation.resume(returning: $0) }
            }
            pendingGrants.removeAll { $0 === pending }
            // A synchronous write came first and took the lock: asks again.
            guard let outcome = pending.take() else { continue }
            let grant = try Result { try outcome.get() }.mapError { Realm.Error($0, path: coordinator.settings.path) }
                .get()
            if Task.isCancelled {
                grant.giveBack()
                throw CancellationError()
            }
            try begin(grant)
            return
        }
    }

    // MARK: With completions

    func enqueueAsyncWrite(
        _ block: @escaping () -> Void, onFailure: @escaping (any Error) -> Void
    ) -> UInt32 {
        check()
        if isFrozen { fail(.frozen("begin a write transaction")) }
        if isReadOnly { fail(.readOnly("begin a write transaction")) }
        ensureScheduler()
        if !canBeWoken { fail(.needsRunLoop) }
        let id = asyncWrites.nextId()
        asyncWrites.append(AsyncWriteQueue.Entry(id: id, begin: block, fail: onFailure))
        startNextAsyncWrite()
        return id
    }

    private func startNextAsyncWrite() {
        guard asyncWrites.running == nil, let next = asyncWrites.waiting.first else { return }
        asyncWrites.running = next.id
        requestGrant { [self] pending in perform { [self] in run(next: pending) } }
    }

    private func run(next pending: PendingGrant) {
        pendingGrants.removeAll { $0 === pending }
        asyncWrites.running = nil
        defer { startNextAsyncWrite() }
        guard let outcome = pending.take() else { return }
        guard let entry = asyncWrites.next() else {
            // Cancelled meanwhile.
            try? outcome.get().giveBack()
            return
        }
        do {
            try begin(outcome.get())
        } catch {
            return entry.fail(Realm.Error(error, path: coordinator.settings.path))
        }
        entry.begin()
        if isInWrite { cancelWrite() }
    }

    func commitAsyncWrite(_ onComplete: (((any Error)?) -> Void)?) -> UInt32 {
        let id = asyncWrites.nextId()
        commitInBackground { [self] error in
            guard asyncWrites.committing.removeValue(forKey: id) == true else { return }
            onComplete?(error)
        }
        asyncWrites.committing[id] = true
        return id
    }

    /// Runs something in a next turn of this realm's place.
    func perform(_ work: @escaping @Sendable () -> Void) {
        scheduledWork.withLock { $0.append(work) }
        scheduler?.wake()
    }

    /// Runs what has been scheduled. In the realm's place.
    func runScheduledWork() {
        let work = scheduledWork.withLock { work in
            defer { work = [] }
            return work
        }
        for item in work { item() }
    }
}
