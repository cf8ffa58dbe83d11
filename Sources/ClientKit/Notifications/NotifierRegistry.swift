/// The observations of one realm instance. Used inside its confinement only.
final class NotifierRegistry {
    private(set) var notifiers: [Notifier] = []
    private(set) var isDelivering = false
    /// The newest version that this instance itself committed.
    var ownVersion: UInt64 = 0

    var isEmpty: Bool { notifiers.isEmpty }

    func add(_ notifier: Notifier) {
        notifiers.append(notifier)
    }

    /// Forgets those whose tokens are gone.
    func removeEnded() {
        // Their blocks may hold the last references to much: what that sets off finds the list as it is then.
        let ended = notifiers.filter(\.isEnded)
        withExtendedLifetime(ended) { if !ended.isEmpty { notifiers.removeAll { $0.isEnded } } }
    }

    /// Tells every observer what is new to it.
    func deliver(_ core: RealmCore) {
        guard !isDelivering, !notifiers.isEmpty else { return }
        let version = core.version
        guard notifiers.contains(where: { $0.isDue || $0.seen.snapshot.version != version }) else { return }
        isDelivering = true
        defer { isDelivering = false }
        var calls: [(Notifier, () -> Void)] = []
        var views: [UInt64: ChangeView] = [:]
        for notifier in notifiers {
            if let call = advance(notifier, core, &views) { calls.append((notifier, call)) }
        }
        // All states are taken before the first call: a callback may write, and so move the realm.
        for (notifier, call) in calls where !notifier.isEnded { call() }
    }

    /// Lets observers take in the present version without telling them.
    func advanceSilently(_ skipped: [Notifier], _ core: RealmCore) {
        var views: [UInt64: ChangeView] = [:]
        for notifier in skipped where !notifier.isDue { _ = advance(notifier, core, &views) }
    }

    private func advance(_ notifier: Notifier, _ core: RealmCore, _ views: inout [UInt64: ChangeView]) -> (() -> Void)?
    {
        let old = notifier.seen.snapshot
        guard notifier.isDue || old.version != core.version else { return nil }
        let view =
            views[old.version] ?? ChangeView(core: core, old: old, isOwn: core.version == ownVersion)
        views[old.version] = view
        defer { notifier.seen = (core.snapshot, core.grant) }
        return notifier.advance(core, view)
    }

    /// A newer version exists and the realm doesn't go there by itself.
    func sendRefreshRequired(_ core: RealmCore) {
        for case let notifier as RealmNotifier in notifiers where !notifier.isEnded { notifier.block(core, true) }
    }
}
