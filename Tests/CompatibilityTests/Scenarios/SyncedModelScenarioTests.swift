import Foundation
import RealmSwift
import TestSupport
import Testing

/// A class that other devices know as it was before a property was added.
final class GrowingDog: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name = ""
    @Persisted var favoriteTreat = ""
}

/// Scenario S45: classes of synced realms grow without versions and blocks.
@Suite("Models of synced realms")
struct SyncedModelScenarioTests {
    private func opened(_ configuration: Realm.Configuration) throws -> Realm {
        try Realm(configuration: configuration)
    }

    @Test("S45, MI-06: a property is added without version or block, and old and new clients go on")
    @MainActor func grows() async throws {
        SharedAgent.ensure()
        let app = App(id: "growing", configuration: AppConfiguration(baseURL: SharedServer.url))
        let user = try await app.login(credentials: .anonymous)
        // A device with the former model, and this one, on which the former app was installed.
        let old = try SyncedDevice(SharedServer.url, app: "growing")
        try old.open("p", schema: OtherDevice.formerDogs)
        try OtherDevice.putDog(old, name: "Rex")
        try old.wait(.upload)
        var configuration = user.configuration(partitionValue: "p")
        configuration.objectTypes = [GrowingDog.self]
        configuration.migrationBlock = { _, _ in Issue.record("a synced realm is not migrated") }
        let realm = try opened(configuration)
        try await realm.syncSession?.wait(for: .download)
        realm.refresh()
        let rex = try #require(realm.objects(GrowingDog.self).first)
        #expect(rex.name == "Rex" && rex.favoriteTreat == "")
        try realm.write {
            rex.favoriteTreat = "bone"
            realm.add(GrowingDog(value: ["name": "Ada", "favoriteTreat": "cheese"]))
        }
        try await realm.syncSession?.wait(for: .upload)
        // The former model reads and writes on, and what it doesn't know stays.
        try old.wait(.download)
        #expect(OtherDevice.names(old, of: "GrowingDog").sorted() == ["Ada", "Rex"])
        try OtherDevice.putDog(old, name: "Ivo")
        try old.wait(.upload)
        try await realm.syncSession?.wait(for: .download)
        realm.refresh()
        let treats = realm.objects(GrowingDog.self).sorted(byKeyPath: "name").map { "\($0.name) \($0.favoriteTreat)" }
        #expect(Array(treats) == ["Ada cheese", "Ivo ", "Rex bone"])
    }
}
