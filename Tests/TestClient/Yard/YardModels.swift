import Foundation
import RealmSwift

// What the random notification test writes and observes. Identifiers are never used again.

final class Wagon: Object {
    @Persisted(primaryKey: true) var id: Int
    /// One more after each change of the other properties, so that assigning the same value shows as well.
    @Persisted var stamp: Int
    @Persisted var track: String
    @Persisted var rank: Int
    @Persisted var next: Wagon?
    @Persisted var load: Load?
    @Persisted(originProperty: "next") var followers: LinkingObjects<Wagon>
}

/// Has no links: observers of its class look at written objects only.
final class Load: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var stamp: Int
    @Persisted var weight: Int
}

/// There is one.
final class Yard: Object {
    @Persisted(primaryKey: true) var name: String
    /// One more in each transaction: no two versions have the same.
    @Persisted var clock: Int
    @Persisted var wagons: List<Wagon>
    @Persisted var numbers: List<Int>
    @Persisted var members: MutableSet<Wagon>
    @Persisted var tags: MutableSet<String>
    @Persisted var named: Map<String, Wagon?>
    @Persisted var counts: Map<String, Int>

    /// The wagon that is never deleted.
    static let locomotive = 1

    static func open(_ path: String, queue: DispatchQueue?) throws -> (Realm, Yard) {
        let configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: path), objectTypes: [Wagon.self, Load.self, Yard.self])
        let realm = try Realm(configuration: configuration, queue: queue)
        let yard = try realm.write {
            if let yard = realm.object(ofType: Yard.self, forPrimaryKey: "yard") { return yard }
            realm.create(Wagon.self, value: ["id": locomotive, "track": "a"])
            return realm.create(Yard.self, value: ["name": "yard"])
        }
        return (realm, yard)
    }
}
