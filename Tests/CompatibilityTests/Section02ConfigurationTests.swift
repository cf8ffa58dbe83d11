import Foundation
import RealmSwift
import TestSupport
import Testing

/// Section 2: configurations.
@Suite("Section 2: configurations", .serialized)
struct Section02ConfigurationTests {
    private let shelter = Shelter()

    @Test("CF-01, CF-02: a value that is compared by where and what is opened") func equality() {
        let file = URL(fileURLWithPath: "/tmp/a.realm")
        let one = Realm.Configuration(fileURL: file, schemaVersion: 2, objectTypes: [ShelterDog.self])
        var other = one
        other.objectTypes = nil
        other.deleteRealmIfMigrationNeeded = true
        #expect(one == other)
        other.schemaVersion = 3
        #expect(one != other && one.schemaVersion == 2)
        #expect(one.objectTypes?.count == 1 && one.description.hasPrefix("Realm.Configuration"))
        let all = Realm.Configuration(
            fileURL: file, inMemoryIdentifier: nil, encryptionKey: nil, readOnly: false, schemaVersion: 1,
            deleteRealmIfMigrationNeeded: false, shouldCompactOnLaunch: nil, objectTypes: nil, seedFilePath: nil)
        #expect(all.fileURL == file && !all.readOnly && all.encryptionKey == nil)
    }

    @Test("CF-03, RE-02, RE-04: the default configuration is a copy, and what Realm() opens") func defaults() throws {
        let former = Realm.Configuration.defaultConfiguration
        defer { Realm.Configuration.defaultConfiguration = former }
        Realm.Configuration.defaultConfiguration = shelter.configuration
        var copy = Realm.Configuration.defaultConfiguration
        copy.fileURL?.deleteLastPathComponent()
        copy.fileURL?.appendPathComponent("other")
        copy.fileURL?.appendPathExtension("realm")
        #expect(copy.fileURL?.path == shelter.directory.path("other.realm"))
        #expect(Realm.Configuration.defaultConfiguration == shelter.configuration)
        #expect(try Realm() == Realm(configuration: shelter.configuration))
        #expect(try Realm(fileURL: try #require(copy.fileURL)).schema.objectSchema.count == 2)
    }

    @Test("CF-04, CF-05: a path and an identifier exclude each other, and the same identifier is the same data")
    func inMemory() throws {
        var configuration = shelter.configuration
        configuration.inMemoryIdentifier = "shelter \(randomSeed)"
        #expect(configuration.fileURL == nil)
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.add(ShelterDog(1, "Rex")) }
        #expect(try Realm(configuration: configuration).objects(ShelterDog.self).count == 1)
        configuration.fileURL = URL(fileURLWithPath: "/tmp/b.realm")
        #expect(configuration.inMemoryIdentifier == nil)
    }

    @Test("CF-12: the first to open is asked whether to compact") func compaction() throws {
        try autoreleasepool { _ = try shelter.filled() }
        nonisolated(unsafe) var asked: [(Int, Int)] = []
        var configuration = shelter.configuration
        configuration.shouldCompactOnLaunch = { total, used in
            asked.append((total, used))
            return true
        }
        let isAsked = try eventually {
            try autoreleasepool { _ = try Realm(configuration: configuration) }
            return !asked.isEmpty
        }
        #expect(isAsked)
        #expect(asked.allSatisfy { $0.0 >= $0.1 && $0.1 > 0 })
        #expect(try Realm(configuration: configuration).objects(ShelterDog.self).count == 6)
    }

    @Test("CF-13: only the listed classes are opened") func subset() throws {
        let realm = try Realm(configuration: shelter.configuration)
        #expect(realm.schema.objectSchema.count == 2 && realm.configuration.objectTypes?.count == 2)
    }

    @Test("CF-14: a seed is copied once; one that is missing is told") func seed() throws {
        let seed = URL(fileURLWithPath: shelter.directory.path("seed.realm"))
        try shelter.filled().writeCopy(toFile: seed)
        var configuration = shelter.configuration
        configuration.fileURL = URL(fileURLWithPath: shelter.directory.path("copy.realm"))
        configuration.seedFilePath = seed
        try autoreleasepool {
            let realm = try Realm(configuration: configuration)
            #expect(realm.objects(ShelterDog.self).count == 6)
            try realm.write { realm.deleteAll() }
        }
        #expect(try Realm(configuration: configuration).isEmpty)
        configuration.fileURL = URL(fileURLWithPath: shelter.directory.path("third.realm"))
        configuration.seedFilePath = URL(fileURLWithPath: shelter.directory.path("none.realm"))
        #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(!Realm.fileExists(for: configuration))
    }

    @Test(
        "CF-02, CF-07, CF-04, CF-09, LM-05: what can't be",
        arguments: [
            ("no-path", "must specify a path"), ("short-key", "64 bytes"), ("CF-09 version", "schema version")
        ])
    func mistakes(scenario: String, says: String) throws {
        try expectTrap(scenario, says)
    }

    @Test("ER-04, FI-01: a copy doesn't replace a file") func copyExists() throws {
        let realm = try shelter.filled()
        let target = URL(fileURLWithPath: shelter.directory.path("taken.realm"))
        try Data().write(to: target)
        do {
            try realm.writeCopy(toFile: target)
            Issue.record("the copy was written")
        } catch let error as Realm.Error {
            #expect(error.code == .fileExists)
        }
    }
}
