import Model

/// One query on one class, as a set of subscriptions has it.
package struct Subscription: Hashable, Sendable {
    /// Stays when a named subscription gets another query; is never sent (F-3).
    package let id: ObjectId
    /// Nil for one without a name; names are unique in a set.
    package var name: String?
    package var className: String
    /// RQL with its arguments in it (F-24).
    package var query: String
    package let createdAt: Timestamp
    package var updatedAt: Timestamp

    package init(
        id: ObjectId, name: String?, className: String, query: String, createdAt: Timestamp, updatedAt: Timestamp
    ) {
        self.id = id
        self.name = name
        self.className = className
        self.query = query
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}
