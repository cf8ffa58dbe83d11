import Model
import Wire

extension Realm.Configuration {
    /// Lets the app subscribe to what the realm is to hold from the beginning (F-48): if nothing has been subscribed to
    /// yet, or, if it wants that, whenever the process opens the realm first.
    func subscribe(_ coordinator: RealmCoordinator, _ classes: ClassSet, isFirst: Bool) throws {
        guard coordinator.isFlexible, let initial = syncConfiguration?.initialSubscriptions else { return }
        let isRerun = isFirst && initial.rerunOnOpen
        // What has begun never goes back to the beginning, unless the server makes it so.
        if !isRerun, let known = coordinator.subscriptions.latest, known.version > 0 { return }
        for _ in 0..<Self.attempts {
            let latest = try coordinator.askForSubscriptions()
            guard isRerun || latest.version == 0 else { return }
            let handle = SubscriptionsHandle(coordinator, classes, nil)
            let (_, isDone) = try coordinator.updateSubscriptions(onlyOn: latest.version) {
                initial.callback(SyncSubscriptionSet(handle))
            }
            // Else another process, or thread, came first.
            if isDone { return }
        }
    }

    /// How often it is tried to subscribe on top of what others do at the same time.
    private static let attempts = 10
}
