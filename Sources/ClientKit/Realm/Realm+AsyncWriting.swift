import Dispatch

/// Names an asynchronous write.
public typealias AsyncTransactionId = UInt32

extension Realm {
    /// Runs `block` in a write transaction as soon as the lock can be had, without blocking this thread meanwhile.
    ///
    /// Needs a run loop, a queue or the main thread. `onComplete` runs there when the changes are on disk, or with
    /// the error that prevented it.
    @discardableResult
    public func writeAsync(_ block: @escaping () -> Void, onComplete: ((Swift.Error?) -> Void)? = nil)
        -> AsyncTransactionId
    {
        core.enqueueAsyncWrite {
            block()
            if core.isInWrite { commitAsyncWrite(onComplete) }
        } onFailure: { error in
            onComplete?(error)
        }
    }

    /// Runs `block` when the write lock is held. If it doesn't commit, the transaction is rolled back. If the lock can't
    /// be had, the block doesn't run, and a warning is written.
    @discardableResult
    public func beginAsyncWrite(_ block: @escaping () -> Void) -> AsyncTransactionId {
        core.enqueueAsyncWrite(block) { error in
            warn("An asynchronous write could not begin: \(error.localizedDescription)")
        }
    }

    /// Commits in the background. The changes are visible to this instance at once; `onComplete` runs in a next turn,
    /// when they are on disk, or with the error if they could not be stored: then they are gone. Commits of several
    /// processes share disk syncs anyway, so `allowGrouping` has no effect.
    @discardableResult
    public func commitAsyncWrite(allowGrouping: Bool = false, _ onComplete: ((Swift.Error?) -> Void)? = nil)
        -> AsyncTransactionId
    {
        core.commitAsyncWrite(onComplete)
    }

    /// Takes back a write that hasn't begun, or silences the completion of one that is being committed.
    public func cancelAsyncWrite(_ id: AsyncTransactionId) throws {
        core.check()
        core.asyncWrites.cancel(id)
    }

    /// Whether asynchronous writes wait or run.
    public var isPerformingAsynchronousWriteOperations: Bool {
        core.check()
        return core.asyncWrites.isBusy
    }

    /// Runs `block` in a write transaction, suspending instead of blocking while others write, and while it is brought to
    /// disk. For realms of the main thread or an actor.
    ///
    /// - Throws: `CancellationError` if the task was cancelled before the block ran; then nothing is written.
    @discardableResult
    public func asyncWrite<Result>(
        _isolation: isolated (any Actor)? = #isolation, _ block: () throws -> Result
    ) async throws -> Result {
        core.checkMainOrActor("asyncWrite")
        try Task.checkCancellation()
        try await core.beginWriteWaiting()
        let result: Result
        do {
            result = try block()
        } catch {
            if core.isInWrite { core.cancelWrite() }
            throw error
        }
        if core.isInWrite { try await core.commitWriteWaiting() }
        return result
    }
}
