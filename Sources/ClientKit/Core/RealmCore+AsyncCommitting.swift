import Dispatch

// Commits for which the realm's thread doesn't wait.
extension RealmCore {
    /// Makes the open transaction durable in the background. The realm shows its changes meanwhile, and is in no
    /// transaction any more; `completion` runs in a next turn, with the reason if they could not be stored.
    ///
    /// Whatever can't be done on top of changes that are neither in the file nor in a transaction waits for the disk:
    /// see `finishCommit`.
    func commitInBackground(_ completion: @escaping ((any Error)?) -> Void) {
        check()
        guard isInWrite, transaction != nil else { fail(.notInWriteTransaction("commit")) }
        ensureScheduler()
        if !canBeWoken { fail(.needsRunLoop) }
        settle()
        guard let transaction else { return }
        let box = UnsafeTransfer(completion)
        if transaction.recorder.isEmpty, transaction.failure == nil {
            self.transaction = nil
            transaction.cancel()
            return perform { box.value(nil) }
        }
        let commit = CommitUnderWay(transaction)
        commitUnderWay = commit
        let bytes = transaction.recorder.takeBytes()
        DispatchQueue.global(qos: .userInitiated).async { [self] in
            let outcome = Result { try committed(transaction, bytes) }
            transaction.end()
            commit.fulfil(outcome)
            perform { [self] in
                if commitUnderWay === commit { finishCommit() }
                if case .failure(let error) = outcome {
                    box.value(Realm.Error(error, path: coordinator.settings.path))
                } else {
                    box.value(nil)
                }
            }
        }
    }

    /// As `commitInBackground`, suspending until it is done.
    func commitWriteWaiting(_isolation: isolated (any Actor)? = #isolation) async throws {
        let failure = await withCheckedContinuation { continuation in
            commitInBackground { continuation.resume(returning: $0) }
        }
        if let failure { throw failure }
    }

    /// Waits for the commit that is under way, if one is, and goes over to the version that it makes, or back.
    func finishCommit() {
        guard let commit = commitUnderWay else { return }
        let outcome = commit.wait()
        commitUnderWay = nil
        switch outcome {
        case .success(let (handle, reply)):
            transaction = nil
            adopt(reply, handle, skipping: [])
        case .failure: rollBack(commit.transaction)
        }
    }
}
