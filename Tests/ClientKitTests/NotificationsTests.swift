import Foundation
import Model
import Query
import Store
import TestSupport
import Testing

@testable import ClientKit

/// A realm on a queue of its own, observed there, written from elsewhere.
private final class Observed: @unchecked Sendable {
    let queue = DispatchQueue(label: "observer")
    let fixture = RealmFixture()
    private(set) var realm: TestRealm!
    private let notes = ClientKit.Lock<[String]>([])
    private var tokens: [NotificationToken] = []

    init() throws {
        try queue.sync { realm = try fixture.open(queue) }
    }

    func note(_ text: String) { notes.withLock { $0.append(text) } }

    /// What has been told so far.
    var told: [String] { notes.withLock { $0 } }

    func observe(_ begin: @escaping (TestRealm, Observed) -> NotificationToken) {
        queue.sync { tokens.append(begin(realm, self)) }
    }

    func observeDogs(
        _ condition: Condition = .constant(true), _ descriptors: [Descriptor] = [], keyPaths: [[String]]? = nil
    ) {
        observe { realm, observed in
            let query = CollectionQuery(realm.dogs, condition: condition, descriptors: descriptors)
            return realm.core.observe(.results(query), keyPaths: keyPaths, on: .here) {
                [unowned observed] _, _, notice in
                observed.note(notice.text)
            }
        }
    }

    func end() { queue.sync { tokens = [] } }

    /// Writes from another thread.
    func write(_ body: @escaping @Sendable (TestRealm) throws -> Void) throws {
        try onThread { [fixture] in
            let realm = try fixture.open()
            try realm.realm.write { try body(realm) }
        }
    }
}

extension CollectionNotice {
    fileprivate var text: String {
        switch self {
        case .initial: "initial"
        case .update(let deletions, let insertions, let modifications):
            "-\(deletions) +\(insertions) ~\(modifications)"
        }
    }
}

private let older = Condition.comparison(
    Comparison(.path(PropertyPath(names: ["age"]), quantifier: nil), .greater, .constant(.int(5))))

@Suite("Notifications")
struct NotificationsTests {
    private func expect(_ observed: Observed, _ texts: [String], _ place: SourceLocation = #_sourceLocation) {
        _ = eventually { observed.told.count >= texts.count }
        #expect(observed.told == texts, sourceLocation: place)
    }

    @Test("NO-02, NO-03: all objects of a class: initial, then exact positions")
    func wholeClass() throws {
        let observed = try Observed()
        try observed.write { realm in for id in 0..<5 { realm.addDog(Int64(id)) } }
        observed.observeDogs()
        expect(observed, ["initial"])
        try observed.write { realm in
            realm.core.delete(realm.dogs, try realm.found(1))
            realm.setAge(try realm.found(3), 9)
            realm.addDog(10)
        }
        expect(observed, ["initial", "-[1] +[4] ~[2]"])
        observed.end()
        try observed.write { realm in realm.addDog(11) }
        observed.queue.sync {}
        #expect(observed.told.count == 2)
    }

    @Test("NO-03: objects enter and leave a condition")
    func filtered() throws {
        let observed = try Observed()
        try observed.write { realm in for id in 0..<6 { realm.addDog(Int64(id), age: Int64(id * 2)) } }
        observed.observeDogs(older)
        expect(observed, ["initial"])
        try observed.write { realm in
            realm.setAge(try realm.found(0), 100)
            realm.setAge(try realm.found(4), 1)
            realm.setAge(try realm.found(5), 50)
        }
        expect(observed, ["initial", "-[1] +[0] ~[2]"])
    }

