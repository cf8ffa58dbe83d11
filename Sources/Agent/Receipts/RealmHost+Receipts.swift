import EventLoop
import History
import Model
import Sync
import Wire

// What becomes of commits, for those who wait for it.
extension RealmHost {
    /// Looks what became of the commits that are waited for, on the writer thread: whenever something may have.
    func lookAtFates() {
        guard !fateWaits.isEmpty else { return }
        guard !isLookingAtFates else {
            looksAtFatesAgain = true
            return
        }
        isLookingAtFates = true
        let waits = fateWaits
        let versions = waits.map(\.version)
        // It must be there when the answer comes.
        guests += 1
        writer.perform { writer in
            let fates = Result { try versions.map { try writer.history?.fate(of: $0) } }
                .mapError { WireError(reporting: $0, path: self.path) }
            EventLoop.shared.post {
                self.isLookingAtFates = false
                self.didLook(waits, fates)
                if self.looksAtFatesAgain {
                    self.looksAtFatesAgain = false
                    self.lookAtFates()
                }
                self.leave()
            }
        }
    }

    private func didLook(_ waits: [FateWait], _ fates: Result<[CommitFate?], WireError>) {
        switch fates {
        case .failure(let error): for wait in waits { wait.end(.failure(error)) }
        case .success(let fates): for (wait, fate) in zip(waits, fates) where !wait.isOver { tell(wait, fate) }
        }
    }

    private func tell(_ wait: FateWait, _ fate: CommitFate?) {
        switch fate {
        case .rejected(let rejection): return wait.end(.success(ReceiptWaitReply(rejection)))
        case .uploaded: return wait.end(.success(ReceiptWaitReply(state: .uploaded)))
        case .forgotten:
            let error = WireError(
                .outcomeUnknown,
                "the realm doesn't remember any more whether version \(wait.version) was rejected",
                facts: ["path": .string(path), "after": .int64(Int64(clamping: wait.version))])
            return wait.end(.failure(error))
        case .waiting, nil: break
        }
        if wait.until == .durable || wait.isLate { return wait.end(.success(ReceiptWaitReply(state: .durable))) }
        if let obstacle { wait.end(.failure(obstacle)) }
    }

    /// Why nothing will be uploaded unless somebody does something; nil while it will.
    private var obstacle: WireError? {
        if isDraining { return WireError(.shuttingDown, "the agent is shutting down") }
        if isReplaced { return replacedError }
        guard let sync else { return notSynced }
        if sync.isStopped { return sync.failure(nil) }
        if let error = sync.lastError, error.isFatal { return sync.failure(error) }
        return nil
    }

    /// What is said of a realm that isn't synced, or not by a user who is known here.
    var notSynced: WireError {
        WireError(
            .notSynced,
            origin.map { "user \($0.user) of the realm at \(path) isn't known here; log in" }
                ?? "the realm at \(path) isn't synced", facts: ["path": .string(path)])
    }

    /// Those who wait learn that the realm isn't synced any more, unless what they wait for has happened.
    func endFateWaits(_ error: WireError) {
        for wait in fateWaits { wait.end(.failure(error)) }
    }
}

extension ReceiptWaitReply {
    fileprivate init(_ rejection: Rejection) {
        self.init(
            state: .rejected, reason: rejection.message,
            rejected: rejection.objects.map {
                RejectedObject(className: $0.name.className, key: $0.name.key, reason: $0.reason)
            })
    }
}

extension SyncedRealm {
    /// The server has left out changes: that is on disk before the server's word that it has the rest.
    func didReject(_ version: Int64, _ updates: [RejectedUpdate], _ message: String) {
        guard version > 0, !host.isDraining else { return }
        let host = self.host
        let rejection = Rejection(version: UInt64(version), updates, message: message)
        host.exclusively(
            { try $0.history?.note(rejection) },
            completion: { outcome in
                if case .failure(let error) = outcome {
                    AgentLog.write("\(host.path): sync: what was rejected can't be noted: \(error)")
                }
                host.lookAtFates()
            })
    }
}
