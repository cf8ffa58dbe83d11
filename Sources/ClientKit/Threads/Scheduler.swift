import Dispatch
import Foundation

/// Runs a realm's deliveries where the realm lives.
final class Scheduler: @unchecked Sendable {
    // Nothing changes after `init`; setting a timer's date and invalidating it is what Foundation allows other threads.
    private enum Way {
        case queue(DispatchQueue)
        case actor(any Actor)
        case runLoop(Timer)
    }

    private let way: Way

    /// nil where nothing can be delivered: a thread without a running run loop.
    init?(_ confinement: Confinement, _ work: @escaping @Sendable () -> Void) {
        self.work = work
        switch confinement {
        case .main: way = .queue(.main)
        case .queue(let queue): way = .queue(queue)
        case .actor(let actor): way = .actor(actor)
        case .thread:
            guard let timer = Self.timer(work) else { return nil }
            way = .runLoop(timer)
        case .none: return nil
        }
    }

    private let work: @Sendable () -> Void

    deinit {
        if case .runLoop(let timer) = way { timer.invalidate() }
    }

    /// A timer that never fires by itself. Setting its date is the one way from another thread that wakes a run loop
    /// of Foundation on Linux.
    private static func timer(_ work: @escaping @Sendable () -> Void) -> Timer? {
        guard RunLoop.current.currentMode != nil else { return nil }
        let timer = Timer(fire: .distantFuture, interval: 1e9, repeats: true) { @Sendable _ in work() }
        RunLoop.current.add(timer, forMode: .common)
        return timer
    }

    /// Runs the work in a next turn. Any thread.
    func wake() {
        switch way {
        case .queue(let queue): queue.async(execute: work)
        case .actor(let actor):
            let work = work
            Task { await Self.run(work, on: actor) }
        case .runLoop(let timer): timer.fireDate = Date()
        }
    }

    private static func run(_ work: @Sendable () -> Void, on actor: isolated any Actor) {
        work()
    }
}
