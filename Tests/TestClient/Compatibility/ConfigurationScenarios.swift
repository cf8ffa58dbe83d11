import Foundation
import RealmSwift

/// Configurations that can't be; each ends in a trap.
enum ConfigurationScenarios {
    static var all: [String: Scenario.Body] {
        [
            "read-only-compact": { _ in
                _ = Realm.Configuration(readOnly: true, shouldCompactOnLaunch: { _, _ in true })
            },
            "greatest-version": { _ in _ = Realm.Configuration(schemaVersion: .max) },
            "web-url": { _ in
                var configuration = Realm.Configuration()
                configuration.fileURL = URL(string: "https://example.com/a.realm")
            },
            /// PATH: counts the dogs of a file that can only be read.
            "count-read-only": { arguments in
                let realm = try Realm(
                    configuration: Realm.Configuration(
                        fileURL: URL(fileURLWithPath: arguments[0]), readOnly: true,
                        objectTypes: [Dog.self, Person.self]))
                Scenario.say("dogs \(realm.objects(Dog.self).count)")
            }
        ]
    }
}
