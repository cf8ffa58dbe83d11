import Dispatch
import Foundation
import RealmSwift
import TestSupport
import Testing

private enum Suit: String, PersistableEnum {
    case clubs, hearts, spades
}

private final class SetOwner: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var numbers: MutableSet<Int>
    @Persisted var words: MutableSet<String>
    @Persisted var doubles: MutableSet<Double?>
    @Persisted var suits: MutableSet<Suit>
    @Persisted var friends: MutableSet<SetFriend>

    convenience init(_ id: Int) {
        self.init()
        self.id = id
    }
}

private final class SetFriend: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var age: Int
    @Persisted(originProperty: "friends") var owners: LinkingObjects<SetOwner>

    convenience init(_ name: String, _ age: Int = 0) {
        self.init()
        self.name = name
        self.age = age
    }
}

/// Section 11.2: `MutableSet`, with the rows of sections 19 and 21 about it.
struct Section11MutableSetTests {
    private let directory = TemporaryDirectory()
    private let configuration: Realm.Configuration

    init() {
        SharedAgent.ensure()
        configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: directory.path("sets.realm")),
            objectTypes: [SetOwner.self, SetFriend.self])
    }

    private func open() throws -> Realm { try Realm(configuration: configuration) }

    /// Owners 0 to 2 with as many friends, of ages 10 and 20.
    private func filled() throws -> Realm {
        let realm = try open()
        try realm.write {
            let friends = [SetFriend("Ann", 10), SetFriend("Ben", 20)]
            for id in 0..<3 {
                let owner = SetOwner(id)
                owner.numbers.insert(objectsIn: (0..<id).map { $0 * 5 })
                owner.words.insert(objectsIn: ["shared", "own \(id)"])
                owner.friends.insert(objectsIn: friends.prefix(id))
                realm.add(owner)
            }
        }
        return realm
    }

    private func owner(_ id: Int, _ realm: Realm) throws -> SetOwner {
        try #require(realm.object(ofType: SetOwner.self, forPrimaryKey: id))
    }

    @Test("SE-02 to SE-06 elements come once and go", arguments: [false, true])
    func elements(isManaged: Bool) throws {
        let realm = try open()
        realm.beginWrite()
        let owner = SetOwner(9)
        if isManaged { realm.add(owner) }
        owner.numbers.insert(3)
        owner.numbers.insert(1)
        owner.numbers.insert(3)
        #expect(owner.numbers.count == 2 && owner.numbers.contains(3) && !owner.numbers.contains(2))
        owner.numbers.insert(objectsIn: [1, 2, 4])
        #expect(Set(owner.numbers) == [1, 2, 3, 4])
        owner.numbers.remove(2)
        owner.numbers.remove(7)
        #expect(Set(owner.numbers) == [1, 3, 4])
        owner.words.insert(objectsIn: ["e\u{301}", "é", "é"])
        #expect(owner.words.count == 2)
        owner.doubles.insert(objectsIn: [nil, 1, nil])
        #expect(owner.doubles.count == 2 && owner.doubles.contains(nil))
        owner.numbers.removeAll()
        #expect(owner.numbers.isEmpty && owner.numbers.first == nil)
        try realm.commitWrite()
    }

    @Test("SE-07 to SE-11 operations on two sets", arguments: [false, true])
    func operations(isManaged: Bool) throws {
        let realm = try open()
        realm.beginWrite()
        let (a, b) = (SetOwner(1), SetOwner(2))
        if isManaged { realm.add([a, b]) }
        a.numbers.insert(objectsIn: [1, 2, 3])
        b.numbers.insert(objectsIn: [2, 3])
        #expect(b.numbers.isSubset(of: a.numbers) && !a.numbers.isSubset(of: b.numbers))
        #expect(a.numbers.intersects(b.numbers))
        b.numbers.insert(9)
        a.numbers.formUnion(b.numbers)
        #expect(Set(a.numbers) == [1, 2, 3, 9])
        a.numbers.formIntersection(b.numbers)
        #expect(Set(a.numbers) == [2, 3, 9])
        b.numbers.remove(9)
        a.numbers.subtract(b.numbers)
        #expect(Set(a.numbers) == [9] && !a.numbers.intersects(b.numbers))
        a.numbers.subtract(a.numbers)
        #expect(a.numbers.isEmpty)
        try realm.commitWrite()
    }

    @Test("SE-01 a stable order between writes, read by position")
    func order() throws {
        let realm = try filled()
        let owner = try owner(2, realm)
        try realm.write { owner.numbers.insert(objectsIn: [7, -3, 100]) }
        let once = Array(owner.numbers)
        #expect(once == Array(owner.numbers) && once == (0..<owner.numbers.count).map { owner.numbers[$0] })
        #expect(once == Array(owner.freeze().numbers))
        #expect(owner.numbers.index(of: 100) == once.firstIndex(of: 100))
        #expect(owner.numbers.first == once.first && owner.numbers.last == once.last)
        realm.beginWrite()
        owner.numbers.insert(50)
        let inside = Array(owner.numbers)
        try realm.commitWrite()
        #expect(inside == Array(owner.numbers))
    }

    @Test("SE-02 SE-04 objects by row; they stay when they are removed")
    func objects() throws {
        let realm = try filled()
        let owner = try owner(2, realm)
        let ann = try #require(realm.object(ofType: SetFriend.self, forPrimaryKey: "Ann"))
        #expect(owner.friends.count == 2 && owner.friends.contains(ann))
        #expect(!owner.friends.contains(SetFriend("Ann")))
        #expect(ann.owners.map(\.id).sorted() == [1, 2])
        try realm.write {
            owner.friends.insert(ann)
            #expect(owner.friends.count == 2)
            owner.friends.remove(ann)
            let cid = SetFriend("Cid")
            owner.friends.insert(cid)
            #expect(cid.realm == realm && owner.friends.contains(cid))
        }
        #expect(Set(owner.friends.map(\.name)) == ["Ben", "Cid"])
        #expect(realm.objects(SetFriend.self).count == 3 && ann.owners.map(\.id) == [1])
        try realm.write {
            realm.delete(realm.objects(SetFriend.self).where { $0.name == "Ben" })
            #expect(owner.friends.map(\.name) == ["Cid"])
        }
        #expect(owner.friends.map(\.name) == ["Cid"])
    }

    @Test("SE-12 queries, order and aggregates of a set")
    func queries() throws {
        let realm = try filled()
        let owner = try owner(2, realm)
        #expect(owner.friends.where { $0.age > 15 }.map(\.name) == ["Ben"])
        #expect(owner.friends.sorted(by: \.age, ascending: false).map(\.name) == ["Ben", "Ann"])
        #expect(owner.friends.index(matching: { $0.name == "Nobody" }) == nil)
        #expect(owner.friends.max(of: \.age) == 20 && owner.friends.sum(of: \.age) == 30)
        #expect(owner.numbers.max() == 5 && owner.numbers.sum() == 5)
        #expect(Array(owner.numbers.sorted(ascending: false)) == [5, 0])
        #expect(Set(owner.friends.projectTo.name) == ["Ann", "Ben"])
        #expect(Set(owner.friends.value(forKey: "age") as? [Int] ?? []) == [10, 20])
        #expect(owner.friends.sectioned(by: \.age).allKeys == [10, 20])
    }

    @Test("QU-09 to QU-14 sets in queries")
    func inQueries() throws {
        let realm = try filled()
        let owners = realm.objects(SetOwner.self)
        func ids(_ results: Results<SetOwner>) -> [Int] { results.map(\.id) }
        #expect(ids(owners.where { $0.numbers.contains(5) }) == [2])
        #expect(ids(owners.where { $0.words.contains("own 1") }) == [1])
        #expect(ids(owners.where { $0.words.containsAny(in: ["own 1", "own 2"]) }) == [1, 2])
        #expect(ids(owners.where { $0.numbers.count == 1 }) == [1])
        #expect(ids(owners.where { $0.numbers.max == 5 }) == [2])
        #expect(ids(owners.where { $0.friends.age > 15 }) == [2])
        #expect(ids(owners.where { ($0.friends.age > 5 && $0.friends.name == "Ann").count == 1 }) == [1, 2])
        #expect(ids(owners.filter("ANY words == 'own 2'")) == [2])
        let ann = try #require(realm.object(ofType: SetFriend.self, forPrimaryKey: "Ann"))
        #expect(ids(owners.where { $0.friends.contains(ann) }) == [1, 2])
        #expect(realm.objects(SetFriend.self).where { $0.owners.id == 2 }.count == 2)
    }

    @Test("WR-19 PE-07 values, assignment, updates")
    func values() throws {
        let unmanaged = SetOwner(value: ["id": 5, "numbers": [1, 2.0, 2], "friends": [["name": "Eve"]]])
        #expect(Set(unmanaged.numbers) == [1, 2] && unmanaged.friends.first?.name == "Eve")
        let realm = try open()
        try realm.write {
            realm.add(unmanaged)
            let created = realm.create(SetOwner.self, value: ["id": 6, "suits": ["hearts", Suit.spades]])
            #expect(Set(created.suits) == [.hearts, .spades])
            created.numbers = unmanaged.numbers
            created.numbers = created.numbers
            #expect(Set(created.numbers) == [1, 2])
            realm.create(SetOwner.self, value: ["id": 6, "numbers": [2, 3]], update: .modified)
            #expect(Set(created.numbers) == [2, 3] && created.suits.count == 2)
            realm.create(SetOwner.self, value: ["id": 6, "suits": unmanaged.suits], update: .all)
            #expect(created.suits.isEmpty)
        }
        #expect(Set(try owner(6, realm).numbers) == [2, 3])
    }

    @Test("TH-02 to TH-04 CD-03 confinement and coding")
    func confinement() throws {
        let realm = try filled()
        let owner = try owner(2, realm)
        let numbers = owner.numbers
        #expect(numbers == owner.numbers && numbers.realm == realm)
        let frozen = numbers.freeze()
        try realm.write { numbers.insert(77) }
        #expect(frozen.isFrozen && !frozen.contains(77) && frozen.thaw()?.contains(77) == true)
        #expect(realm.resolve(ThreadSafeReference(to: numbers))?.count == 3)
        let data = try JSONEncoder().encode(frozen)
        let decoded = try JSONDecoder().decode(MutableSet<Int>.self, from: data)
        #expect(Set(decoded) == [0, 5])
        try realm.write { realm.delete(owner) }
        #expect(numbers.isInvalidated && frozen.count == 2)
        #expect(numbers.realm == realm && !numbers.isFrozen)
    }

    @Test("NO-02 NO-03 what came, went and changed")
    func observation() throws {
        let realm = try filled()
        let owner = try owner(2, realm)
        let log = Log()
        let queue = DispatchQueue(label: "sets")
        func words<C>(_ name: String, _ change: RealmCollectionChange<C>) -> String where C: Collection {
            switch change {
            case .initial(let set): "\(name) initial \(set.count)"
            case .update(let set, let deletions, let insertions, let modifications):
                "\(name) \(set.count) \(deletions) \(insertions) \(modifications)"
            case .error(let error): "\(error)"
            }
        }
        let tokens = [
            owner.numbers.observe(on: queue) { log.add(words("numbers", $0)) },
            owner.friends.observe(keyPaths: ["age"], on: queue) { log.add(words("friends", $0)) }
        ]
        #expect(eventually { log.all.count == 2 })
        try realm.write {
            owner.numbers.remove(5)
            owner.numbers.insert(6)
        }
        #expect(eventually { log.last == "numbers 2 [1] [1] []" })
        let position = try #require(owner.friends.index(matching: { $0.name == "Ben" }))
        try realm.write { owner.friends[position].age = 21 }
        #expect(eventually { log.last == "friends 2 [] [] [\(position)]" })
        for token in tokens { token.invalidate() }
    }

    @Test(
        "MK-04, MK-33, SE-13 mistakes trap",
        arguments: [
            ("set-outside-write", "cannot modify managed MutableSet 'Bag.numbers' outside of a write transaction"),
            ("set-unmanaged-operand", "must be a managed Set"), ("set-foreign-operand", "different Realms")
        ])
    func mistakes(scenario: String, says: String) throws {
        try expectTrap(scenario, says)
    }

    @Test("SE-13 SV-21 a set of embedded objects is refused when the realm is opened")
    func embedded() throws {
        let error = #expect(throws: Realm.Error.self) {
            try Realm(
                configuration: Realm.Configuration(
                    fileURL: URL(fileURLWithPath: directory.path("faulty.realm")),
                    objectTypes: [SetOfParts.self, SetPart.self]))
        }
        #expect(error?.localizedDescription.contains("'SetOfParts.parts' is a set of embedded objects") == true)
    }
}

private final class SetPart: EmbeddedObject {
    @Persisted var name: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class SetOfParts: Object {
    @Persisted var parts: MutableSet<SetPart>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
