import Foundation
import RealmSwift

/// Mistakes with key-value coding; each ends in a trap.
enum KeyValueCodingScenarios {
    static var all: [String: Scenario.Body] {
        [
            "kvc-nested-operator": { arguments in
                _ = try realmWithDog(arguments).0.objects(Dog.self).value(forKeyPath: "@max.owner.name")
            },
            "kvc-unknown-operator": { arguments in
                _ = try realmWithDog(arguments).0.objects(Dog.self).value(forKeyPath: "@median.age")
            },
            "kvc-no-property": { arguments in
                _ = try realmWithDog(arguments).0.objects(Dog.self).value(forKeyPath: "@max")
            },
            "kvc-unknown-property": { arguments in
                _ = try realmWithDog(arguments).0.objects(Dog.self).value(forKey: "bark")
            },
            "kvc-outside-write": { arguments in
                try realmWithDog(arguments).0.objects(Dog.self).setValue(3, forKey: "age")
            },
            "kvc-wrong-type": { arguments in
                let realm = try realmWithDog(arguments).0
                try realm.write { realm.objects(Dog.self).setValue("three", forKey: "age") }
            }
        ]
    }
}
