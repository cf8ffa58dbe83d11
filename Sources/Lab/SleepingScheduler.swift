import EventLoop

/// The time of a machine that may sleep: what is due meanwhile is done when it wakes up.
@LoopActor
final class SleepingScheduler: Scheduler {
    private let time: ManualScheduler
    private var isAsleep = false
    private var missed: [SleepingTimer] = []

    init(_ time: ManualScheduler) { self.time = time }

    var now: Duration { time.now }

    func timer(_ action: @escaping @LoopActor () -> Void) -> any ScheduledTimer {
        let timer = SleepingTimer(action)
        timer.base = time.timer { [unowned self, weak timer] in
            guard let timer else { return }
            if isAsleep {
                timer.isMissed = true
                missed.append(timer)
            } else {
                timer.action?()
            }
        }
        return timer
    }

    func sleep() { isAsleep = true }

    func wake() {
        isAsleep = false
        let due = missed
        missed = []
        // One may make another one pointless.
        for timer in due where timer.isMissed {
            timer.isMissed = false
            timer.action?()
        }
    }
}

@LoopActor
private final class SleepingTimer: ScheduledTimer {
    fileprivate var action: (@LoopActor () -> Void)?
    fileprivate var base: (any ScheduledTimer)?
    fileprivate var isMissed = false

    init(_ action: @escaping @LoopActor () -> Void) { self.action = action }

    func start(after delay: Duration, repeating interval: Duration?) {
        isMissed = false
        base?.start(after: delay, repeating: interval)
    }

    func cancel() {
        isMissed = false
        base?.cancel()
    }

    func close() {
        cancel()
        base?.close()
        base = nil
        action = nil
    }
}
