import Foundation
import RealmSwift
import TestSupport
import Testing

/// Scenario S9: the app's owner goes from partitions to flexible sync, and the application's code stays as it is.
@Suite("Apps that are migrated to flexible sync")
struct AppMigrationScenarioTests {
    private func migrate(_ server: ServerUnderTest, to kind: String) throws {
        let done = try ServerUnderTest.reeve(
            ["app", "migrate", "moved", "--to", kind, "--partition-key", "realm_id:string"], data: server.directory)
        #expect(done.status == 0, "\(done)")
    }

    @Test("S9, SU-25: unchanged code goes on with its partition, there and back, and loses nothing")
    @MainActor func unchanged() async throws {
        SharedAgent.ensure()
        let server = try ServerUnderTest()
        let app = App(id: "moved", configuration: AppConfiguration(baseURL: server.url))
        let user = try await app.login(credentials: Credentials.anonymous)
        var configuration = user.configuration(partitionValue: "shire")
        configuration.objectTypes = [QsTask.self]
        let realm = try await Realm(configuration: configuration)
        let tasks = realm.objects(QsTask.self)
        try realm.write { realm.add(QsTask("Keep it secret", owner: "Frodo")) }
        try await realm.syncSession?.wait(for: .upload)
        let other = try SyncedDevice(server.url, app: "moved")
        try other.open("shire", schema: OtherDevice.schema)
        try other.wait(.download)
        // Written while the server doesn't hear of it.
        realm.syncSession?.suspend()
        try realm.write { realm.add(QsTask("Keep it safe", owner: "Frodo")) }
        try migrate(server, to: "flexible")
        realm.syncSession?.resume()
        let arrives = eventually(within: .seconds(30)) { OtherDevice.names(other).count == 2 }
        #expect(arrives)
        #expect(tasks.count == 2)
        try OtherDevice.put(other, name: "Journey to Bree", owner: "Sam")
        try other.wait(.upload)
        try await realm.syncSession?.wait(for: .download)
        realm.refresh()
        #expect(tasks.count == 3)
        #expect(user.isLoggedIn)
        // A process that begins anew opens the same configuration.
        #expect(try await Realm(configuration: configuration).objects(QsTask.self).count == 3)
        try realm.write { realm.add(QsTask("Meet Strider", owner: "Frodo")) }
        try migrate(server, to: "partition")
        let isBack = eventually(within: .seconds(30)) { OtherDevice.names(other).count == 4 }
        #expect(isBack)
        try await realm.syncSession?.wait(for: .upload)
        #expect(tasks.count == 4)
    }
}
