import Foundation
import RealmSwift
import TestSupport
import Testing

/// Live results over an agent (api.md sections 14 to 16).
struct ResultsTests {
    private let fixture = PackFixture()

    @Test func allObjectsOfAClass() throws {
        let realm = try fixture.filled()
        let hounds = realm.objects(Hound.self)
        #expect(hounds.count == 5)
        #expect(hounds.map(\.id) == [0, 1, 2, 3, 4])
        #expect(hounds[2].name == "Ivo")
        #expect(hounds.first?.name == "Rex")
        #expect(hounds.last?.name == "Rolf")
        #expect(realm.objects(Master.self).count == 1)
    }

    @Test func filtersByClosure() throws {
        let hounds = try fixture.filled().objects(Hound.self)
        #expect(hounds.where { $0.age > 4 }.map(\.id) == [0, 1, 2])
        #expect(hounds.where { $0.name.starts(with: "R") && $0.age < 10 }.map(\.id) == [4])
        #expect(hounds.where { $0.isGood }.where { $0.age > 2 }.map(\.id) == [2, 3])
        #expect(hounds.where { !$0.isGood }.count == 2)
        #expect(hounds.where { $0.weight == nil }.map(\.id) == [4])
        #expect(hounds.where { $0.temper == .wild }.map(\.id) == [3])
        #expect(hounds.where { $0.owner.city == "Kyiv" }.map(\.id) == [0, 2, 4])
        #expect(hounds.where { $0.owner == nil }.map(\.id) == [1, 3])
        #expect(hounds.where { $0.id.in([1, 4, 9]) }.map(\.id) == [1, 4])
        #expect(hounds.where { $0.age.contains(4...8) }.map(\.id) == [1, 2, 3])
        #expect(hounds.where { $0.name.contains("l", options: .caseInsensitive) }.map(\.id) == [1, 4])
    }

    @Test func filtersThroughCollections() throws {
        let realm = try fixture.filled()
        let hounds = realm.objects(Hound.self)
        #expect(hounds.where { $0.tricks.contains("trick2") }.map(\.id) == [3, 4])
        #expect(hounds.where { $0.tricks.count >= 3 }.map(\.id) == [3, 4])
        #expect(hounds.where { $0.scores.sum > 30 }.map(\.id) == [3, 4])
        let packs = realm.objects(Pack.self)
        #expect(packs.where { $0.hounds.age > 9 }.count == 1)
        #expect(packs.where { $0.hounds.age > 10 }.isEmpty)
        #expect(packs.where { $0.hounds.age.min == 2 }.count == 1)
        #expect(packs.where { ($0.hounds.age > 4 && $0.hounds.isGood).count == 1 }.count == 1)
        #expect(hounds.where { $0.packs.name == "all" }.count == 5)
    }

    @Test func comparesObjectsByIdentity() throws {
        let realm = try fixture.filled()
        let ann = try #require(realm.object(ofType: Master.self, forPrimaryKey: "Ann"))
        #expect(realm.objects(Hound.self).where { $0.owner == ann }.map(\.id) == [0, 2, 4])
        #expect(realm.objects(Hound.self).filter("owner == %@", ann).count == 3)
        #expect(realm.objects(Hound.self).filter(NSPredicate(format: "owner == %@", ann)).count == 3)
        #expect(realm.objects(Hound.self).filter("owner == %@", ann.freeze()).count == 3)
        #expect(realm.freeze().objects(Hound.self).where { $0.owner == ann }.count == 3)
        let rex = realm.objects(Hound.self)[0]
        #expect(realm.objects(Pack.self).where { $0.hounds.contains(rex) }.count == 1)
    }

    @Test func filtersByFormat() throws {
        let hounds = try fixture.filled().objects(Hound.self)
        #expect(hounds.filter("age > 4 AND name BEGINSWITH 'R'").map(\.id) == [0])
        #expect(hounds.filter("age > %@", 6).map(\.id) == [0, 1])
        #expect(hounds.filter("%K == %@", "owner.name", "Ann").map(\.id) == [0, 2, 4])
        #expect(hounds.filter("id IN %@", [1, 2]).map(\.id) == [1, 2])
        #expect(hounds.filter("weight == %@", Double?.none as Any).map(\.id) == [4])
        #expect(hounds.filter("ANY packs.name == 'all'").count == 5)
        #expect(hounds.filter(NSPredicate(format: "isGood == true AND id < %d", 4)).map(\.id) == [2, 3])
        #expect(hounds.index(matching: "name == %@", "Ivo") == 2)
        #expect(hounds.index(matching: { $0.name == "nobody" }) == nil)
    }

