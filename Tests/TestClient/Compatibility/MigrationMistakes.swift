import Foundation
import RealmSwift

enum Urns1 {
    final class Urn: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String?
        @Persisted var size: Int
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Vase: Object {
        @Persisted var name: String
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

enum Urns2 {
    final class Urn: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var size: Int
        @Persisted var title: String
        @Persisted var width: Double
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

/// Mistakes in migrations; each ends in a trap.
enum MigrationMistakes {
    static var all: [String: Scenario.Body] {
        [
            "rename-unknown-class": migrating { $0.renameProperty(onType: "Bowl", from: "name", to: "title") },
            "rename-removed-class": migrating { $0.renameProperty(onType: "Vase", from: "name", to: "title") },
            "rename-kept": migrating { $0.renameProperty(onType: "Urn", from: "size", to: "width") },
            "rename-unknown": migrating { $0.renameProperty(onType: "Urn", from: "colour", to: "title") },
            "rename-to-unknown": migrating { $0.renameProperty(onType: "Urn", from: "name", to: "colour") },
            "rename-other-type": migrating { $0.renameProperty(onType: "Urn", from: "name", to: "width") },
            "rename-to-required": migrating { $0.renameProperty(onType: "Urn", from: "name", to: "title") },
            "enumerate-unknown": migrating { $0.enumerateObjects(ofType: "Bowl") { _, _ in } },
            "create-unknown": migrating { $0.create("Bowl") },
            "migration-change-old": migrating { migration in
                migration.enumerateObjects(ofType: "Urn") { old, _ in old?["size"] = 2 }
            },
            "migrate-open": { arguments in
                let configuration = MigrationScenarios.configuration(arguments[0], [Urns1.Urn.self, Urns1.Vase.self], 1)
                let realm = try Realm(configuration: configuration)
                try withExtendedLifetime(realm) { try Realm.performMigration(for: configuration) }
            }
        ]
    }

    private static func migrating(_ body: @escaping @Sendable (Migration) -> Void) -> Scenario.Body {
        { arguments in
            do {
                let realm = try Realm(
                    configuration: MigrationScenarios.configuration(arguments[0], [Urns1.Urn.self, Urns1.Vase.self], 1))
                try realm.write { _ = realm.create(Urns1.Urn.self, value: ["id": 1]) }
            }
            _ = try Realm(
                configuration: MigrationScenarios.configuration(arguments[0], [Urns2.Urn.self], 2) { migration, _ in
                    body(migration)
                })
        }
    }
}
