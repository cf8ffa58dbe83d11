import Foundation
import RealmSwift
import Testing

/// Lists of objects in a realm, and the inverse of links (api.md sections 11.1 and 12).
struct ListManagedTests {
    private let fixture = PackFixture()

    private func pack(_ realm: Realm) throws -> Pack {
        try #require(realm.object(ofType: Pack.self, forPrimaryKey: "all"))
    }

    @Test func keepsWhatWasAdded() throws {
        let realm = try fixture.filled()
        let pack = try pack(realm)
        #expect(pack.hounds.map(\.id) == [0, 1, 2, 3, 4])
        #expect(Array(realm.objects(Hound.self)[3].tricks) == ["trick0", "trick1", "trick2"])
        #expect(Array(realm.objects(Hound.self)[2].scores) == [2, 20])
        #expect(pack.hounds.realm == realm)
    }

    @Test func changesInATransaction() throws {
        let realm = try fixture.filled()
        let pack = try pack(realm)
        let tricks = realm.objects(Hound.self)[4].tricks
        try realm.write {
            tricks.append("new")
            tricks.insert("first", at: 0)
            tricks.remove(at: 1)
            tricks[1] = "second"
            tricks.move(from: 0, to: 2)
            #expect(Array(tricks) == ["second", "trick2", "first", "trick3", "new"])
            tricks.swapAt(0, 4)
            pack.hounds.append(Hound(7, "Unmanaged"))
            pack.hounds.removeFirst(2)
            #expect(pack.hounds.map(\.id) == [2, 3, 4, 7])
        }
        #expect(Array(tricks) == ["new", "trick2", "first", "trick3", "second"])
        #expect(pack.hounds.map(\.id) == [2, 3, 4, 7])
        #expect(realm.objects(Hound.self).count == 6)
        try realm.write { pack.hounds.removeAll() }
        #expect(pack.hounds.isEmpty)
        #expect(realm.objects(Hound.self).count == 6)
    }

    @Test func isQueriedLikeResults() throws {
        let realm = try fixture.filled()
        let pack = try pack(realm)
        #expect(pack.hounds.where { $0.age > 4 }.map(\.id) == [0, 1, 2])
        #expect(pack.hounds.filter("name CONTAINS 'o'").map(\.id) == [1, 2, 4])
        #expect(pack.hounds.sorted(by: \.age).map(\.id) == [4, 3, 2, 1, 0])
        #expect(pack.hounds.sum(of: \.age) == 30)
        #expect(pack.hounds.index(of: realm.objects(Hound.self)[2]) == 2)
        let scores = realm.objects(Hound.self)[2].scores
        #expect(scores.max() == 20)
        #expect(Array(scores.sorted(ascending: false)) == [20, 2])
        #expect(scores.index(of: 20) == 1)
    }

    @Test func deletedObjectsLeaveTheList() throws {
        let realm = try fixture.filled()
        let pack = try pack(realm)
        try realm.write { realm.delete(realm.objects(Hound.self)[1]) }
        #expect(pack.hounds.map(\.id) == [0, 2, 3, 4])
        let hounds = pack.hounds
        try realm.write { realm.delete(hounds) }
        #expect(realm.objects(Hound.self).isEmpty)
        try realm.write { realm.delete(pack) }
        #expect(hounds.isInvalidated)
    }

    /// LK-01, LK-05
    @Test func inverseLinks() throws {
        let realm = try fixture.filled()
        let hound = realm.objects(Hound.self)[1]
        #expect(hound.packs.map(\.name) == ["all"])
        try realm.write {
            let pair = Pack("pair")
            realm.add(pair)
            pair.hounds.append(hound)
            pair.hounds.append(hound)
            #expect(hound.packs.map(\.name).sorted() == ["all", "pair", "pair"])
        }
        #expect(hound.packs.count == 3)
        #expect(hound.packs.where { $0.name == "pair" }.count == 2)
        #expect(hound.packs.realm == realm)
    }

    @Test func assigningReplacesTheContents() throws {
        let realm = try fixture.filled()
        let hound = realm.objects(Hound.self)[4]
        try realm.write {
            hound.tricks = realm.objects(Hound.self)[1].tricks
            hound.scores = hound.scores
        }
        #expect(Array(hound.tricks) == ["trick0"])
        #expect(Array(hound.scores) == [4, 40])
    }

    @Test func frozenListsStay() throws {
        let realm = try fixture.filled()
        let hounds = try pack(realm).hounds
        let frozen = hounds.freeze()
        try realm.write { hounds.removeAll() }
        #expect(frozen.map(\.id) == [0, 1, 2, 3, 4])
        #expect(frozen.thaw()?.isEmpty == true)
    }
}
