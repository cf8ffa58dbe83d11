/// A timer of a scheduler: a one-shot or repeating call.
@LoopActor
package protocol ScheduledTimer: AnyObject, Sendable {
    /// Due in `delay`, then every `interval` if there is one. Starting anew replaces the earlier due time.
    func start(after delay: Duration, repeating interval: Duration?)
    /// Not due any more; may be started again.
    func cancel()
    /// The action isn't called any more, and is freed.
    func close()
}

/// Time and timers: the loop's, or ones that a test moves by hand.
@LoopActor
package protocol Scheduler: AnyObject, Sendable {
    /// Time since a moment that stays the same. Never goes back.
    var now: Duration { get }
    /// A timer that calls `action` when due. It doesn't run before `start`, and must be closed in the end.
    func timer(_ action: @escaping @LoopActor () -> Void) -> any ScheduledTimer
}

extension LoopTimer: ScheduledTimer {}

/// The loop's own time.
package final class LoopScheduler: Scheduler {
    private let start = ContinuousClock.now

    package init() {}

    package var now: Duration { ContinuousClock.now - start }

    package func timer(_ action: @escaping @LoopActor () -> Void) -> any ScheduledTimer { LoopTimer(action) }
}
