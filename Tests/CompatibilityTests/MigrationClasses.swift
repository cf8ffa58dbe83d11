import Foundation
import RealmSwift
import TestSupport

// One class after the other under one name, as versions of a program have it. They are hidden from discovery, which
// takes no two of one name.

enum Puppies1 {
    final class Puppy: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var age: Int
        @Persisted var weight: Double?
        @Persisted var owner: Owner?
        @Persisted var tags: List<String>
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Owner: Object {
        @Persisted var name: String
        @Persisted var puppies: List<Puppy>
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

/// A property more, one less, one of another type, one required and one optional.
enum Puppies2 {
    final class Puppy: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String?
        @Persisted var age: String
        @Persisted var weight: Double
        @Persisted var owner: Owner?
        @Persisted var favoriteTreat = "bone"
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Owner: Object {
        @Persisted var name: String
        @Persisted var puppies: List<Puppy>
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

/// Other names.
enum Puppies3 {
    final class Puppy: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var title: String
        @Persisted(indexed: true) var years: Int
        @Persisted var mass: Double?
        @Persisted var labels: List<String>
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
        override class func propertiesMapping() -> [String: String] { ["mass": "mass_in_kg"] }
    }
}

/// Another primary key.
enum Puppies4 {
    final class Puppy: Object {
        @Persisted(primaryKey: true) var id: String
        @Persisted var name: String
        @Persisted var friend: Puppy?
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

enum Homes1 {
    final class Person: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var home: Home?
        @Persisted var former: List<Home>
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Home: Object {
        @Persisted var street: String
        @Persisted var rooms: List<String>
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

/// Homes are parts of people.
enum Homes2 {
    final class Person: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var home: Home?
        @Persisted var former: List<Home>
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Home: EmbeddedObject {
        @Persisted var street: String
        @Persisted var rooms: List<String>
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

/// Homes are objects with a primary key.
enum Homes3 {
    final class Person: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var home: Home?
        @Persisted var former: List<Home>
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Home: Object {
        @Persisted(primaryKey: true) var street: String
        @Persisted var rooms: List<String>
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

/// A file that one version of a program after the other opens.
struct MigratedFile {
    let directory = TemporaryDirectory()
    var url: URL { URL(fileURLWithPath: directory.path("migrated.realm")) }
    let key: Data?

    init(key: Data? = nil) {
        self.key = key
        SharedAgent.ensure()
    }

    func configuration(
        _ types: [ObjectBase.Type], _ version: UInt64, _ block: MigrationBlock? = nil
    ) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: url, encryptionKey: key, schemaVersion: version, migrationBlock: block, objectTypes: types)
    }

    /// Runs `body` with the realm and lets it go.
    @discardableResult
    func with<R>(
        _ types: [ObjectBase.Type], _ version: UInt64 = 0, _ block: MigrationBlock? = nil,
        _ body: (Realm) throws -> R
    ) throws -> R {
        try with(configuration(types, version, block), body)
    }

    @discardableResult
    func with<R>(_ configuration: Realm.Configuration, _ body: (Realm) throws -> R) throws -> R {
        try body(try Realm(configuration: configuration))
    }

    /// Three puppies, two of them Ann's.
    func fill() throws {
        try with([Puppies1.Puppy.self, Puppies1.Owner.self]) { realm in
            try realm.write {
                let ann = realm.create(Puppies1.Owner.self, value: ["name": "Ann"])
                for id in 1...3 {
                    let puppy = realm.create(
                        Puppies1.Puppy.self,
                        value: ["id": id, "name": "puppy \(id)", "age": id * 2, "tags": ["a", "b"]])
                    if id == 3 { puppy.weight = 4.5 } else { ann.puppies.append(puppy) }
                    if id != 3 { puppy.owner = ann }
                }
            }
        }
    }
}

/// What a migration block saw.
final class Notes: @unchecked Sendable {
    // A block runs on the thread that opens.
    var lines: [String] = []
    func add(_ line: String) { lines.append(line) }
}
