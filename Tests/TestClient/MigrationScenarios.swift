import Foundation
import RealmSwift

enum Crates1 {
    final class Crate: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var text: String
        @Persisted var number: Int
        @Persisted var lid: CrateLid?
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class CrateLid: Object {
        @Persisted var size: Int
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

/// A property renamed, one of another type, one more, the primary key of another type, and lids that are parts.
enum Crates2 {
    final class Crate: Object {
        @Persisted(primaryKey: true) var id: String
        @Persisted var body: String
        @Persisted var number: String
        @Persisted(indexed: true) var label: String
        @Persisted var lid: CrateLid?
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class CrateLid: EmbeddedObject {
        @Persisted var size: Int
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

/// One property more than the first.
enum Crates3 {
    final class Crate: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var text: String
        @Persisted var number: Int
        @Persisted var lid: Crates1.CrateLid?
        @Persisted var favoriteTreat = ""
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

/// Programs of several versions on one file.
enum MigrationScenarios {
    static var all: [String: Scenario.Body] {
        [
            "migration-fill": fill, "migration-run": run, "migration-old": runOld, "migration-added": runAdded,
            "migration-trap": trapInBlock, "migration-hold": hold
        ].merging(MigrationMistakes.all) { first, _ in first }
    }

    static func configuration(
        _ path: String, _ types: [ObjectBase.Type], _ version: UInt64, _ block: MigrationBlock? = nil
    ) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: URL(fileURLWithPath: path), encryptionKey: Scenario.encryptionKey, schemaVersion: version,
            migrationBlock: block, objectTypes: types)
    }

    static let first: [ObjectBase.Type] = [Crates1.Crate.self, Crates1.CrateLid.self]
    static let second: [ObjectBase.Type] = [Crates2.Crate.self, Crates2.CrateLid.self]
    static let third: [ObjectBase.Type] = [Crates3.Crate.self, Crates1.CrateLid.self]

    /// PATH COUNT: crates of the first version, each with a lid; the lid of the first one is the second's, too.
    private static func fill(_ arguments: [String]) throws {
        let realm = try Realm(configuration: configuration(arguments[0], first, 1))
        try realm.write {
            for id in 0..<(Int(arguments[1]) ?? 0) {
                let crate = realm.create(
                    Crates1.Crate.self, value: ["id": id, "text": "text \(id)", "number": id * 3])
                crate.lid =
                    id == 1
                    ? realm.object(ofType: Crates1.Crate.self, forPrimaryKey: 0)?.lid
                    : realm.create(Crates1.CrateLid.self, value: ["size": id])
            }
        }
    }

    /// What brings a file from the first version to the second.
    static let block: MigrationBlock = { migration, oldVersion in
        Scenario.say("begun \(oldVersion)")
        migration.renameProperty(onType: "Crate", from: "text", to: "body")
        migration.enumerateObjects(ofType: "Crate") { old, new in
            let number = old?["number"] as? Int ?? -1
            new?["id"] = "crate \(old?["id"] as? Int ?? -1)"
            new?["number"] = "\(number)"
            new?["label"] = "n-\(number)"
        }
        Scenario.say("ended")
    }

    /// PATH: opens with the second version, and says how many crates there are and whether all are right.
    private static func run(_ arguments: [String]) throws {
        let realm = try Realm(configuration: configuration(arguments[0], second, 2, block))
        let crates = realm.objects(Crates2.Crate.self)
        let wrong = crates.filter { crate in
            guard let id = Int(crate.id.dropFirst(6)) else { return true }
            return crate.body != "text \(id)" || crate.number != "\(id * 3)" || crate.label != "n-\(id * 3)"
                || crate.lid?.size != (id == 1 ? 0 : id)
        }
        let found = crates.where { $0.label == "n-9" }.count
        Scenario.say("done \(crates.count) wrong \(wrong.count) indexed \(found)")
    }

    /// PATH: as `run`, with the first version.
    private static func runOld(_ arguments: [String]) throws {
        do {
            let realm = try Realm(configuration: configuration(arguments[0], first, 1))
            let crates = realm.objects(Crates1.Crate.self)
            let wrong = crates.filter {
                $0.text != "text \($0.id)" || $0.number != $0.id * 3 || $0.lid?.size != ($0.id == 1 ? 0 : $0.id)
            }
            Scenario.say("old \(crates.count) wrong \(wrong.count)")
        } catch {
            Scenario.say("refused \(error.localizedDescription)")
        }
    }

    /// PATH: opens with a version that has a property more.
    private static func runAdded(_ arguments: [String]) throws {
        let realm = try Realm(
            configuration: configuration(arguments[0], third, 2) { _, old in Scenario.say("migrated from \(old)") })
        let crates = realm.objects(Crates3.Crate.self).sorted(by: \.id)
        Scenario.say("crates \(crates.map { "\($0.id):\($0.favoriteTreat)" }.joined(separator: " "))")
    }

    /// PATH: a block that traps after it has changed everything.
    private static func trapInBlock(_ arguments: [String]) throws {
        _ = try Realm(
            configuration: configuration(arguments[0], second, 2) { migration, oldVersion in
                block(migration, oldVersion)
                migration.enumerateObjects(ofType: "Nobody") { _, _ in }
            })
    }

    /// PATH: opens with the first version, and does what standard input says: `read`, `write N` or `refresh`.
    private static func hold(_ arguments: [String]) throws {
        let realm = try Realm(configuration: configuration(arguments[0], first, 1))
        Scenario.say("open \(realm.objects(Crates1.Crate.self).count)")
        while let line = readLine() {
            switch line.split(separator: " ").first {
            case "read":
                let crates = realm.objects(Crates1.Crate.self)
                Scenario.say("read \(crates.count) \(crates.first?.text ?? "nothing")")
            case "refresh": Scenario.say("refreshed \(realm.refresh())")
            case "write":
                let id = Int(line.dropFirst(6)) ?? 0
                do {
                    try realm.write {
                        _ = realm.create(Crates1.Crate.self, value: ["id": id, "text": "text \(id)"])
                    }
                    Scenario.say("wrote \(id)")
                } catch Realm.Error.schemaMismatch {
                    Scenario.say("mismatch")
                }
            default: return
            }
        }
    }
}
