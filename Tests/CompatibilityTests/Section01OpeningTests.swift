import Dispatch
import Foundation
import RealmSwift
import TestSupport
import Testing

private actor Keeper {
    private var realm: Realm?

    func open(_ configuration: Realm.Configuration) async throws -> Int {
        let realm = try await Realm(configuration: configuration, actor: self)
        self.realm = realm
        try await realm.asyncWrite { _ = realm.create(ShelterDog.self, value: ["id": 100]) }
        return realm.objects(ShelterDog.self).count
    }

    func refreshed() async -> Bool? { await realm?.asyncRefresh() }
}

/// Section 1: opening a realm, reading, closing.
@Suite("Section 1: opening, reading, closing")
struct Section01OpeningTests {
    private let shelter = Shelter()

    private func error(_ configuration: Realm.Configuration) -> Realm.Error? {
        do {
            _ = try Realm(configuration: configuration)
            return nil
        } catch {
            return error as? Realm.Error
        }
    }

    @Test("RE-01, RE-02, RE-03: instances of one place are equal, those of others aren't") func equality() throws {
        let realm = try Realm(configuration: shelter.configuration)
        #expect(try Realm(configuration: shelter.configuration) == realm)
        let queue = DispatchQueue(label: "kennel")
        try queue.sync {
            let there = try Realm(configuration: shelter.configuration, queue: queue)
            #expect(there != realm && there.isEmpty)
        }
        let path = try #require(shelter.configuration.fileURL?.path)
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test("RE-05, ER-02, ER-05: what can't be opened says why, and where") func notFound() throws {
        var configuration = shelter.configuration
        configuration.fileURL = URL(fileURLWithPath: shelter.directory.path("none/a.realm"))
        let missing = try #require(error(configuration))
        #expect(missing.code == .fileNotFound || missing.code == .fileAccess)
        #expect(missing.localizedDescription.contains("none") && missing.fileURL != nil)
        configuration.fileURL = URL(fileURLWithPath: shelter.directory.path("b.realm"))
        configuration.readOnly = true
        #expect(error(configuration)?.code == .fileNotFound)
    }

    @Test("RE-06, ER-18: a file that is no realm") func noRealm() throws {
        let path = shelter.directory.path("text.realm")
        try Data(repeating: 65, count: 10_000).write(to: URL(fileURLWithPath: path))
        var configuration = shelter.configuration
        configuration.fileURL = URL(fileURLWithPath: path)
        #expect(error(configuration)?.code == .invalidDatabase)
    }

    @Test("RE-08: a version lower than the file's is refused, naming both") func lowerVersion() throws {
        var configuration = shelter.configuration
        configuration.schemaVersion = 7
        try autoreleasepool { _ = try Realm(configuration: configuration) }
        configuration.schemaVersion = 3
        let text = try #require(error(configuration)).localizedDescription
        #expect(text.contains("7") && text.contains("3"))
    }

    @Test("RE-13, RE-14, RE-16, RE-32: asynchronous opening, on the main actor and on others")
    @MainActor func asynchronously() async throws {
        let realm = try await Realm(configuration: shelter.configuration, downloadBeforeOpen: .always)
        #expect(realm.isEmpty)
        let keeper = Keeper()
        #expect(try await keeper.open(shelter.configuration) == 1)
        _ = await realm.asyncRefresh()
        #expect(realm.objects(ShelterDog.self).count == 1)
        #expect(await keeper.refreshed() == false)
    }

    @Test("RE-22, RE-23, RE-24, RE-41: schema, configuration, emptiness, description") func facts() throws {
        let realm = try Realm(configuration: shelter.configuration)
        #expect(Set(realm.schema.objectSchema.map(\.className)) == ["ShelterDog", "ShelterKeeper"])
        #expect(realm.schema["ShelterDog"]?.primaryKeyProperty?.name == "id" && realm.schema["Cat"] == nil)
        #expect(realm.configuration == shelter.configuration)
        #expect(realm.isEmpty && !"\(realm)".isEmpty)
        try realm.write { _ = realm.create(ShelterKeeper.self, value: ["name": "Ann"]) }
        #expect(!realm.isEmpty)
    }

    @Test("RE-25, RE-26, RE-27: objects of a class, and one by its key") func reading() throws {
        let realm = try shelter.filled()
        let dogs: Results<ShelterDog> = realm.objects(ShelterDog.self)
        #expect(dogs.count == 6)
        func name<T: RealmFetchable>(of type: T.Type) -> String { type.className() }
        #expect(name(of: ShelterDog.self) == "ShelterDog")
        #expect(realm.object(ofType: ShelterDog.self, forPrimaryKey: 3)?.name == "Ivo")
        #expect(realm.object(ofType: ShelterDog.self, forPrimaryKey: 33) == nil)
        #expect(realm.object(ofType: ShelterKeeper.self, forPrimaryKey: "Ann")?.city == "Kyiv")
    }

    @Test("RE-30, RE-31, XR-07: without autorefresh a realm stays where it is until it is refreshed") func refresh()
        throws
    {
        let realm = try shelter.filled()
        realm.autorefresh = false
        let configuration = shelter.configuration
        let queue = DispatchQueue(label: "kennel")
        try queue.sync {
            let there = try Realm(configuration: configuration, queue: queue)
            try there.write { there.add(ShelterDog(10, "Zeus")) }
        }
        #expect(realm.objects(ShelterDog.self).count == 6)
        #expect(realm.refresh() && realm.objects(ShelterDog.self).count == 7)
        #expect(!realm.refresh())
    }

    @Test("RE-36: a frozen realm is a version, a thawed one is live") func freezing() throws {
        let realm = try shelter.filled()
        let frozen = realm.freeze()
        #expect(frozen.isFrozen && !realm.isFrozen && frozen.freeze() == frozen && realm.thaw() == realm)
        try realm.write { realm.deleteAll() }
        #expect(frozen.objects(ShelterDog.self).count == 6 && frozen.thaw().objects(ShelterDog.self).isEmpty)
    }

    @Test("RE-42, ER-10: a file is closed with the last thing that came from it") func closing() throws {
        var names: Results<ShelterDog>? = try shelter.filled().objects(ShelterDog.self)
        #expect(throws: Realm.Error.self) { try Realm.deleteFiles(for: shelter.configuration) }
        do {
            _ = try Realm.deleteFiles(for: shelter.configuration)
        } catch let error as Realm.Error {
            #expect(error.code == .alreadyOpen)
        }
        #expect(names?.count == 6)
        names = nil
        #expect(eventually { (try? Realm.deleteFiles(for: shelter.configuration)) == true })
        #expect(!Realm.fileExists(for: shelter.configuration))
    }

    @Test("RE-07, CF-09, CF-11, ER-09: a changed schema needs a new version, or a new file") func schemaChange() throws
    {
        try autoreleasepool { _ = try shelter.filled() }
        let file = try #require(shelter.configuration.fileURL)
        var other = Realm.Configuration(fileURL: file, objectTypes: [OtherShelter.ShelterKeeper.self])
        let mismatch = try #require(error(other))
        #expect(mismatch.code == .schemaMismatch && mismatch.localizedDescription.contains("ShelterKeeper"))
        other.deleteRealmIfMigrationNeeded = true
        let realm = try Realm(configuration: other)
        #expect(realm.isEmpty)
    }
}

/// A class of the same name with other properties.
private enum OtherShelter {
    final class ShelterKeeper: Object {
        @Persisted(primaryKey: true) var name: Int
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}
