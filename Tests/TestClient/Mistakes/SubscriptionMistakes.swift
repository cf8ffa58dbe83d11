import Foundation
import RealmSwift

/// Mistakes with subscriptions; each ends in a trap. Arguments: REALM APP; the user is the app's current one.
enum SubscriptionMistakes {
    static var all: [String: Scenario.Body] {
        [
            "MK-74 local": { arguments in
                _ = try Realm(
                    configuration: Realm.Configuration(
                        fileURL: URL(fileURLWithPath: arguments[0]), objectTypes: [FlexibleDog.self])
                ).subscriptions
            },
            "MK-74 partition": { arguments in
                let configuration = try SubscriptionScenarios.configuration([arguments[1], arguments[0]]) {
                    $0.configuration(partitionValue: "p")
                }
                _ = try Realm(configuration: configuration).subscriptions
            },
            "MK-75 append": { arguments in
                try open(arguments).subscriptions.append(QuerySubscription<FlexibleDog>())
            },
            "MK-75 remove": { try open($0).subscriptions.remove(named: "dogs") },
            "MK-75 removeAll": { try open($0).subscriptions.removeAll() },
            "MK-75 updateQuery": { arguments in
                let subscriptions = try subscribed(arguments)
                subscriptions.first?.updateQuery(toType: FlexibleDog.self)
            },
            "MK-76": { arguments in
                let subscriptions = try open(arguments).subscriptions
                subscriptions.update { subscriptions.update {} }
            },
            "MK-77": { arguments in
                let subscriptions = try subscribed(arguments)
                subscriptions.update { subscriptions.append(QuerySubscription<FlexiblePerson>(name: "dogs")) }
            },
            "MK-78": { arguments in
                let subscriptions = try subscribed(arguments)
                let dogs = subscriptions.first(named: "dogs")
                subscriptions.update {
                    subscriptions.removeAll()
                    dogs?.updateQuery(to: "name == 'Rex'")
                }
            },
            "MK-79": { arguments in
                let subscriptions = try subscribed(arguments)
                subscriptions.update { subscriptions.first?.updateQuery(toType: FlexiblePerson.self) }
            },
            "MK-80 add": { arguments in
                let realm = try open(arguments)
                try realm.write { realm.add(FlexiblePerson()) }
            },
            "MK-80 create": { arguments in
                let realm = try open(arguments)
                try realm.write { realm.create(FlexiblePerson.self) }
            },
            "SU-05 negative": { _ = try subscribed($0)[-1] },
            "SU-05 beyond": { _ = try subscribed($0)[1] },
            "SU-06 in a write": { arguments in
                let realm = try open(arguments)
                try realm.write { realm.subscriptions.update {} }
            },
            "WR-25 outside": { arguments in
                try open(arguments, [IngestReading.self]).create(IngestReading.self, value: ["value": 1.5])
            },
            "WR-25 dynamic": { arguments in
                let realm = try open(arguments, [IngestReading.self])
                try realm.write { realm.dynamicCreate("IngestReading") }
            },
            "F-66": { arguments in
                let realm = try open(arguments, [IngestReading.self])
                let id = ObjectId.generate()
                try realm.write {
                    for _ in 0..<2 { realm.create(IngestReading.self, value: ["_id": id]) }
                }
            }
        ]
    }

    private static func open(
        _ arguments: [String], _ types: [ObjectBase.Type] = [FlexiblePerson.self, FlexibleDog.self]
    ) throws -> Realm {
        try Realm(configuration: SubscriptionScenarios.configuration([arguments[1], arguments[0]], types: types))
    }

    /// One subscription, named "dogs".
    private static func subscribed(_ arguments: [String]) throws -> SyncSubscriptionSet {
        let subscriptions = try open(arguments).subscriptions
        subscriptions.update { subscriptions.append(QuerySubscription<FlexibleDog>(name: "dogs")) }
        return subscriptions
    }
}
