/// Time that passes only when told to. Timers that are due at one moment run in the order in which they were started.
@LoopActor
package final class ManualScheduler: Scheduler {
    package private(set) var now: Duration = .zero
    private var due: [Entry] = []

    private struct Entry {
        var time: Duration
        let timer: ManualTimer
    }

    package init() {}

    package func timer(_ action: @escaping @LoopActor () -> Void) -> any ScheduledTimer {
        ManualTimer(self, action)
    }

    /// When the next timer is due.
    package var nextDue: Duration? { due.first?.time }

    /// Lets the next timer run, and the time be what it was set to. False: there is none.
    @discardableResult
    package func step() -> Bool {
        guard let entry = due.first else { return false }
        due.removeFirst()
        now = max(now, entry.time)
        entry.timer.fire()
        return true
    }

    /// Lets `duration` pass, and everything run that is due in it.
    package func advance(by duration: Duration) {
        let end = now + duration
        while let next = nextDue, next <= end { step() }
        now = end
    }

    /// Runs what is due now. With `limit`, a system that never comes to rest is an end as well: false.
    @discardableResult
    package func settle(limit: Int = 1_000_000) -> Bool {
        for _ in 0..<limit {
            guard let next = nextDue, next <= now else { return true }
            step()
        }
        return false
    }

    fileprivate func insert(_ timer: ManualTimer, at time: Duration) {
        var low = 0
        var high = due.count
        while low < high {
            let middle = (low + high) / 2
            if due[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        due.insert(Entry(time: time, timer: timer), at: low)
    }

    fileprivate func remove(_ timer: ManualTimer) {
        due.removeAll { $0.timer === timer }
    }
}

@LoopActor
private final class ManualTimer: ScheduledTimer {
    private weak var scheduler: ManualScheduler?
    private var action: (@LoopActor () -> Void)?
    private var interval: Duration?
    private var isDue = false

    init(_ scheduler: ManualScheduler, _ action: @escaping @LoopActor () -> Void) {
        self.scheduler = scheduler
        self.action = action
    }

    func start(after delay: Duration, repeating interval: Duration?) {
        guard let scheduler, action != nil else { return }
        cancel()
        self.interval = interval
        isDue = true
        scheduler.insert(self, at: scheduler.now + max(.zero, delay))
    }

    func cancel() {
        guard isDue else { return }
        isDue = false
        scheduler?.remove(self)
    }

    func close() {
        cancel()
        action = nil
    }

    func fire() {
        isDue = false
        if let interval { start(after: interval, repeating: interval) }
        action?()
    }
}
