import Model
import Wire

/// Subscriptions as the block of an update sees them: the latest set, with what the block has changed so far.
///
/// What is sent in the end is the difference, so that what other processes do at the same time stays (F-21).
struct SubscriptionDraft {
    /// One subscription; a new one has an id that is good for the block only.
    struct Entry: Hashable, Sendable {
        var id: Model.ObjectId
        var name: String?
        var className: String
        /// As the server gets it (F-24).
        var query: String
        var created: Timestamp
        var updated: Timestamp

        init(_ subscription: WireSubscription) {
            id = subscription.id
            name = subscription.name
            className = subscription.className
            query = subscription.query
            created = subscription.created
            updated = subscription.updated
        }

        init(_ name: String?, _ className: String, _ query: String, at now: Timestamp) {
            id = Model.ObjectId.generate()
            self.name = name
            self.className = className
            self.query = query
            created = now
            updated = now
        }

        func has(_ className: String, _ query: String) -> Bool {
            self.className.isSameText(className) && self.query.isSameText(query)
        }

        func isNamed(_ name: String) -> Bool { self.name?.isSameText(name) ?? false }
    }

    private let base: [Entry]
    private(set) var entries: [Entry]

    init(_ set: WireSubscriptionSet) {
        base = set.subscriptions.map { Entry($0) }
        entries = base
    }

    /// Where a subscription is that was had before: a new one has got another id since.
    func index(of entry: Entry) -> Int? {
        if let index = entries.firstIndex(where: { $0.id == entry.id }) { return index }
        // Of a former set, by its name, or by its query if it had none.
        guard let name = entry.name else { return nil }
        return entries.firstIndex { $0.isNamed(name) }
    }

    /// Adds a subscription. One without a name that is there already stays as it is (SU-09).
    mutating func append(_ name: String?, _ className: String, _ query: String, at now: Timestamp) {
        if name == nil, entries.contains(where: { $0.name == nil && $0.has(className, query) }) { return }
        entries.append(Entry(name, className, query, at: now))
    }

    /// Gives a subscription another query; its name and age stay (SU-12).
    mutating func setQuery(_ index: Int, _ className: String, _ query: String, at now: Timestamp) {
        entries[index].className = className
        entries[index].query = query
        entries[index].updated = now
    }

    /// Takes out one; the last comes to its place (F-23).
    mutating func remove(at index: Int) {
        let last = entries.removeLast()
        if index < entries.count { entries[index] = last }
    }

    mutating func removeAll(where isUnwanted: (Entry) -> Bool) {
        entries.removeAll(where: isUnwanted)
    }

    /// What makes this of the set that it began with. Empty if nothing has changed.
    var edits: [SubscriptionsEdit] {
        let kept = Set(entries.map(\.id))
        var known: [Model.ObjectId: Entry] = [:]
        for entry in base { known[entry.id] = entry }
        var edits = base.filter { !kept.contains($0.id) }.map { SubscriptionsEdit(.removeId, id: $0.id) }
        for entry in entries {
            guard let before = known[entry.id] else {
                edits.append(
                    SubscriptionsEdit(.insert, name: entry.name, className: entry.className, query: entry.query))
                continue
            }
            if before.updated != entry.updated || !before.has(entry.className, entry.query) {
                edits.append(
                    SubscriptionsEdit(.setQuery, className: entry.className, query: entry.query, id: entry.id))
            }
        }
        return edits
    }
}

extension String {
    /// Whether both are the same bytes: texts that look alike are equal to Swift, and different to a server.
    func isSameText(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
