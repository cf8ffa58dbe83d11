import Foundation
import Model
import Query

/// A subscription of a `SyncSubscriptionSet`, as it was when it was read.
public struct SyncSubscription: Sendable {
    let handle: SubscriptionsHandle
    let entry: SubscriptionDraft.Entry

    init(_ handle: SubscriptionsHandle, _ entry: SubscriptionDraft.Entry) {
        self.handle = handle
        self.entry = entry
    }

    /// Nil for one without a name.
    public var name: String? { entry.name }

    /// When it was added.
    public var createdAt: Date { Date(entry.created) }

    /// When it got its present query.
    public var updatedAt: Date { Date(entry.updated) }

    // MARK: Changing

    /// Gives it another query; name and `createdAt` stay. In the block of an update only. Traps if it was removed, or is on
    /// another class.
    public func updateQuery<T: Object>(toType type: T.Type, where query: @escaping (Query<T>) -> Query<Bool>) {
        update(type, SubscribedQuery(query))
    }

    /// As above; without a query it is on all objects of the class.
    public func updateQuery<T: Object>(toType type: T.Type, where query: ((Query<T>) -> Query<Bool>)? = nil) {
        update(type, query.map { SubscribedQuery($0) } ?? .all)
    }

    /// As above, by the format of a predicate.
    public func updateQuery(to predicateFormat: String, _ arguments: Any...) {
        update(nil, SubscribedQuery(predicateFormat, arguments))
    }

    /// As above, by a predicate that was made from a format.
    public func updateQuery(to predicate: NSPredicate) {
        update(nil, SubscribedQuery(predicate))
    }

    private func update(_ type: Object.Type?, _ query: SubscribedQuery) {
        handle.checkUpdating("update the query of a subscription")
        let className = entry.className
        let persisted = type.map { PersistedClass.of($0) } ?? handle.persisted(className)
        if persisted.name != className { fail(.subscribedClassChanged(className, persisted.name)) }
        let text = query.text(of: persisted, in: handle.classes.schema)
        let isThere = handle.edit { draft in
            guard let index = draft.index(of: entry) else { return false }
            draft.setQuery(index, className, text, at: Timestamp(Date()))
            return true
        }
        if !isThere { fail(.subscriptionIsGone(entry.name ?? entry.query)) }
    }

    @available(*, unavailable, renamed: "updateQuery(toType:where:)")
    public func update<T: Object>(toType type: T.Type, where query: @escaping (Query<T>) -> Query<Bool>) {
        fatalError("replaced by updateQuery(toType:where:)")
    }

    @available(*, unavailable, renamed: "updateQuery(to:_:)")
    public func update(to predicateFormat: String, _ arguments: Any...) {
        fatalError("replaced by updateQuery(to:_:)")
    }

    @available(*, unavailable, renamed: "updateQuery(to:)")
    public func update(to predicate: NSPredicate) {
        fatalError("replaced by updateQuery(to:)")
    }
}

/// What the elements of a `SyncSubscriptionSet` are called in Realm.
public typealias RLMSyncSubscription = SyncSubscription

extension Date {
    init(_ timestamp: Timestamp) {
        self.init(_seconds: timestamp.seconds, nanoseconds: timestamp.nanoseconds)
    }
}
