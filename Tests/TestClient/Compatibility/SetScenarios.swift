import Foundation
import RealmSwift

final class Bag: Object {
    @Persisted var numbers: MutableSet<Int>
}

/// Mistakes with sets; each ends in a trap.
enum SetScenarios {
    static var all: [String: Scenario.Body] {
        [
            "set-outside-write": { arguments in try realmWithBag(arguments).1.numbers.insert(3) },
            "set-unmanaged-operand": { arguments in
                let (realm, bag) = try realmWithBag(arguments)
                try realm.write { bag.numbers.formUnion(Bag().numbers) }
            },
            "set-foreign-operand": { arguments in
                let (realm, bag) = try realmWithBag(arguments)
                let other = try realmWithBag([arguments[0] + ".other"]).1
                try realm.write { bag.numbers.subtract(other.numbers) }
            }
        ]
    }

    /// A realm with one bag.
    private static func realmWithBag(_ arguments: [String]) throws -> (Realm, Bag) {
        let realm = try Realm(
            configuration: Realm.Configuration(fileURL: URL(fileURLWithPath: arguments[0]), objectTypes: [Bag.self]))
        return (realm, try realm.write { realm.create(Bag.self, value: ["numbers": [1]]) })
    }
}
