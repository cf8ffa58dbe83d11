import Foundation
import RealmSwift

final class Lid: EmbeddedObject {
    @Persisted var colour: String
}

final class Pot: Object {
    @Persisted var lid: Lid?
}

/// Mistakes with embedded objects; each ends in a trap.
enum EmbeddedScenarios {
    static var all: [String: Scenario.Body] {
        [
            "embedded-elsewhere": { arguments in
                let (realm, pot) = try realmWithPot(arguments)
                try realm.write { realm.create(Pot.self).lid = pot.lid }
            },
            "embedded-outside-write": { arguments in try realmWithPot(arguments).1.lid?.colour = "red" },
            "embedded-replaced": { arguments in
                let (realm, pot) = try realmWithPot(arguments)
                let lid = pot.lid
                try realm.write { pot.lid = Lid() }
                _ = lid?.colour
            }
        ]
    }

    /// A realm with a pot that has a lid.
    private static func realmWithPot(_ arguments: [String]) throws -> (Realm, Pot) {
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: arguments[0]), objectTypes: [Pot.self, Lid.self]))
        return (realm, try realm.write { realm.create(Pot.self, value: ["lid": ["colour": "blue"]]) })
    }
}
