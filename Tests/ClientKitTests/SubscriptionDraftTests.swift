import Foundation
import Model
import Testing
import Wire

@testable import ClientKit

private final class SubscribedDog: ClientKit.Object {
    @Persisted(primaryKey: true) var _id: ClientKit.ObjectId
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted var weight: Double?
    @Persisted var price: ClientKit.Decimal128?
    @Persisted var born: Date?
    @Persisted var tags: List<String>
    @Persisted(indexed: true) var keeper: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func propertiesMapping() -> [String: String] { ["keeper": "owner_id"] }
}

/// What is sent of an update, and the text of a query.
@Suite struct SubscriptionDraftTests {
    private let now = Timestamp(seconds: 1_000)
    private let later = Timestamp(seconds: 2_000)

    private func set(_ subscriptions: [(name: String?, query: String)]) -> WireSubscriptionSet {
        WireSubscriptionSet(
            version: 1, state: .complete,
            subscriptions: subscriptions.map {
                WireSubscription(
                    id: .generate(), name: $0.name, className: "Dog", query: $0.query, created: now, updated: now)
            })
    }

    @Test func `a block that changes nothing sends nothing`() {
        let set = set([("a", "x == 1"), (nil, "x == 2")])
        var draft = SubscriptionDraft(set)
        #expect(draft.edits.isEmpty)
        draft.append(nil, "Dog", "x == 2", at: later)
        #expect(draft.edits.isEmpty && draft.entries.count == 2)
    }

    @Test func `what is left over is sent: additions, other queries, removals (F-21)`() {
        let set = set([("a", "x == 1"), (nil, "x == 2"), ("c", "x == 3")])
        var draft = SubscriptionDraft(set)
        draft.remove(at: 0)
        #expect(draft.entries.map(\.name) == ["c", nil])
        draft.setQuery(1, "Dog", "x == 22", at: later)
        draft.append("new", "Dog", "x == 4", at: later)
        draft.append("gone", "Dog", "x == 5", at: later)
        draft.remove(at: 3)
        draft.setQuery(2, "Dog", "x == 44", at: later)
        #expect(
            draft.edits == [
                SubscriptionsEdit(.removeId, id: set.subscriptions[0].id),
                SubscriptionsEdit(.setQuery, className: "Dog", query: "x == 22", id: set.subscriptions[1].id),
                SubscriptionsEdit(.insert, name: "new", className: "Dog", query: "x == 44")
            ])
        #expect(draft.entries[1].created == now && draft.entries[1].updated == later)
    }

    @Test func `a name that is removed and added again is another subscription`() {
        let set = set([("a", "x == 1")])
        var draft = SubscriptionDraft(set)
        draft.removeAll { _ in true }
        draft.append("a", "Dog", "x == 1", at: later)
        #expect(draft.edits.map(\.kind) == [.removeId, .insert])
        // One that was read before is found by its name.
        #expect(draft.index(of: SubscriptionDraft.Entry(set.subscriptions[0])) == 0)
    }

    @Test func `texts that look alike are different (F-23)`() {
        var draft = SubscriptionDraft(set([(nil, "name == \"\u{E9}\"")]))
        draft.append(nil, "Dog", "name == \"e\u{301}\"", at: later)
        #expect(draft.entries.count == 2)
    }

    private typealias Dogs = Query<SubscribedDog>

    private static let texts: [(query: SubscribedQuery, text: String)] = [
        (.all, "TRUEPREDICATE"),
        (SubscribedQuery { (dog: Dogs) in dog.age > 3 }, "age > 3"),
        (SubscribedQuery("age > %@", [3]), "age > 3"),
        (SubscribedQuery(NSPredicate(format: "age > %@", 3)), "age > 3"),
        (SubscribedQuery { (dog: Dogs) in dog.keeper == "u1" }, #"owner_id == "u1""#),
        (SubscribedQuery("keeper == %@ AND age >= 1", ["u1"]), #"owner_id == "u1" and age >= 1"#),
        (
            SubscribedQuery { (dog: Dogs) in dog.weight == 1.5 || dog.weight == nil },
            "(weight == 1.5 or weight == NULL)"
        ),
        (SubscribedQuery { (dog: Dogs) in dog.price > 1 }, "price > 1"),
        (SubscribedQuery { (dog: Dogs) in dog.name.starts(with: "R") }, #"name BEGINSWITH "R""#),
        (SubscribedQuery { (dog: Dogs) in dog.born > Date(timeIntervalSince1970: 10) }, "born > T10:0"),
        (SubscribedQuery { (dog: Dogs) in dog.age.in([1, 2]) }, "age IN {1, 2}"),
        (SubscribedQuery { (dog: Dogs) in !(dog.age == 1) }, "!(age == 1)")
    ]

    @Test("F-24: query text has stored names, and arguments in the property's type", arguments: texts.indices)
    func text(index: Int) {
        let persisted = PersistedClass.of(SubscribedDog.self)
        let (query, text) = Self.texts[index]
        #expect(query.text(of: persisted, in: RealmSchema([persisted.schema])) == text)
    }
}
