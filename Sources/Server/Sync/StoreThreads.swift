import Dispatch
import EventLoop

/// Where the work on realms is done: beside the loop, or, for a simulation, on it.
package enum StoreThreads: Sendable {
    /// One job of a realm after the other, realms side by side on the system's pool of threads.
    case pool
    /// Each job as a timer of its own: a run depends on nothing but the scheduler.
    case loop(any Scheduler)
}

/// Does jobs one after another, and calls back on the loop.
@LoopActor
final class StoreLine {
    private enum Kind {
        case queue(DispatchQueue)
        case loop(any Scheduler)
    }

    private let kind: Kind

    init(_ threads: StoreThreads, name: String) {
        switch threads {
        case .pool: kind = .queue(DispatchQueue(label: name))
        case .loop(let scheduler): kind = .loop(scheduler)
        }
    }

    /// Queues a job. `completion` is called later with what it returns, in the order of the jobs.
    func perform<Result: Sendable>(
        _ job: @escaping @Sendable () -> Result, completion: @escaping @LoopActor (Result) -> Void
    ) {
        switch kind {
        case .queue(let queue):
            queue.async {
                let result = job()
                EventLoop.shared.post { completion(result) }
            }
        case .loop(let scheduler):
            let once = OneShot()
            let timer = scheduler.timer {
                once.timer?.close()
                once.timer = nil
                completion(job())
            }
            once.timer = timer
            timer.start(after: .zero, repeating: nil)
        }
    }

    @LoopActor
    private final class OneShot {
        var timer: (any ScheduledTimer)?
    }
}
