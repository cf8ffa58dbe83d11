import Model

/// A set of subscriptions while it is being changed: a copy of the latest one (F-21).
package struct SubscriptionEdit {
    package private(set) var subscriptions: [Subscription]
    private let now: Timestamp
    private let makeId: () -> ObjectId

    package init(
        _ set: SubscriptionSet, now: Timestamp, makeId: @escaping () -> ObjectId = { ObjectId.generate() }
    ) {
        subscriptions = set.subscriptions
        self.now = now
        self.makeId = makeId
    }

    /// Subscribes. A subscription of that name gets the new query; without a name one that has no name either and the
    /// same query is only marked as updated (F-22).
    @discardableResult
    package mutating func insert(name: String? = nil, className: String, query: String) -> Subscription {
        let found = subscriptions.firstIndex { known in
            guard let name else {
                return known.name == nil && SubscriptionSet.areSame(known.className, className)
                    && SubscriptionSet.areSame(known.query, query)
            }
            return known.name.map { SubscriptionSet.areSame($0, name) } ?? false
        }
        guard let found else {
            let new = Subscription(
                id: makeId(), name: name, className: className, query: query, createdAt: now, updatedAt: now)
            subscriptions.append(new)
            return new
        }
        subscriptions[found].className = className
        subscriptions[found].query = query
        subscriptions[found].updatedAt = now
        return subscriptions[found]
    }

    /// Gives a subscription another query; false if there is none with this id.
    @discardableResult
    package mutating func setQuery(id: ObjectId, className: String?, query: String) -> Bool {
        guard let place = subscriptions.firstIndex(where: { $0.id == id }) else { return false }
        if let className { subscriptions[place].className = className }
        subscriptions[place].query = query
        subscriptions[place].updatedAt = now
        return true
    }

    /// Takes subscriptions over as they are.
    mutating func append(_ others: [Subscription]) { subscriptions += others }

    /// Ends the subscription with a name; false if there is none.
    @discardableResult
    package mutating func remove(named name: String) -> Bool {
        remove { $0.name.map { SubscriptionSet.areSame($0, name) } ?? false }
    }

    /// Ends the first subscription with this query, named or not; false if there is none.
    @discardableResult
    package mutating func remove(className: String, query: String) -> Bool {
        remove { SubscriptionSet.areSame($0.className, className) && SubscriptionSet.areSame($0.query, query) }
    }

    /// Ends the subscription with an id; false if there is none.
    @discardableResult
    package mutating func remove(id: ObjectId) -> Bool {
        remove { $0.id == id }
    }

    /// Ends all subscriptions on a class; returns how many there were.
    @discardableResult
    package mutating func removeAll(className: String, unnamedOnly: Bool = false) -> Int {
        let count = subscriptions.count
        subscriptions.removeAll {
            SubscriptionSet.areSame($0.className, className) && (!unnamedOnly || $0.name == nil)
        }
        return count - subscriptions.count
    }

    /// Ends all subscriptions, or those without a name.
    package mutating func removeAll(unnamedOnly: Bool = false) {
        subscriptions.removeAll { !unnamedOnly || $0.name == nil }
    }

    /// The last subscription takes the place of the one that goes (F-23).
    private mutating func remove(where isWanted: (Subscription) -> Bool) -> Bool {
        guard let place = subscriptions.firstIndex(where: isWanted) else { return false }
        let last = subscriptions.removeLast()
        if place < subscriptions.count { subscriptions[place] = last }
        return true
    }
}
