import Foundation
import Query

/// What a realm of flexible sync is subscribed to: it holds the objects that one of the subscriptions selects and that the
/// user may read.
///
/// ```swift
/// let subscriptions = realm.subscriptions
/// try await subscriptions.update {
///     if subscriptions.first(named: "puppies") == nil {
///         subscriptions.append(QuerySubscription<Dog>(name: "puppies") { $0.age < 2 })
///     }
/// }
/// ```
/// What is read of it is the newest that any process has made of it; it changes in the block of `update` only.
public struct SyncSubscriptionSet: Sequence, Sendable {
    let handle: SubscriptionsHandle

    init(_ handle: SubscriptionsHandle) {
        self.handle = handle
    }

    // MARK: Reading

    /// How many subscriptions there are.
    public var count: Int { handle.entries.count }

    /// How far the server is with the set that this was got for, or that this has made since; `superseded` once there is a
    /// later one.
    public var state: SyncSubscriptionState { handle.setState }

    /// The subscription with a name.
    public func first(named name: String) -> SyncSubscription? {
        handle.first { $0.isNamed(name) }
    }

    /// The first subscription on a class with an equal query.
    public func first<T: Object>(
        ofType type: T.Type, `where` query: (Query<T>) -> Query<Bool>
    ) -> SyncSubscription? {
        handle.first(PersistedClass.of(type), SubscribedQuery(query))
    }

    /// The first subscription on a class with an equal query.
    public func first<T: Object>(
        ofType type: T.Type, `where` predicateFormat: String, _ arguments: Any...
    ) -> SyncSubscription? {
        handle.first(PersistedClass.of(type), SubscribedQuery(predicateFormat, arguments))
    }

    /// The first subscription on a class with an equal query.
    public func first<T: Object>(ofType type: T.Type, `where` predicate: NSPredicate) -> SyncSubscription? {
        handle.first(PersistedClass.of(type), SubscribedQuery(predicate))
    }

    /// Traps if there are fewer.
    public subscript(position: Int) -> SyncSubscription? {
        let entries = handle.entries
        if !entries.indices.contains(position) { fail(.indexOutOfBounds(position, entries.count)) }
        return SyncSubscription(handle, entries[position])
    }

    /// The first subscription; nil without any.
    public var first: SyncSubscription? { handle.entries.first.map { SyncSubscription(handle, $0) } }

    /// The last subscription; nil without any.
    public var last: SyncSubscription? { handle.entries.last.map { SyncSubscription(handle, $0) } }

    public func makeIterator() -> SyncSubscriptionSetIterator {
        SyncSubscriptionSetIterator(handle, handle.entries)
    }

    // MARK: Changing

    /// Changes the set by a block, and stores the result. `onComplete` is called in the background once the server has sent
    /// all objects, or with the reason why it refuses the set. Offline that takes until there is a connection.
    public func update(_ block: () -> Void, onComplete: (@Sendable (Error?) -> Void)? = nil) {
        let version: Int64
        do {
            version = try handle.update(block)
        } catch {
            let error = Realm.Error(error, path: handle.coordinator.settings.path)
            guard let onComplete else {
                return Logger.shared.log(.error, "The subscriptions were not updated: \(error.localizedDescription)")
            }
            return DispatchQueue.global().async { onComplete(error) }
        }
        guard let onComplete else { return }
        let waiter = Waiter<Void>()
        waiter.begin { result in
            if case .failure(let error) = result { onComplete(error) } else { onComplete(nil) }
        }
        handle.coordinator.wait(for: version, waiter)
    }

    /// Changes the set by a block, and waits until the server has sent all objects.
    ///
    /// - Throws: `Realm.Error.subscriptionFailed` if the server refuses the set, `CancellationError` if the task is
    ///   cancelled; what the block has changed is stored all the same.
    @MainActor
    public func update(_ block: () -> Void) async throws {
        let version: Int64
        do {
            version = try handle.update(block)
        } catch {
            throw Realm.Error(error, path: handle.coordinator.settings.path)
        }
        try await handle.coordinator.wait(for: version)
        handle.core?.showDownloaded()
    }

    /// Adds subscriptions. In the block of an update only. Traps if there is one with such a name; one without a name that is
    /// there already is left out.
    public func append<T: Object>(_ subscriptions: QuerySubscription<T>...) {
        for subscription in subscriptions {
            handle.append(subscription.name, PersistedClass.of(T.self), subscription.query)
        }
    }

    /// Removes the subscription with a name, if there is one. In the block of an update only.
    public func remove(named name: String) {
        handle.remove { $0.isNamed(name) }
    }

    /// Removes subscriptions, as far as they are there. In the block of an update only.
    public func remove(_ subscriptions: SyncSubscription...) {
        handle.checkUpdating("remove a subscription")
        for subscription in subscriptions {
            handle.edit { draft in
                if let index = draft.index(of: subscription.entry) { draft.remove(at: index) }
            }
        }
    }

    /// Removes the first subscription on a class with an equal query, if there is one. In the block of an update only.
    public func remove<T: Object>(ofType type: T.Type, _ query: (Query<T>) -> Query<Bool>) {
        remove(PersistedClass.of(type), SubscribedQuery(query))
    }

    /// Removes the first subscription on a class with an equal query, if there is one. In the block of an update only.
    public func remove<T: Object>(ofType type: T.Type, where predicateFormat: String, _ arguments: Any...) {
        remove(PersistedClass.of(type), SubscribedQuery(predicateFormat, arguments))
    }

    /// Removes the first subscription on a class with an equal query, if there is one. In the block of an update only.
    public func remove<T: Object>(ofType type: T.Type, where predicate: NSPredicate) {
        remove(PersistedClass.of(type), SubscribedQuery(predicate))
    }

    private func remove(_ persisted: PersistedClass, _ query: SubscribedQuery) {
        let text = query.text(of: persisted, in: handle.classes.schema)
        handle.remove { $0.has(persisted.name, text) }
    }

    /// Removes all subscriptions, or those without a name. In the block of an update only.
    public func removeAll(unnamedOnly: Bool = false) {
        handle.removeAll { !unnamedOnly || $0.name == nil }
    }

    /// Removes all subscriptions on a class. In the block of an update only.
    public func removeAll<T: Object>(ofType type: T.Type) {
        let name = PersistedClass.of(type).name
        handle.removeAll { $0.className.isSameText(name) }
    }
}

/// Goes through the subscriptions that there were when it was made.
public struct SyncSubscriptionSetIterator: IteratorProtocol {
    private let handle: SubscriptionsHandle
    private var entries: IndexingIterator<[SubscriptionDraft.Entry]>

    init(_ handle: SubscriptionsHandle, _ entries: [SubscriptionDraft.Entry]) {
        self.handle = handle
        self.entries = entries.makeIterator()
    }

    public mutating func next() -> SyncSubscription? {
        entries.next().map { SyncSubscription(handle, $0) }
    }
}
