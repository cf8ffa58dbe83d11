import Foundation
import RealmSwift

/// An installation that begins with a bundle. The server is that of `$REEVE_SERVER`, the user the app's current one.
enum BundleScenarios {
    class Task: Object {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var name: String
        @Persisted var owner: String
        @Persisted var status: String

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static var all: [String: Scenario.Body] {
        [
            // At an instant, in milliseconds since 1970, opens a file that isn't there yet, says how many tasks it has, and
            // adds one.
            "S36 seeded": { arguments in
                guard let user = App(id: arguments[0]).currentUser else { throw AppError(.userNotFound) }
                var configuration = user.configuration(partitionValue: arguments[1])
                configuration.objectTypes = [Task.self]
                configuration.seedFilePath = URL(fileURLWithPath: arguments[2])
                configuration.fileURL = URL(fileURLWithPath: arguments[3])
                let instant = Date(timeIntervalSince1970: (Double(arguments[4]) ?? 0) / 1_000)
                while Date() < instant {}
                let realm = try Realm(configuration: configuration)
                Scenario.say("\(realm.objects(Task.self).count)")
                try realm.write { realm.add(Task(value: ["name": arguments[5], "owner": "child"])) }
            }
        ]
    }
}
