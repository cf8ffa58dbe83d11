import EventLoop
import Foundation

/// Runs password jobs on a few threads of their own: each takes a tenth of a second and 64 MiB.
@LoopActor
final class PasswordQueue {
    /// Jobs that wait or run; more are refused, so that guessing can't fill the memory.
    static let limit = 64

    private let queue: OperationQueue
    private(set) var count = 0

    init(threads: Int) {
        queue = OperationQueue()
        queue.name = "reeve-passwords"
        queue.maxConcurrentOperationCount = threads
    }

    /// Runs a job and calls back on the loop. False: there are too many.
    func run(_ job: PasswordJob, completion: @escaping @LoopActor (PasswordJob.Outcome) -> Void) -> Bool {
        guard count < Self.limit else { return false }
        count += 1
        queue.addOperation {
            let outcome = job.run()
            EventLoop.shared.post { [self] in
                count -= 1
                completion(outcome)
            }
        }
        return true
    }
}
