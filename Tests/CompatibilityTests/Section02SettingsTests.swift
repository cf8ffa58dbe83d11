import Foundation
import RealmSwift
import TestSupport
import Testing

final class Tool02: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
}

final class Box02: Object {
    @Persisted var tools: List<Tool02>
    @Persisted var label: String
}

/// `Tool02` with less and with more than the file has.
enum Tools02 {
    enum Fewer {
        final class Tool02: Object {
            @Persisted(primaryKey: true) var id: Int
            override class func shouldIncludeInDefaultSchema() -> Bool { false }
        }
    }

    enum More {
        final class Tool02: Object {
            @Persisted(primaryKey: true) var id: Int
            @Persisted var name: String
            @Persisted var weight: Double
            override class func shouldIncludeInDefaultSchema() -> Bool { false }
        }
    }
}

/// Section 2: configurations.
@Suite(.serialized) struct Section02SettingsTests {
    private let directory = TemporaryDirectory()
    private let types: [ObjectBase.Type] = [Tool02.self, Box02.self]

    init() { SharedAgent.ensure() }

    private func url(_ name: String) -> URL { URL(fileURLWithPath: directory.path(name)) }

    private func configuration(_ name: String = "a.realm") -> Realm.Configuration {
        Realm.Configuration(fileURL: url(name), objectTypes: types)
    }

    @Test("CF-01 equal if file, identifier, key, read-only flag and version are")
    func equality() {
        let one = configuration()
        var other = one
        #expect(one == other)
        other.objectTypes = nil
        other.migrationBlock = { _, _ in }
        other.shouldCompactOnLaunch = { _, _ in false }
        other.seedFilePath = url("seed.realm")
        other.deleteRealmIfMigrationNeeded = true
        other.maximumNumberOfActiveVersions = 3
        #expect(one == other)
        for change in [
            { $0.fileURL = url("b.realm") }, { $0.inMemoryIdentifier = "x" }, { $0.readOnly = true },
            { $0.schemaVersion = 1 }, { $0.encryptionKey = Data(count: 64) }
        ] as [(inout Realm.Configuration) -> Void] {
            var changed = one
            change(&changed)
            #expect(changed != one)
        }
    }

    @Test("CF-02 every part is optional, in the order of the original")
    func initialiser() {
        #expect(Realm.Configuration().schemaVersion == 0)
        let full = Realm.Configuration(
            fileURL: url("a.realm"), inMemoryIdentifier: nil, encryptionKey: nil, readOnly: false, schemaVersion: 3,
            migrationBlock: { _, _ in }, deleteRealmIfMigrationNeeded: false, shouldCompactOnLaunch: { _, _ in true },
            objectTypes: types, seedFilePath: url("seed.realm"))
        #expect(full.schemaVersion == 3 && full.migrationBlock != nil && full.shouldCompactOnLaunch != nil)
        #expect(Realm.Configuration(inMemoryIdentifier: "x").fileURL == nil)
    }

    @Test("CF-03 CF-04 S13 S40 the default configuration is a copy, and a file lies beside it for each user")
    func standard() throws {
        let before = Realm.Configuration.defaultConfiguration
        defer { Realm.Configuration.defaultConfiguration = before }
        Realm.Configuration.defaultConfiguration = configuration("default.realm")
        let first = try Realm()
        var config = Realm.Configuration.defaultConfiguration
        config.fileURL!.deleteLastPathComponent()
        config.fileURL!.appendPathComponent("GordonCole")
        config.fileURL!.appendPathExtension("realm")
        let second = try Realm(configuration: config)
        #expect(first.configuration.fileURL?.lastPathComponent == "default.realm")
        #expect(second.configuration.fileURL?.lastPathComponent == "GordonCole.realm")
        #expect(Realm.Configuration.defaultConfiguration.fileURL?.lastPathComponent == "default.realm")
        for name in ["default.realm", "GordonCole.realm"] {
            #expect(FileManager.default.fileExists(atPath: directory.path(name)))
        }
        try first.write { _ = first.create(Tool02.self, value: ["id": 1]) }
        #expect(second.isEmpty && !first.isEmpty)
        #expect(try Realm(fileURL: url("default.realm")) == first)
    }

    @Test("CF-04 the default file lies in a directory of the application's own")
    func defaultFile() {
        let url = Realm.Configuration().fileURL
        #expect(url?.lastPathComponent == "default.realm")
        #expect(url?.deletingLastPathComponent().lastPathComponent == ProcessInfo.processInfo.processName)
    }

