import Foundation
import Wire

/// A commit on its way to the disk. Until it is there its realm shows the transaction's changes as it did before.
final class CommitUnderWay: @unchecked Sendable {
    // What changes is guarded by `condition`.
    typealias Outcome = Result<(RealmCoordinator.Handle, WriteCommitReply), any Error>

    let transaction: OpenTransaction
    private var outcome: Outcome?
    private let condition = NSCondition()

    init(_ transaction: OpenTransaction) {
        self.transaction = transaction
    }

    func fulfil(_ outcome: Outcome) {
        condition.lock()
        defer { condition.unlock() }
        self.outcome = outcome
        condition.broadcast()
    }

    /// Waits until it is there, or has failed.
    func wait() -> Outcome {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let outcome { return outcome }
            condition.wait()
        }
    }
}
