/// Keeps an observation alive: it ends when the token is released or invalidated.
open class NotificationToken: @unchecked Sendable {
    private let end: Lock<(@Sendable () -> Void)?>

    /// An observation that `end` ends; called once.
    package init(end: (@Sendable () -> Void)?) {
        self.end = Lock(end)
    }

    deinit {
        invalidate()
    }

    /// Ends the observation. No callback runs afterwards on the thread that calls this.
    open func invalidate() {
        let end = end.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
    }
}