    @Test("NO-03: random changes of a filtered collection, each told exactly")
    func randomly() throws {
        var generator = SeededGenerator(seed: randomSeed)
        func name() -> String { String(UnicodeScalar(UInt8.random(in: 97...122, using: &generator))) }
        let observed = try Observed()
        let condition = Condition.comparison(
            Comparison(.path(PropertyPath(names: ["name"]), quantifier: nil), .greater, .constant(.string("m"))))
        let mirror = ClientKit.Lock(Mirror())
        observed.observe { realm, observed in
            let query = CollectionQuery(realm.people, condition: condition)
            return realm.core.observe(.results(query), keyPaths: nil, on: .here) { [unowned observed] _, _, notice in
                guard case .keys(let keys)? = try? observed.realm.core.evaluate(query) else { return }
                mirror.withLock { $0.take(notice, keys) }
                observed.note(notice.text)
            }
        }
        #expect(eventually { observed.told.count == 1 })
        for round in 0..<(60 * soakFactor) {
            let fresh = (0..<Int.random(in: 0...3, using: &generator)).map { _ in name() }
            let people = observed.queue.sync { observed.realm.core.tableKeys(observed.realm.people) }
            let gone = people.filter { _ in Int.random(in: 0..<12, using: &generator) == 0 }
            let changed = people.filter { !gone.contains($0) && Int.random(in: 0..<6, using: &generator) == 0 }
                .map { ($0, name()) }
            // Always something, so that there is something to wait for.
            try observed.write { realm in
                for key in gone { realm.core.delete(realm.people, key) }
                for (key, name) in changed {
                    realm.core.set(realm.people, key, realm.column("name", realm.people), .string(name))
                }
                for name in fresh + ["z"] { realm.addPerson(name) }
            }
            let count = round + 2
            #expect(eventually { observed.told.count == count })
            mirror.withLock { mirror in
                let expected = Set(changed.map(\.0)).intersection(mirror.kept)
                #expect(mirror.modified == expected, "seed \(randomSeed), round \(round)")
                #expect(mirror.isRight, "seed \(randomSeed), round \(round): \(observed.told.last ?? "")")
            }
        }
    }

    @Test("NO-03: in a sorted collection a moved row is a deletion and an insertion")
    func sorted() throws {
        let observed = try Observed()
        try observed.write { realm in for id in 0..<4 { realm.addDog(Int64(id), age: Int64(id)) } }
        observed.observeDogs(.constant(true), [.sort([SortKey(PropertyPath(names: ["age"]))])])
        expect(observed, ["initial"])
        try observed.write { realm in realm.setAge(try realm.found(0), 10) }
        expect(observed, ["initial", "-[0] +[3] ~[]"])
    }

    @Test("NO-08: assigning the same value counts, a cancelled write doesn't")
    func counting() throws {
        let observed = try Observed()
        try observed.write { realm in realm.addDog(1, age: 3) }
        observed.observeDogs()
        expect(observed, ["initial"])
        try onThread { [fixture = observed.fixture] in
            let realm = try fixture.open()
            realm.realm.beginWrite()
            realm.addDog(2)
            realm.realm.cancelWrite()
        }
        try observed.write { realm in realm.setAge(try realm.found(1), 3) }
        expect(observed, ["initial", "-[] +[] ~[0]"])
    }

    @Test("NO-06: a change of a linked object modifies those that link to it")
    func linked() throws {
        let observed = try Observed()
        try observed.write { realm in
            let owner = realm.addPerson("Ann")
            for id in 0..<3 { realm.addDog(Int64(id)) }
            realm.core.setLink(realm.dogs, try realm.found(1), realm.column("owner"), owner)
        }
        observed.observeDogs()
        expect(observed, ["initial"])
        try observed.write { realm in
            let owner = try realm.owner(realm.found(1))
            realm.core.set(realm.people, owner, realm.column("name", realm.people), .string("Eve"))
        }
        expect(observed, ["initial", "-[] +[] ~[1]"])
    }

    @Test("NO-07: key paths let only their properties through")
    func keyPaths() throws {
        let observed = try Observed()
        try observed.write { realm in realm.addDog(1) }
        observed.observeDogs(keyPaths: [["name"]])
        expect(observed, ["initial"])
        try observed.write { realm in realm.setAge(try realm.found(1), 3) }
        try observed.write { realm in
            realm.core.set(realm.dogs, try realm.found(1), realm.column("name"), .string("Rex"))
        }
        expect(observed, ["initial", "-[] +[] ~[0]"])
    }

    @Test("a list tells what was inserted, replaced, moved and erased")
    func list() throws {
        let observed = try Observed()
        try observed.write { realm in
            let dog = realm.addDog(1)
            for (index, trick) in ["a", "b", "c", "d"].enumerated() {
                realm.core.listInsert(realm.dogs, dog, realm.column("tricks"), at: index, .value(.string(trick)))
            }
        }
        observed.queue.sync { _ = observed.realm.realm.refresh() }
        observed.observe { realm, observed in
            guard let dog = realm.dog(1) else { return NotificationToken(end: nil) }
            return realm.core.observe(.list(realm.dogs, dog, realm.column("tricks"), []), keyPaths: nil, on: .here) {
                [unowned observed] _, _, notice in observed.note(notice.text)
            }
        }
        expect(observed, ["initial"])
        try observed.write { realm in
            let dog = try realm.found(1)
            realm.core.listSet(realm.dogs, dog, realm.column("tricks"), at: 1, .value(.string("B")))
            realm.core.listErase(realm.dogs, dog, realm.column("tricks"), at: 3)
            realm.core.listInsert(realm.dogs, dog, realm.column("tricks"), at: 0, .value(.string("z")))
        }
        expect(observed, ["initial", "-[3] +[0] ~[2]"])
    }

