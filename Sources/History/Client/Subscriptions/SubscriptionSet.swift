import Sync

/// All subscriptions of a realm at one time; numbered, and unchanging once it is committed (F-5).
package struct SubscriptionSet: Hashable, Sendable {
    /// How far the server is with a set (F-19). The numbers are stored.
    package enum State: UInt8, Hashable, Sendable, CaseIterable {
        /// Committed here, not taken up by the server.
        case pending = 1
        /// The first part of its bootstrap has come.
        case bootstrapping = 2
        /// The bootstrap is in the file, what was written since may not be yet.
        case awaitingMark = 6
        /// In force, and its objects are all there.
        case complete = 3
        /// The server has refused it.
        case error = 4
        /// A later set has taken its place. Such sets aren't kept.
        case superseded = 5
    }

    package let version: Int64
    package internal(set) var state: State
    /// The version of the transaction that committed it: what was written before is uploaded before (F-4).
    package let snapshotVersion: Int64
    /// Why the server refused it.
    package internal(set) var error: String?
    package internal(set) var subscriptions: [Subscription]

    package init(
        version: Int64, state: State = .pending, snapshotVersion: Int64, error: String? = nil,
        subscriptions: [Subscription] = []
    ) {
        self.version = version
        self.state = state
        self.snapshotVersion = snapshotVersion
        self.error = error
        self.subscriptions = subscriptions
    }

    /// The subscription with a name.
    package func first(named name: String) -> Subscription? {
        subscriptions.first { $0.name.map { SubscriptionSet.areSame($0, name) } ?? false }
    }

    /// The first subscription with this query, named or not.
    package func first(className: String, query: String) -> Subscription? {
        subscriptions.first {
            SubscriptionSet.areSame($0.className, className) && SubscriptionSet.areSame($0.query, query)
        }
    }

    /// Whether objects of a class may be created (F-28).
    package func covers(_ className: String) -> Bool {
        subscriptions.contains { SubscriptionSet.areSame($0.className, className) }
    }

    /// The set as the server gets it: for each class its queries, each once, in the order of their bytes (F-2).
    package var query: ClientMessage.Query {
        var queries: [String: [String]] = [:]
        for subscription in subscriptions { queries[subscription.className, default: []].append(subscription.query) }
        let predicates = queries.mapValues { queries in
            var distinct: [String] = []
            for query in queries.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
            where distinct.last.map({ !SubscriptionSet.areSame($0, query) }) ?? true {
                distinct.append(query)
            }
            return distinct.map { "(\($0))" }.joined(separator: " OR ")
        }
        return ClientMessage.Query(version: version, text: QueryText.encode(predicates))
    }

    /// Texts that Swift finds equal can differ in their bytes, which are what the server compares.
    static func areSame(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }
}

extension SubscriptionSet.State: Comparable {
    /// What waiting goes by: who waits for a state is content with a later one (F-26).
    private var order: Int {
        switch self {
        case .pending: 1
        case .bootstrapping: 2
        case .awaitingMark: 3
        case .complete: 4
        case .error: 5
        case .superseded: 6
        }
    }

    package static func < (a: Self, b: Self) -> Bool { a.order < b.order }
}
