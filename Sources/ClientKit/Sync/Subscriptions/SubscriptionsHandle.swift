import Foundation
import Model
import Wire

/// What a `SyncSubscriptionSet` refers to: a realm's subscriptions, and the version of the set that it is about.
final class SubscriptionsHandle: Sendable {
    let coordinator: RealmCoordinator
    let classes: ClassSet
    /// The realm that it was got from; nil while a realm is being opened.
    let core: RealmCore?
    private let version: Lock<Int64>

    init(_ coordinator: RealmCoordinator, _ classes: ClassSet, _ core: RealmCore?) {
        self.coordinator = coordinator
        self.classes = classes
        self.core = core
        version = Lock(coordinator.latestSubscriptions.version)
    }

    private var state: SubscriptionState { coordinator.subscriptions }

    // MARK: Reading

    /// The subscriptions, as the block sees them that the calling thread runs.
    var entries: [SubscriptionDraft.Entry] {
        state.draft?.entries ?? coordinator.latestSubscriptions.subscriptions.map { SubscriptionDraft.Entry($0) }
    }

    /// How far the server is with the set that this was got for, or that it has made.
    var setState: SyncSubscriptionState {
        if state.isEditedHere { return .pending }
        let latest = coordinator.latestSubscriptions
        if latest.version != version.withLock({ $0 }) { return .superseded }
        switch latest.state {
        case .pending, .bootstrapping: return .pending
        case .complete: return .complete
        case .superseded: return .superseded
        case .error: return .error(Realm.Error.refused(latest.error, coordinator.settings.path))
        }
    }

    func first(where isWanted: (SubscriptionDraft.Entry) -> Bool) -> SyncSubscription? {
        entries.first(where: isWanted).map { SyncSubscription(self, $0) }
    }

    func first(_ persisted: PersistedClass, _ query: SubscribedQuery) -> SyncSubscription? {
        let text = query.text(of: persisted, in: classes.schema)
        return first { $0.has(persisted.name, text) }
    }

    /// The class of the realm with a name, which a subscription on it has.
    func persisted(_ className: String) -> PersistedClass {
        guard let persisted = classes.types[className] else { fail(.classNotManaged(className)) }
        return persisted
    }

    // MARK: Changing

    /// Runs the block of an update. The version that it makes, which is the latest one if it changes nothing.
    func update(_ block: () -> Void) throws -> Int64 {
        // The agent would wait for the end of the transaction, and the transaction for the agent.
        if let core, core.confinement.isHere, core.isInWrite { fail(.subscriptionsInWrite) }
        let (set, _) = try coordinator.updateSubscriptions(block)
        version.withLock { $0 = set.version }
        return set.version
    }

    /// Traps outside of the block of an update.
    func checkUpdating(_ doing: String) {
        if !state.isEditedHere { fail(.notUpdatingSubscriptions(doing)) }
    }

    /// Changes what the block has come to.
    func edit<Result>(_ body: (inout SubscriptionDraft) -> Result) -> Result {
        guard let result = state.edit(body) else { fail(.notUpdatingSubscriptions("change subscriptions")) }
        return result
    }

    func append(_ name: String?, _ persisted: PersistedClass, _ query: SubscribedQuery) {
        checkUpdating("add a subscription")
        let text = query.text(of: persisted, in: classes.schema)
        if let name, entries.contains(where: { $0.isNamed(name) }) { fail(.subscriptionNameExists(name)) }
        edit { $0.append(name, persisted.name, text, at: Timestamp(Date())) }
    }

    func remove(where isUnwanted: (SubscriptionDraft.Entry) -> Bool) {
        checkUpdating("remove a subscription")
        edit { draft in
            guard let index = draft.entries.firstIndex(where: isUnwanted) else { return }
            draft.remove(at: index)
        }
    }

    func removeAll(where isUnwanted: (SubscriptionDraft.Entry) -> Bool) {
        checkUpdating("remove subscriptions")
        edit { $0.removeAll(where: isUnwanted) }
    }
}
