/// The link between a token and a notifier, which may live on another queue.
final class Observation: @unchecked Sendable {
    // Everything that changes is in `state`; the notifier is used in its core's confinement only.
    private struct State {
        var isEnded = false
        var core: RealmCore?
        var notifier: Notifier?
    }

    private let state = Lock(State())

    /// Registers what `make` returns, unless the token is gone already. Inside the core's confinement.
    func begin(_ core: RealmCore, _ make: () -> Notifier) {
        guard !isEnded else { return }
        let notifier = make()
        notifier.observation = self
        state.withLock { state in
            state.core = core
            state.notifier = notifier
        }
        core.notifiers.add(notifier)
        core.wake()
    }

    var isEnded: Bool { state.withLock(\.isEnded) }

    /// The core that observes, once it does.
    var core: RealmCore? { state.withLock(\.core) }
    var notifier: Notifier? { state.withLock(\.notifier) }

    /// No callback follows on this thread. The notifier is dropped where it lives.
    func end() {
        let (core, notifier) = state.withLock { state in
            state.isEnded = true
            defer { (state.core, state.notifier) = (nil, nil) }
            return (state.core, state.notifier)
        }
        if notifier != nil { core?.dropEndedNotifiers() }
    }
}
