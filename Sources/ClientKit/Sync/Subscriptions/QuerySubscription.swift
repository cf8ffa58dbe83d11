import Foundation
import Query

/// What to subscribe to: the objects of a class for which a condition holds. To be appended to a `SyncSubscriptionSet`.
///
/// ```swift
/// subscriptions.append(QuerySubscription<Dog>(name: "puppies") { $0.age < 2 })
/// ```
/// The condition may use the fields that the server's app lists as queryable, without links, aggregates or subqueries: the
/// server refuses the set otherwise.
public struct QuerySubscription<T: Object>: Sendable {
    /// Nil for one without a name, which is found by its query.
    public var name: String?
    let query: SubscribedQuery

    /// All objects of the class.
    public init(name: String? = nil) {
        self.name = name
        query = .all
    }

    /// The objects for which a type-safe condition holds.
    public init(name: String? = nil, query: (Query<T>) -> Query<Bool>) {
        self.name = name
        self.query = SubscribedQuery(query)
    }

    /// The objects for which a predicate holds, given by its format. Traps if the format is wrong.
    public init(name: String? = nil, where predicateFormat: String, _ arguments: Any...) {
        self.name = name
        query = SubscribedQuery(predicateFormat, arguments)
    }

    /// The objects for which a predicate holds that was made from a format.
    public init(name: String? = nil, where predicate: NSPredicate) {
        self.name = name
        query = SubscribedQuery(predicate)
    }
}
