import Foundation
import RealmSwift
import TestSupport
import Testing

/// Sections 12, 14, 16 and 17: what collections of objects have in common, results, sort descriptors.
@Suite("Sections 14 to 17: collections and results")
struct Section16ResultsTests {
    /// Holds the directory: its file vanishes with it.
    private let shelter = Shelter()

    @Test("CO-04 to CO-07: a lazy random-access collection") func collection() throws {
        let realm = try shelter.filled()
        let dogs = realm.objects(ShelterDog.self)
        #expect(dogs.count == 6 && dogs.first?.id == 0 && dogs.last?.id == 5 && dogs[2].id == 2)
        #expect(Array(dogs.map(\.id)) == [0, 1, 2, 3, 4, 5] && dogs.first { $0.age > 7 }?.id == 3)
        #expect(dogs.realm == realm && !dogs.isInvalidated)
        var seen = 0
        _ =
            dogs.lazy.map { (dog: ShelterDog) -> Int in
                seen += 1
                return dog.id
            }.first
        #expect(seen == 1)
        try realm.write { realm.delete(dogs) }
        #expect(dogs.isEmpty && dogs.first == nil && dogs.last == nil)
    }

    @Test("CO-12 to CO-16, CO-40: filters and orders") func orders() throws {
        let dogs = try shelter.filled().objects(ShelterDog.self)
        func ids(_ found: Results<ShelterDog>) -> [Int] { Array(found.map(\.id)) }
        #expect(ids(dogs.filter("age > %@", 4).where { $0.breed == "boxer" }) == [0, 2])
        #expect(ids(dogs.sorted(byKeyPath: "name")) == [1, 2, 4, 3, 0, 5])
        #expect(ids(dogs.sorted(byKeyPath: "age", ascending: false)) == [3, 0, 2, 5, 1, 4])
        #expect(ids(dogs.sorted(by: \.age)) == [4, 1, 5, 2, 0, 3])
        // Without a keeper is after all keepers; so descending it is before them.
        #expect(ids(dogs.sorted(by: \.keeper?.name, ascending: false).filter("age > 3")) == [5, 0, 2, 3])
        let orders: [RealmSwift.SortDescriptor] = [
            SortDescriptor(keyPath: "breed"), SortDescriptor(keyPath: \ShelterDog.age, ascending: false)
        ]
        #expect(ids(dogs.sorted(by: orders)) == [5, 1, 4, 0, 2, 3])
        #expect(ids(dogs.sorted(byKeyPath: "age").sorted(byKeyPath: "breed")) == [5, 4, 1, 2, 0, 3])
        #expect(orders[0].reversed() == RealmSwift.SortDescriptor(keyPath: "breed", ascending: false))
        let literal: RealmSwift.SortDescriptor = "age"
        #expect(literal.keyPath == "age" && literal.ascending)
    }

    @Test("CO-33, CO-34, CO-35: live, also within a transaction; a frozen copy stays") func live() throws {
        let realm = try shelter.filled()
        let old = realm.objects(ShelterDog.self).where { $0.age > 4 }.filter("breed == 'boxer'")
        let frozen = old.freeze()
        #expect(old.map(\.id).sorted() == [0, 2])
        try realm.write {
            realm.add(ShelterDog(7, "Zeus", breed: "boxer", age: 12))
            #expect(old.count == 3 && old.last?.name == "Zeus")
            old[0].age = 1
            #expect(old.map(\.id).sorted() == [2, 7])
        }
        #expect(old.count == 2 && frozen.map(\.id).sorted() == [0, 2] && frozen[0].age == 7)
        #expect(old == old && old.description.hasPrefix("Results<ShelterDog>"))
    }

    @Test("LK-01, LK-02, LK-04, LK-05, PE-05: inverse links") func inverseLinks() throws {
        let realm = try shelter.filled()
        let dog = try #require(realm.object(ofType: ShelterDog.self, forPrimaryKey: 1))
        let ann = try #require(realm.object(ofType: ShelterKeeper.self, forPrimaryKey: "Ann"))
        #expect(dog.keepers.map(\.name) == ["Ann"])
        try realm.write { ann.dogs.append(dog) }
        #expect(dog.keepers.map(\.name) == ["Ann", "Ann"])
        try realm.write { ann.dogs.removeAll() }
        #expect(dog.keepers.isEmpty)
        #expect(ShelterDog().keepers.isEmpty && ShelterDog().keepers.realm == nil)
    }
}