    @Test("CF-05 FI-12 in memory: one identifier, one realm, as long as it is open")
    func inMemory() throws {
        let configuration = Realm.Configuration(inMemoryIdentifier: "section 2", objectTypes: types)
        #expect(!Realm.fileExists(for: configuration))
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write { _ = realm.create(Tool02.self, value: ["id": 1]) }
            #expect(try Realm(configuration: configuration).objects(Tool02.self).count == 1)
            #expect(Realm.fileExists(for: configuration))
            var file = configuration
            file.fileURL = url("a.realm")
            #expect(file.inMemoryIdentifier == nil)
            file.inMemoryIdentifier = "other"
            #expect(file.fileURL == nil)
        }
        #expect(eventually { !Realm.fileExists(for: configuration) })
        #expect(try Realm(configuration: configuration).isEmpty)
    }

    @Test("CF-08 CF-10 S35 read-only: nothing is created, upgraded or migrated")
    func readOnly() throws {
        var readOnly = configuration()
        readOnly.readOnly = true
        let missing = #expect(throws: Realm.Error.self) { try Realm(configuration: readOnly) }
        #expect(missing?.code == .fileNotFound && missing?.fileURL == url("a.realm"))
        #expect(!FileManager.default.fileExists(atPath: directory.path("a.realm")))
        do {
            let realm = try Realm(configuration: configuration())
            try realm.write { _ = realm.create(Tool02.self, value: ["id": 1, "name": "saw"]) }
        }
        for fewer in [[Tool02.self], [Tools02.Fewer.Tool02.self]] as [[ObjectBase.Type]] {
            readOnly.objectTypes = fewer
            let realm = try Realm(configuration: readOnly)
            #expect(realm.dynamicObjects("Tool02").first?["id"] as? Int == 1)
        }
        readOnly.objectTypes = [Tools02.More.Tool02.self]
        readOnly.schemaVersion = 9
        readOnly.migrationBlock = { _, _ in Issue.record("a read-only file is migrated") }
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: readOnly) }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.localizedDescription.contains("'Tool02.weight' is not in the file") == true)
        #expect(try schemaVersionAtURL(url("a.realm")) == 0)
    }

    @Test("CF-09 the version is the file's")
    func schemaVersion() throws {
        var configuration = configuration()
        configuration.schemaVersion = 12
        _ = try Realm(configuration: configuration)
        #expect(try schemaVersionAtURL(url("a.realm")) == 12)
    }

    @Test("CF-12 FI-10 the question whether to compact, at the first opening")
    func compactOnLaunch() throws {
        do {
            let realm = try Realm(configuration: configuration())
            for round in 0..<5 {
                try realm.write {
                    realm.deleteAll()
                    for id in 0..<2_000 {
                        let name = String(repeating: "x", count: 200)
                        _ = realm.create(Tool02.self, value: ["id": round * 10_000 + id, "name": name])
                    }
                }
            }
            try realm.write { realm.delete(realm.objects(Tool02.self).filter("id > 40010")) }
        }
        let before = try size("a.realm")
        let asked = Notes()
        var compacting = configuration()
        compacting.shouldCompactOnLaunch = { total, used in
            asked.add("\(total > 0 && used > 0 && used <= total)")
            return true
        }
        let realm = try Realm(configuration: compacting)
        #expect(asked.lines == ["true"])
        #expect(realm.objects(Tool02.self).count == 11)
        #expect(try size("a.realm") < before / 4)
        _ = try Realm(configuration: compacting)
        #expect(asked.lines.count == 1)
    }

    private func size(_ name: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: directory.path(name))[.size] as? Int ?? 0
    }

    @Test("CF-13 the list of classes is what was set")
    func objectTypes() throws {
        #expect(Realm.Configuration().objectTypes == nil)
        let configuration = configuration()
        #expect(configuration.objectTypes?.map { ObjectIdentifier($0) } == types.map { ObjectIdentifier($0) })
        #expect(try Realm(configuration: configuration).schema.objectSchema.map(\.className) == ["Box02", "Tool02"])
    }

    @Test("CF-14 FI-09 R30 S36 a seed is copied where no file is, and left alone afterwards")
    func seed() throws {
        do {
            let seed = try Realm(configuration: configuration("made.realm"))
            try seed.write { _ = seed.create(Tool02.self, value: ["id": 1, "name": "Daenerys"]) }
            try seed.writeCopy(configuration: configuration("seed.realm"))
        }
        let bytes = try Data(contentsOf: url("seed.realm"))
        var seeded = configuration()
        seeded.seedFilePath = url("seed.realm")
        do {
            let realm = try Realm(configuration: seeded)
            #expect(realm.objects(Tool02.self).count == 1)
            try realm.write { _ = realm.create(Tool02.self, value: ["id": 2]) }
        }
        #expect(try Realm(configuration: seeded).objects(Tool02.self).count == 2)
        #expect(try Data(contentsOf: url("seed.realm")) == bytes)
        // A seed that is gone doesn't matter any more.
        try FileManager.default.removeItem(at: url("seed.realm"))
        #expect(try Realm(configuration: seeded).objects(Tool02.self).count == 2)
        var missing = configuration("b.realm")
        missing.seedFilePath = url("seed.realm")
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: missing) }
        #expect(error?.code == .fileNotFound)
        #expect(error?.localizedDescription.contains("seed.realm") == true)
        #expect(!FileManager.default.fileExists(atPath: directory.path("b.realm")))
    }

    @Test("CF-14 a seed of a lower version is migrated in the copy")
    func seedIsMigrated() throws {
        let file = MigratedFile()
        try file.fill()
        let target = url("target.realm")
        let configuration = Realm.Configuration(
            fileURL: target, schemaVersion: 1,
            migrationBlock: { migration, old in
                migration.enumerateObjects(ofType: "Puppy") { before, after in
                    after?["age"] = "\(old): \(before?["age"] ?? "")"
                }
            }, objectTypes: [Puppies2.Puppy.self, Puppies2.Owner.self], seedFilePath: file.url)
        let realm = try Realm(configuration: configuration)
        #expect(realm.objects(Puppies2.Puppy.self).map(\.age).sorted() == ["0: 2", "0: 4", "0: 6"])
        #expect(try schemaVersionAtURL(file.url) == 0)
    }

    @Test("R31 a seed counts for asynchronous opening, too")
    @MainActor func seedAsync() async throws {
        do {
            let seed = try await Realm(configuration: configuration("seed.realm"))
            try seed.write { _ = seed.create(Tool02.self, value: ["id": 1]) }
        }
        var seeded = configuration()
        seeded.seedFilePath = url("seed.realm")
        let begun = ContinuousClock.now
        let realm = try await Realm(configuration: seeded, downloadBeforeOpen: .never)
        #expect(realm.objects(Tool02.self).count == 1)
        #expect(ContinuousClock.now - begun < .seconds(1))
        var other = configuration("b.realm")
        other.seedFilePath = url("seed.realm")
        let opened = try await Realm.open(configuration: other, downloadBeforeOpen: .once)
        #expect(opened.objects(Tool02.self).count == 1)
    }

    @Test("CF-15 MK-67 so many versions may be held, and no more")
    func activeVersions() throws {
        var configuration = configuration()
        configuration.maximumNumberOfActiveVersions = 3
        let realm = try Realm(configuration: configuration)
        var frozen: [Realm] = []
        for id in 0..<2 {
            frozen.append(realm.freeze())
            try realm.write { _ = realm.create(Tool02.self, value: ["id": id]) }
        }
        try realm.write { _ = realm.create(Tool02.self, value: ["id": 7]) }
        #expect(frozen.map { $0.objects(Tool02.self).count } == [0, 1])
        frozen = []
        for id in 10..<20 { try realm.write { _ = realm.create(Tool02.self, value: ["id": id]) } }
        try expectTrap("many-versions", "number of active versions")
    }

    @Test("CF-17 the description has every part, and keeps the key to itself")
    func description() {
        var configuration = configuration()
        configuration.encryptionKey = Data(repeating: 0xAB, count: 64)
        configuration.migrationBlock = { _, _ in }
        configuration.maximumNumberOfActiveVersions = 5
        let text = configuration.description
        #expect(text.hasPrefix("Realm.Configuration"))
        for part in [
            "fileURL = \(directory.path("a.realm"))", "inMemoryIdentifier = nil", "encryptionKey = 64 bytes",
            "readOnly = false", "schemaVersion = 0", "migrationBlock = set", "deleteRealmIfMigrationNeeded = false",
            "shouldCompactOnLaunch = nil", "seedFilePath = nil", "maximumNumberOfActiveVersions = 5", "Tool02", "Box02"
        ] { #expect(text.contains(part), "\(part)") }
        #expect(!text.lowercased().contains("abab"))
        #expect(Realm.Configuration(inMemoryIdentifier: "x").description.contains("inMemoryIdentifier = x"))
    }

    @Test("RE-24 empty is a realm without objects, of whatever class")
    func isEmpty() throws {
        let realm = try Realm(configuration: configuration())
        #expect(realm.isEmpty)
        realm.beginWrite()
        realm.create(Box02.self)
        #expect(!realm.isEmpty)
        realm.cancelWrite()
        #expect(realm.isEmpty)
        try realm.write { _ = realm.create(Tool02.self, value: ["id": 1]) }
        #expect(!realm.isEmpty)
        try realm.write { realm.deleteAll() }
        #expect(realm.isEmpty)
    }

    @Test(
        "CF-02 CF-04 CF-07 CF-08 CF-09 combinations and values that can't be",
        arguments: [
            ("no-path", "must specify a path"), ("short-key", "64 bytes"),
            ("read-only-delete", "'readOnly' and 'deleteRealmIfMigrationNeeded'"),
            ("read-only-compact", "'readOnly' and 'shouldCompactOnLaunch'"),
            ("greatest-version", "Cannot set the schema version"), ("web-url", "a Realm must specify a path"),
            ("opened-differently", "already opened with different read permissions")
        ])
    func mistakes(_ scenario: String, _ says: String) throws {
        try expectTrap(scenario, says)
    }
}
