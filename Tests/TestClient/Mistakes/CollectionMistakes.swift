import Foundation
import RealmSwift

final class Buoy: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>
}

final class Harbour: Object {
    @Persisted var place: Buoy?
}

/// Mistakes with collections and queries by their number in the catalogue; each ends in a trap.
enum CollectionMistakes {
    static var all: [String: Scenario.Body] { indices.merging(orders) { $1 }.merging(queries) { $1 } }

    private static func dogs(_ arguments: [String]) throws -> Results<Dog> {
        try realmWithDog(arguments).0.objects(Dog.self)
    }

    private static var indices: [String: Scenario.Body] {
        [
            "MK-07 list": { arguments in try realmWithDog(arguments).1.freeze().scores.append(1) },
            "MK-28 results": { arguments in _ = try dogs(arguments)[-1] },
            "MK-28 list": { arguments in _ = try realmWithDog(arguments).1.scores[-1] },
            "MK-29 results": { arguments in _ = try dogs(arguments)[1] },
            "MK-29 unmanaged": { _ in _ = Dog(1).scores[3] },
            "MK-29 insertion": { arguments in
                let (realm, dog) = try realmWithDog(arguments)
                try realm.write { dog.scores.insert(1, at: 1) }
            },
            "MK-30 first": { arguments in
                let (realm, dog) = try realmWithDog(arguments)
                try realm.write { dog.scores.removeFirst(2) }
            },
            "MK-30 last": { arguments in
                let (realm, dog) = try realmWithDog(arguments)
                try realm.write { dog.scores.removeLast(2) }
            },
            "MK-31": { arguments in _ = try dogs(arguments).objects(at: [0, 7]) },
            "MK-32": { arguments in
                let (realm, dog) = try realmWithDog(arguments)
                let scores = dog.scores
                try realm.write { realm.delete(dog) }
                _ = scores.count
            },
            "MK-48 object": { _ in _ = Dog(1).observe { (_: ObjectChange<Dog>) in } },
            "MK-48 list": { _ in _ = Dog(1).scores.observe { _ in } },
            "MK-49": { arguments in _ = try dogs(arguments).freeze().observe { _ in } },
            "MK-52 list": { arguments in
                _ = try realmWithDog(arguments).1.friends.observe(keyPaths: ["owner.bark"]) { _ in }
            }
        ]
    }

    private static var orders: [String: Scenario.Body] {
        [
            "MK-35 text": { arguments in let _: Int = try dogs(arguments).sum(ofProperty: "name") },
            "MK-35 unknown": { arguments in let _: Int? = try dogs(arguments).max(ofProperty: "bark") },
            "MK-36": { arguments in
                let _: Int? = try realmWithDog(arguments).1.scores.max(ofProperty: "age")
            },
            "MK-37 sort": { arguments in _ = try dogs(arguments).sorted(byKeyPath: "bark") },
            "MK-37 distinct": { arguments in _ = try dogs(arguments).distinct(by: ["owner.bark"]) },
            "MK-38 operator": { arguments in _ = try dogs(arguments).sorted(byKeyPath: "scores.@count") },
            "MK-38 collection": { arguments in _ = try dogs(arguments).distinct(by: ["friends.name"]) }
        ]
    }

    private static var queries: [String: Scenario.Body] {
        [
            "MK-41 unknown property": { arguments in _ = try dogs(arguments).filter("bark == 3") },
            "MK-41 type": { arguments in _ = try dogs(arguments).filter("age == 'three'") },
            "MK-41 operator": { arguments in _ = try dogs(arguments).filter("age BEGINSWITH '3'") },
            "MK-41 key path": { arguments in _ = try dogs(arguments).filter("name.length == 3") },
            "MK-41 between": { arguments in _ = try dogs(arguments).filter("age BETWEEN {1}") },
            "MK-41 in": { arguments in _ = try dogs(arguments).filter("age IN %@", 3) },
            "MK-41 syntax": { arguments in _ = try dogs(arguments).filter("age ==") },
            "MK-41 arguments": { arguments in _ = try dogs(arguments).filter("age == %@") },
            "MK-41 collection": { arguments in _ = try dogs(arguments).filter("friends.age == 3") },
            "MK-41 block": { arguments in _ = try dogs(arguments).filter(NSPredicate { _, _ in true }) },
            "PR-16": { arguments in _ = try dogs(arguments).filter("ALL scores > 3") },
            "MK-42": { arguments in _ = try realmWithDog(arguments).1.scores.filter("self > 3") },
            "MK-44": { arguments in _ = try dogs(arguments).where { $0.scores == $0.scores } },
            "MK-89 no point": { arguments in
                guard let circle = GeoCircle(center: (0, 0), radiusInRadians: 1) else { return }
                let realm = try Realm(
                    configuration: Realm.Configuration(
                        fileURL: URL(fileURLWithPath: arguments[0]), objectTypes: [Pot.self, Lid.self]))
                _ = realm.objects(Pot.self).where { $0.lid.geoWithin(circle) }
            },
            "MK-89 crossing": { arguments in
                guard let bow = GeoPolygon(outerRing: [(0, 0), (1, 1), (1, 0), (0, 1), (0, 0)]) else { return }
                let realm = try Realm(
                    configuration: Realm.Configuration(
                        fileURL: URL(fileURLWithPath: arguments[0]), objectTypes: [Harbour.self, Buoy.self]))
                _ = realm.objects(Harbour.self).filter("place IN %@", bow)
            },
            "MK-45": { arguments in _ = try dogs(arguments).where { ($0.age > 3).count > 1 } }
        ]
    }
}