    @Test("PR-03, XR-19: number objects are numbers, and only those that were booleans are booleans")
    func numberObjects() throws {
        let hounds = try fixture.filled().objects(Hound.self)
        #expect(hounds.filter("weight > %@", NSNumber(value: 1)).map(\.id) == [1, 2, 3])
        #expect(hounds.filter("weight > %@", NSNumber(value: 0)).count == 4)
        #expect(hounds.filter("age == %@", NSNumber(value: 2)).map(\.id) == [4])
        #expect(hounds.filter("ANY scores == %@", NSNumber(value: 1)).map(\.id) == [1])
        #expect(hounds.filter("weight == %@", NSNumber(value: 0.5)).map(\.id) == [0])
        #expect(hounds.filter("isGood == %@", NSNumber(value: true)).map(\.id) == [2, 3, 4])
        #expect(hounds.filter("id IN %@", [NSNumber(value: 0), NSNumber(value: 1)]).map(\.id) == [0, 1])
    }

    @Test("XR-12, PR-13: constant predicates, also inside of others")
    func constantPredicates() throws {
        let hounds = try fixture.filled().objects(Hound.self)
        #expect(hounds.filter(NSPredicate(value: true)).count == 5)
        #expect(hounds.filter(NSPredicate(value: false)).isEmpty)
        let parts = [NSPredicate(value: true), NSPredicate(format: "age > 5")]
        #expect(hounds.filter(NSCompoundPredicate(andPredicateWithSubpredicates: parts)).map(\.id) == [0, 1, 2])
        #expect(hounds.filter("TRUEPREDICATE").count == 5)
    }

