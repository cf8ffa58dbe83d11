import Dispatch
import Foundation
import RealmSwift
import TestSupport
import Testing

/// Section 3: writing.
@Suite("Section 3: writing")
struct Section03WritingTests {
    /// Holds the directory: its file vanishes with it.
    private let shelter = Shelter()

    @Test("WR-01, WR-03, WR-04, WR-06: a block, and its parts by hand") func transactions() throws {
        let realm = try shelter.filled()
        let count = try realm.write {
            realm.add(ShelterDog(10, "Zeus"))
            #expect(realm.isInWriteTransaction)
            return realm.objects(ShelterDog.self).count
        }
        #expect(count == 7 && !realm.isInWriteTransaction)
        struct Enough: Error {}
        #expect(throws: Enough.self) {
            try realm.write {
                realm.deleteAll()
                throw Enough()
            }
        }
        #expect(realm.objects(ShelterDog.self).count == 7)
        try realm.write {
            realm.add(ShelterDog(11, "Ares"))
            realm.cancelWrite()
        }
        realm.beginWrite()
        realm.add(ShelterDog(12, "Hera"))
        try realm.commitWrite()
        #expect(realm.objects(ShelterDog.self).map(\.id).suffix(2) == [10, 12])
    }

    @Test("WR-16, WR-28, WR-29, WR-31, WR-32: several at once") func several() throws {
        let realm = try shelter.filled()
        try realm.write { realm.add([ShelterDog(10, "Zeus"), ShelterDog(11, "Ares")]) }
        let dogs = realm.objects(ShelterDog.self)
        #expect(dogs.count == 8)
        try realm.write {
            realm.delete([dogs[7], dogs[6]])
            #expect(dogs.count == 6)
            let old = dogs.where { $0.age > 6 }
            realm.delete(old)
            #expect(old.isEmpty && dogs.count == 4)
        }
        let ann = try #require(realm.object(ofType: ShelterKeeper.self, forPrimaryKey: "Ann"))
        try realm.write { realm.delete(ann.dogs) }
        #expect(ann.dogs.isEmpty && dogs.map(\.id) == [4, 5])
        try realm.write { realm.deleteAll() }
        #expect(realm.isEmpty && ann.isInvalidated)
    }

    @Test(
        "WR-33, WR-15, WR-23: assignments",
        arguments: [
            ("set-outside", "not in a write transaction"), ("MK-15", "can't be changed after an object is inserted"),
            ("frozen-set", "frozen"), ("deleted-read", "deleted or invalidated"), ("MK-12", "deleted or invalidated"),
            ("MK-20 created", "'Dog.age'")
        ])
    func assignments(scenario: String, says: String) throws {
        try expectTrap(scenario, says)
    }

    @Test("WR-34 to WR-37: embedded objects belong to one parent") func embedded() throws {
        SharedAgent.ensure()
        let directory = TemporaryDirectory()
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: directory.path("crates.realm")),
                objectTypes: [WritingCrate.self, WritingLabel.self]))
        let crate = try realm.write {
            let crate = realm.create(WritingCrate.self)
            crate.label = WritingLabel(value: ["text": "one"])
            crate.labels.append(WritingLabel(value: ["text": "two"]))
            crate.byName["a"] = WritingLabel(value: ["text": "three"])
            return crate
        }
        let first = try #require(crate.label)
        try realm.write {
            crate.label = WritingLabel(value: ["text": "four"])
            crate.byName["a"] = WritingLabel(value: ["text": "five"])
        }
        #expect(first.isInvalidated && crate.label?.text == "four" && crate.byName["a"]??.text == "five")
        let last = try #require(crate.labels.first)
        try realm.write { realm.delete(crate) }
        #expect(last.isInvalidated)
        try expectTrap("embedded-elsewhere", "existing managed embedded object")
    }
}

final class WritingLabel: EmbeddedObject {
    @Persisted var text: String
}

final class WritingCrate: Object {
    @Persisted var label: WritingLabel?
    @Persisted var labels: List<WritingLabel>
    @Persisted var byName: Map<String, WritingLabel?>
}
