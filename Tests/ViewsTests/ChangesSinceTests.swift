import Foundation
import RealmSwift
import TestSupport
import Testing

/// `Results.changes(since:)`.
@Suite struct ChangesSinceTests {
    @Test func changesAreToldUntilTheyAreDealtWith() throws {
        let kennel = Kennel()
        let realm = try kennel.filled("Rex", "Ada", "Zoe")
        let results = realm.objects(KennelDog.self).where { $0.age == 0 }
        let first = try results.changes(since: "feeding")
        #expect(first.isFirst && Set(first.insertions.map(\.name)) == ["Rex", "Ada", "Zoe"])
        try first.advance()
        let dogs = realm.objects(KennelDog.self)
        let (rex, ada, zoe) = try (
            #require(dogs.where { $0.name == "Rex" }.first), #require(dogs.where { $0.name == "Ada" }.first),
            #require(dogs.where { $0.name == "Zoe" }.first)
        )
        let (adaId, zoeId) = (ada._id, zoe._id)
        try realm.write {
            rex.breed = "boxer"
            ada.age = 4
            realm.delete(zoe)
            realm.add(KennelDog(name: "Ivo"))
        }
        for _ in 0..<2 {
            let changes = try results.changes(since: "feeding")
            #expect(!changes.isFirst && changes.insertions.map(\.name) == ["Ivo"])
            #expect(changes.modifications.map(\.breed) == ["boxer"])
            #expect(Set(changes.deletions) == [.objectId(adaId), .objectId(zoeId)])
        }
        let seen = try results.changes(since: "feeding")
        try realm.write { rex.breed = "collie" }
        // Only what was seen is dealt with.
        try seen.advance()
        #expect(try results.changes(since: "feeding").modifications.map(\.breed) == ["collie"])
        #expect(throws: Realm.Error.self) { try realm.objects(KennelDog.self).changes(since: "feeding") }
    }
}