    @Test func sorts() throws {
        let hounds = try fixture.filled().objects(Hound.self)
        #expect(hounds.sorted(byKeyPath: "age").map(\.id) == [4, 3, 2, 1, 0])
        #expect(hounds.sorted(by: \.name).map(\.name) == ["Ada", "Bello", "Ivo", "Rex", "Rolf"])
        #expect(hounds.sorted(by: \.name, ascending: false).first?.name == "Rolf")
        #expect(
            hounds.sorted(by: ["isGood", SortDescriptor(keyPath: "id", ascending: false)]).map(\.id) == [1, 0, 4, 3, 2])
        #expect(hounds.sorted(byKeyPath: "owner.name").map(\.id) == [0, 2, 4, 1, 3])
        #expect(hounds.sorted(by: \.name).index(of: hounds[0]) == 3)
        #expect(hounds.sorted(by: \.age).where { $0.isGood }.map(\.id) == [4, 3, 2])
        #expect(hounds.distinct(by: ["isGood"]).map(\.id) == [0, 2])
    }

    /// What distinct kept is filtered: a filter never brings back what it dropped.
    @Test func filtersWhatDistinctLeft() throws {
        let realm = try fixture.filled()
        let hounds = realm.objects(Hound.self)
        let distinct = hounds.distinct(by: ["isGood"])
        #expect(distinct.map(\.id) == [0, 2])
        #expect(distinct.where { $0.age < 8 }.map(\.id) == [2])
        #expect(distinct.where { $0.age < 6 }.isEmpty)
        #expect(hounds.where { $0.age < 6 }.distinct(by: ["isGood"]).map(\.id) == [3])
        #expect(hounds.distinct(by: ["isGood"]).filter("age < 8").filter("id > 1").map(\.id) == [2])
        #expect(distinct.where { $0.age < 8 }.sorted(by: \.age).where { $0.id == 2 }.count == 1)
        // The order decides what distinct keeps; sorting before or after a filter is the same.
        let youngest = hounds.sorted(by: \.age).distinct(by: ["isGood"])
        #expect(youngest.map(\.id) == [4, 1])
        #expect(youngest.where { $0.age > 5 }.map(\.id) == [1])
        #expect(youngest.sorted(by: \.id).where { $0.age > 1 }.map(\.id) == [1, 4])
        #expect(youngest.where { $0.age > 5 }.max(of: \.age) == 8)
        #expect(youngest.index(matching: { $0.id == 1 }) == 1)
        #expect(realm.objects(Pack.self)[0].hounds.distinct(by: ["isGood"]).where { $0.age < 8 }.map(\.id) == [2])
    }

    @Test func filtersWhatDistinctLeftInATransaction() throws {
        let realm = try fixture.filled()
        let good = realm.objects(Hound.self).distinct(by: ["isGood"]).where { $0.age < 8 }
        let live = AnyRealmCollection(good)
        try realm.write {
            realm.objects(Hound.self)[0].age = 7
            #expect(good.map(\.id) == [0, 2])
            realm.delete(realm.objects(Hound.self)[2])
            #expect(live.map(\.id) == [0, 3])
        }
        #expect(live.map(\.id) == [0, 3])
    }

    @Test func aggregates() throws {
        let hounds = try fixture.filled().objects(Hound.self)
        #expect(hounds.min(of: \.age) == 2)
        #expect(hounds.max(ofProperty: "age") as Int? == 10)
        #expect(hounds.sum(of: \.age) == 30)
        #expect(hounds.average(ofProperty: "age") as Double? == 6)
        #expect(hounds.sum(of: \.weight) == 8)
        #expect(hounds.average(of: \.weight) == 2)
        let none = hounds.where { $0.age > 100 }
        #expect(none.min(of: \.age) == nil)
        #expect(none.sum(of: \.age) == 0)
        #expect(none.average(of: \.weight) == nil)
    }

    @Test func showsTheChangesOfAnOpenTransaction() throws {
        let realm = try fixture.filled()
        let hounds = realm.objects(Hound.self)
        let old = hounds.where { $0.age > 7 }
        #expect(old.count == 2)
        try realm.write {
            realm.add(Hound(9, "New", age: 20))
            #expect(hounds.count == 6)
            #expect(old.map(\.id) == [0, 1, 9])
            hounds[0].age = 1
            #expect(old.map(\.id) == [1, 9])
            #expect(hounds.map(\.age) == [1, 8, 6, 4, 2, 20])
            realm.delete(hounds[1])
            #expect(old.map(\.id) == [9])
            #expect(hounds.max(of: \.age) == 20)
        }
        #expect(old.map(\.id) == [9])
        #expect(hounds.map(\.id) == [0, 2, 3, 4, 9])
    }

    @Test func deletingWhileIterating() throws {
        let realm = try fixture.filled()
        let hounds = realm.objects(Hound.self)
        try realm.write {
            for hound in hounds where hound.id % 2 == 1 { realm.delete(hound) }
        }
        #expect(hounds.map(\.id) == [0, 2, 4])
        try realm.write { realm.delete(hounds.where { $0.id > 0 }) }
        #expect(hounds.map(\.id) == [0])
        try realm.write { realm.delete(hounds) }
        #expect(hounds.isEmpty)
        #expect(hounds.first == nil)
    }

    /// Objects that outlive their turn of a loop stay what they were.
    @Test func keepingObjectsOfALoop() throws {
        let realm = try fixture.filled()
        var strong: [Hound] = []
        weak var weakly: Hound?
        for (turn, hound) in realm.objects(Hound.self).enumerated() {
            if turn % 2 == 0 { strong.append(hound) }
            if turn == 1 { weakly = hound }
            if turn > 1 { #expect(weakly == nil || weakly?.id == 1) }
        }
        #expect(strong.map(\.id) == [0, 2, 4])
        var tricks: [List<String>] = []
        for hound in realm.objects(Hound.self) { tricks.append(hound.tricks) }
        #expect(tricks.map(\.count) == [0, 1, 2, 3, 4])
    }

    /// Objects that are read by position stay what they were while others are read.
    @Test func keepingObjectsReadByPosition() throws {
        let realm = try fixture.filled()
        let hounds = realm.objects(Hound.self)
        let first = hounds[0]
        weak var second: Hound?
        second = hounds[1]
        #expect(hounds[2].id == 2)
        #expect(hounds[3].tricks.count == 3)
        #expect(first.id == 0)
        #expect(second == nil || second?.id == 1)
        let tricks = (0..<5).map { hounds[$0].tricks }
        #expect(tricks.map(\.count) == [0, 1, 2, 3, 4])
        let packs = (0..<5).map { hounds[$0].packs }
        #expect(packs.map(\.count) == [1, 1, 1, 1, 1])
    }

    /// The place of the last object read is known only as long as nothing changes.
    @Test func positionsFollowChanges() throws {
        let realm = try fixture.filled()
        let hounds = realm.objects(Hound.self)
        let young = hounds.where { $0.age < 8 }.sorted(by: \.age)
        #expect(hounds[1].name == "Bello")
        #expect(young[0].name == "Rolf")
        try realm.write {
            hounds[1].name = "Bella"
            #expect(hounds[1].name == "Bella")
            realm.delete(hounds[0])
            #expect(hounds[0].name == "Bella")
            hounds[3].age = 7
            #expect(young.map(\.name) == ["Ada", "Ivo", "Rolf"])
            #expect(young[2].age == 7)
            realm.add(Hound(9, "Zoe", age: 1))
            #expect(hounds[4].name == "Zoe")
            #expect(young[0].name == "Zoe")
        }
        #expect(hounds[0].name == "Bella")
        #expect(young[0].name == "Zoe")
        realm.beginWrite()
        realm.delete(hounds[0])
        #expect(hounds[0].name == "Ivo")
        realm.cancelWrite()
        #expect(hounds[0].name == "Bella")
    }

    /// Positions in any order, over more objects than lie together in the file.
    @Test func positionsOfManyObjects() async throws {
        let realm = try fixture.filled()
        try realm.write {
            for id in 10..<4_000 { realm.add(Hound(id, "hound \(id)", age: id % 10)) }
        }
        let hounds = realm.objects(Hound.self)
        let nine = hounds.where { $0.age == 9 && $0.id >= 10 }
        let frozen = nine.freeze()
        var generator = SeededGenerator(seed: randomSeed)
        #expect(hounds.count == 3_995)
        let ids = Array(hounds).map(\.id)
        let random = (0..<500).map { _ in Int.random(in: 0..<3_995, using: &generator) }
        for index in [0, 3_994, 1_000, 999, 998] + random {
            #expect(hounds[index].id == ids[index], "seed \(randomSeed)")
        }
        for index in (0..<nine.count).reversed() { #expect(nine[index].id == 19 + 10 * index) }
        nonisolated(unsafe) let elsewhere = frozen
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 {
                group.addTask { (0..<elsewhere.count).allSatisfy { elsewhere[$0].id == 19 + 10 * $0 } }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test func frozenResultsStay() async throws {
        let realm = try fixture.filled()
        let old = realm.objects(Hound.self).where { $0.age > 4 }
        let frozen = old.freeze()
        try realm.write { realm.delete(old) }
        #expect(old.isEmpty)
        #expect(frozen.isFrozen)
        #expect(frozen.map(\.id) == [0, 1, 2])
        #expect(frozen.where { $0.id > 0 }.map(\.name) == ["Bello", "Ivo"])
        nonisolated(unsafe) let elsewhere = frozen
        let names = await Task.detached { elsewhere.map(\.name) + [] }.value
        #expect(Array(names) == ["Rex", "Bello", "Ivo"])
        #expect(frozen.thaw()?.isEmpty == true)
    }

    @Test func erasedCollectionsStayLive() throws {
        let realm = try fixture.filled()
        let hounds = AnyRealmCollection(realm.objects(Hound.self).where { $0.isGood })
        #expect(hounds.count == 3)
        try realm.write { realm.delete(realm.objects(Hound.self)) }
        #expect(hounds.isEmpty)
        #expect(realm.objects(Hound.self) == realm.objects(Hound.self))
        #expect(realm.objects(Hound.self) != realm.objects(Hound.self).where { $0.isGood })
    }
}
