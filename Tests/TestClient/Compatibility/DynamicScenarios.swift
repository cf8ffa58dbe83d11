import Foundation
import RealmSwift

final class Cup: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var colour: String
    @Persisted var saucers: List<Saucer>
    @Persisted var marks: List<String>
    @Persisted var handle: Handle?
}

final class Saucer: Object {
    @Persisted var size: Int
}

final class Handle: EmbeddedObject {
    @Persisted var length: Int
}

/// Mistakes with objects whose class is known by name; each ends in a trap.
enum DynamicScenarios {
    static var all: [String: Scenario.Body] {
        [
            "dynamic-unknown-class": { arguments in _ = try realmWithCup(arguments).0.dynamicObjects("Plate") },
            "dynamic-unknown-property": { arguments in _ = try realmWithCup(arguments).1.plate },
            "dynamic-assign-unknown": { arguments in
                let (realm, cup) = try realmWithCup(arguments)
                try realm.write { cup["plate"] = 1 }
            },
            "dynamic-wrong-value": { arguments in
                let (realm, cup) = try realmWithCup(arguments)
                try realm.write { cup.colour = 3 }
            },
            "dynamic-null": { arguments in
                let (realm, cup) = try realmWithCup(arguments)
                try realm.write { cup.colour = nil }
            },
            "dynamic-primary-key": { arguments in
                let (realm, cup) = try realmWithCup(arguments)
                try realm.write { cup.id = 2 }
            },
            "dynamic-outside-write": { arguments in try realmWithCup(arguments).1.colour = "red" },
            "dynamic-embedded": { arguments in
                let (realm, _) = try realmWithCup(arguments)
                try realm.write { _ = realm.dynamicCreate("Handle") }
            },
            "dynamic-key-of-none": { arguments in
                _ = try realmWithCup(arguments).0.dynamicObject(ofType: "Saucer", forPrimaryKey: 1)
            },
            "dynamic-key-of-another-type": { arguments in
                _ = try realmWithCup(arguments).0.dynamicObject(ofType: "Cup", forPrimaryKey: "one")
            },
            "dynamic-list-of-values": { arguments in _ = try realmWithCup(arguments).1.dynamicList("marks") },
            "dynamic-set-of-list": { arguments in _ = try realmWithCup(arguments).1.dynamicMutableSet("saucers") },
            "dynamic-other-class": { arguments in
                let (realm, cup) = try realmWithCup(arguments)
                try realm.write { cup.dynamicList("saucers").append(cup) }
            },
            "dynamic-standalone": { arguments in
                let realm = try realmWithCup(arguments).0
                try realm.write { realm.add(DynamicObject()) }
            }
        ]
    }

    /// A realm with a cup, id 1.
    private static func realmWithCup(_ arguments: [String]) throws -> (Realm, DynamicObject) {
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: arguments[0]), objectTypes: [Cup.self, Saucer.self, Handle.self]))
        return (realm, try realm.write { realm.dynamicCreate("Cup", value: ["id": 1, "colour": "blue"]) })
    }
}
