/// Keeps an observation alive: it ends when the token is released or invalidated.
open class NotificationToken: @unchecked Sendable {
    // Unchecked since subclasses are others'; what this class has is constant or behind a lock.
    let observation: Observation?
    private let end: Lock<(@Sendable () -> Void)?>

    init(_ observation: Observation) {
        self.observation = observation
        end = Lock { observation.end() }
    }

    /// An observation that `end` ends; called once. nil: one that never began.
    package init(end: (@Sendable () -> Void)?) {
        observation = nil
        self.end = Lock(end)
    }

    deinit {
        finish()
    }

    /// Ends the observation. No callback runs afterwards on the thread that calls this.
    open func invalidate() {
        finish()
    }

    private func finish() {
        let end = end.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
    }
}