    @Test("NO-05: an object tells names, old and new values, and its deletion, after which nothing more")
    func object() throws {
        let observed = try Observed()
        try observed.write { realm in realm.addDog(1, "Rex", age: 3) }
        observed.queue.sync { _ = observed.realm.realm.refresh() }
        observed.observe { realm, observed in
            guard let dog = realm.dog(1) else { return NotificationToken(end: nil) }
            return realm.core.observeObject(realm.dogs, dog, keyPaths: nil, on: .here) { [unowned observed] _, notice in
                switch notice {
                case .deleted: observed.note("deleted")
                case .change(let properties):
                    for property in properties {
                        observed.note("\(property.column.property.name) \(property.old.text) \(property.new.text)")
                    }
                }
            }
        }
        try observed.write { realm in realm.setAge(try realm.found(1), 4) }
        expect(observed, ["age 3 4"])
        try observed.write { realm in realm.core.delete(realm.dogs, try realm.found(1)) }
        expect(observed, ["age 3 4", "deleted"])
        try observed.write { realm in realm.addDog(2) }
        observed.queue.sync {}
        #expect(observed.told.count == 2)
    }

    @Test("WR-02: the observer of a token is not told of a commit that excludes it")
    func withoutNotifying() throws {
        let fixture = RealmFixture()
        let queue = DispatchQueue(label: "own writes")
        let notes = ClientKit.Lock<[String]>([])
        nonisolated(unsafe) var tokens: [NotificationToken] = []
        nonisolated(unsafe) var realm: TestRealm?
        try queue.sync { () throws in
            let opened = try fixture.open(queue)
            realm = opened
            for name in ["told", "not told"] {
                tokens.append(
                    opened.core.observe(.results(CollectionQuery(opened.dogs)), keyPaths: nil, on: .here) {
                        _, _, notice in notes.withLock { $0.append("\(name) \(notice.text)") }
                    })
            }
        }
        #expect(eventually { notes.withLock { $0.count } == 2 })
        try queue.sync {
            guard let realm else { return }
            try realm.realm.write(withoutNotifying: [tokens[1]]) { _ = realm.addDog(1) }
            try realm.realm.write { _ = realm.addDog(2) }
        }
        #expect(eventually { notes.withLock { $0.contains("not told -[] +[1] ~[]") } })
        #expect(notes.withLock { $0.filter { $0.hasPrefix("told") }.last } == "told -[] +[1] ~[]")
        #expect(
            notes.withLock { $0.filter { $0.hasPrefix("not told") } } == ["not told initial", "not told -[] +[1] ~[]"])
        queue.sync {
            tokens = []
            realm = nil
        }
    }

    @Test("RE-35: observers of the realm hear of each version")
    func realm() throws {
        let observed = try Observed()
        observed.observe { realm, observed in
            realm.realm.observe { [unowned observed] notification, _ in observed.note("\(notification)") }
        }
        try observed.write { realm in realm.addDog(1) }
        expect(observed, ["didChange"])
        let count = try observed.queue.sync { try observed.realm.dogCount }
        #expect(count == 1)
    }

    @Test("RE-34: without autorefresh a refresh is asked for, and the realm stays")
    func refreshRequired() throws {
        let observed = try Observed()
        observed.observe { realm, observed in
            realm.realm.autorefresh = false
            return realm.realm.observe { [unowned observed] notification, _ in observed.note("\(notification)") }
        }
        try observed.write { realm in realm.addDog(1) }
        expect(observed, ["refreshRequired"])
        let counts = try observed.queue.sync {
            let before = try observed.realm.dogCount
            observed.realm.realm.refresh()
            return (before, try observed.realm.dogCount)
        }
        #expect(counts == (0, 1))
        expect(observed, ["refreshRequired", "didChange"])
    }

    @Test("NO-13: a callback may refresh, which does nothing, also when the begin of a write delivers it")
    func refreshInCallback() throws {
        let observed = try Observed()
        observed.observe { realm, observed in
            realm.realm.observe { [unowned observed] _, realm in observed.note("advanced: \(realm.refresh())") }
        }
        try observed.queue.sync {
            // Nothing is delivered while the queue is busy.
            try observed.write { realm in realm.addDog(1) }
            observed.realm.realm.beginWrite()
            #expect(observed.told == ["advanced: false"])
            observed.realm.realm.cancelWrite()
        }
    }

    @Test("TH-04: a callback may resolve a reference to an object that is newer than what it is told of")
    func resolveInCallback() throws {
        let fixture = PackFixture()
        let queue = DispatchQueue(label: "resolving")
        let names = ClientKit.Lock<[String]>([])
        nonisolated(unsafe) var token: NotificationToken?
        nonisolated(unsafe) var realm: Realm?
        try queue.sync { () throws in
            let opened = try Realm(configuration: fixture.configuration, queue: queue)
            realm = opened
            token = opened.objects(Master.self).observe { change in
                guard case .initial = change, let realm else { return names.withLock { $0.append("later") } }
                let reference = try? onThread {
                    let realm = try Realm(configuration: fixture.configuration)
                    let ann = Master("Ann")
                    try realm.write { realm.add(ann) }
                    return ThreadSafeReference(to: ann)
                }
                let name = reference.flatMap { realm.resolve($0)?.name }
                names.withLock { $0.append(name ?? "missing") }
            }
        }
        #expect(eventually { names.withLock { $0.count } == 2 })
        #expect(names.withLock { $0 } == ["Ann", "later"], "the newer version is told of in its turn")
        queue.sync {
            token = nil
            realm = nil
        }
        _ = token
    }

    @Test("NO-11: who keeps many versions goes on hearing of new ones")
    func keptVersions() throws {
        let observed = try Observed()
        observed.observe { realm, observed in
            realm.realm.observe { [unowned observed] _, _ in observed.note("advanced") }
        }
        nonisolated(unsafe) var kept: [Realm] = []
        for round in 1...20 {
            try observed.write { realm in realm.addDog(Int64(round)) }
            guard eventually(within: .seconds(5), { observed.told.count == round }) else {
                Issue.record("nothing was told of version \(round)")
                break
            }
            observed.queue.sync { kept.append(observed.realm.realm.freeze()) }
        }
        #expect(Set(kept.map(\.core.version)).count == kept.count)
    }

    @Test("NO-01: a token that is released on another thread lets go of its realm, which the block has kept")
    func tokenReleasedElsewhere() throws {
        final class Place: @unchecked Sendable {
            weak var core: RealmCore?
        }
        let fixture = PackFixture()
        let place = Place()
        let token = ClientKit.Lock<NotificationToken?>(nil)
        let (told, isOver) = (ClientKit.Lock(0), ClientKit.Lock(false))
        Thread {
            RunLoop.current.perform {
                guard let realm = try? Realm(configuration: fixture.configuration) else { return }
                place.core = realm.core
                let new = realm.objects(Hound.self).observe { _ in
                    if !realm.isEmpty || !realm.isFrozen { told.withLock { $0 += 1 } }
                }
                token.withLock { $0 = new }
            }
            while !isOver.withLock({ $0 }) {
                _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1))
            }
        }.start()
        #expect(eventually { told.withLock { $0 } == 1 })
        #expect(place.core != nil)
        token.withLock { $0 = nil }
        #expect(eventually { place.core == nil })
        isOver.withLock { $0 = true }
    }

    @Test("observing on another queue delivers there, with that queue's instance")
    func otherQueue() throws {
        let observed = try Observed()
        let other = DispatchQueue(label: "delivery")
        nonisolated(unsafe) var token: NotificationToken?
        observed.observe { realm, observed in
            let token = realm.core.observe(
                .results(CollectionQuery(realm.dogs)), keyPaths: nil, on: .queue(other)
            ) { [unowned observed] core, _, notice in
                dispatchPrecondition(condition: .onQueue(other))
                core.check()
                observed.note(notice.text)
            }
            return token
        }
        expect(observed, ["initial"])
        try observed.write { realm in realm.addDog(1) }
        expect(observed, ["initial", "-[] +[0] ~[]"])
        token = nil
        _ = token
        observed.end()
    }
}

extension ListElement? {
    fileprivate var text: String {
        switch self {
        case .value(.int(let value)): "\(value)"
        case nil: "nil"
        default: "?"
        }
    }
}

/// What an observer knows of a collection by what it was told.
private struct Mirror {
    var keys: [ObjectKey] = []
    /// Of the last notice.
    var kept: Set<ObjectKey> = []
    var modified: Set<ObjectKey> = []
    var isRight = true

    mutating func take(_ notice: CollectionNotice, _ new: [ObjectKey]) {
        guard case .update(let deletions, let insertions, let modifications) = notice else {
            keys = new
            return
        }
        for position in deletions.reversed() { keys.remove(at: position) }
        kept = Set(keys)
        for position in insertions { keys.insert(new[position], at: position) }
        modified = Set(modifications.map { new[$0] })
        if keys != new { isRight = false }
    }
}
