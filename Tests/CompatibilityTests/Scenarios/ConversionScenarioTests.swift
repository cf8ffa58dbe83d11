import Foundation
import RealmSwift
import TestSupport
import Testing

/// Scenarios S4, S5, S7 and S8: a local realm becomes a synced one, and the reverse.
@Suite("Conversions of partition-based realms")
struct ConversionScenarioTests {
    private func user(_ name: String = #function) async throws -> User {
        SharedAgent.ensure()
        let id = "conv-" + name.prefix { $0.isLetter || $0.isNumber }
        let app = App(id: id, configuration: AppConfiguration(baseURL: SharedServer.url))
        return try await app.login(credentials: Credentials.anonymous)
    }

    private func opened(_ configuration: Realm.Configuration) throws -> Realm {
        try Realm(configuration: configuration)
    }

    @Test("S4, FI-01, FI-02, ER-04: the objects of a local realm are the first upload of its synced copy")
    @MainActor func toSynced() async throws {
        let user = try await user()
        let directory = TemporaryDirectory()
        var syncConfig = user.configuration(partitionValue: "Your Partition Value")
        syncConfig.objectTypes = [QsTask.self]
        var localConfig = Realm.Configuration(fileURL: URL(fileURLWithPath: directory.path("local.realm")))
        localConfig.objectTypes = [QsTask.self]
        let localRealm = try opened(localConfig)
        try localRealm.write {
            localRealm.add([
                QsTask("Keep it secret", owner: "Frodo"), QsTask("Keep it safe", owner: "Frodo"),
                QsTask("Journey to Bree", owner: "Frodo")
            ])
        }
        try localRealm.writeCopy(configuration: syncConfig)
        let syncedRealm = try await Realm(configuration: syncConfig)
        let tasks = syncedRealm.objects(QsTask.self)
        #expect(tasks.where { $0.owner == "Frodo" }.count == 3)
        try syncedRealm.write { syncedRealm.add(QsTask("Send gift basket to Tom Bombadil", owner: "Frodo")) }
        #expect(tasks.where { $0.owner == "Frodo" }.count == 4)
        #expect(try await Realm(configuration: localConfig).objects(QsTask.self).count == 3)
        try await syncedRealm.syncSession?.wait(for: .upload)
        let other = try SyncedDevice(SharedServer.url, app: user.app.appId)
        try other.open("Your Partition Value", schema: OtherDevice.schema)
        try other.wait(.download)
        #expect(OtherDevice.names(other).count == 4)
        try OtherDevice.put(other, name: "back", owner: "Sam")
        try other.wait(.upload)
        try await syncedRealm.syncSession?.wait(for: .download)
        syncedRealm.refresh()
        #expect(tasks.count == 5)
        #expect(throws: Realm.Error.self) { try localRealm.writeCopy(configuration: syncConfig) }
    }

    @Test("S5, FI-05: not to a realm of flexible sync, nor from one partition to another")
    @MainActor func refused() async throws {
        let user = try await user()
        let directory = TemporaryDirectory()
        let localConfig = Realm.Configuration(
            fileURL: URL(fileURLWithPath: directory.path("local.realm")), objectTypes: [QsTask.self])
        let localRealm = try opened(localConfig)
        try localRealm.write { localRealm.add(QsTask("x", owner: "y")) }
        let flexible = user.flexibleSyncConfiguration()
        #expect(throws: Realm.Error.self) { try localRealm.writeCopy(configuration: flexible) }
        #expect(!Realm.fileExists(for: flexible))
    }

    @Test("S7, S8, FI-03, FI-07, FI-08: a synced realm's copy is a local one, which goes nowhere")
    @MainActor func toLocal() async throws {
        let user = try await user()
        let other = try SyncedDevice(SharedServer.url, app: user.app.appId)
        try other.open("p", schema: OtherDevice.schema)
        for n in 0..<3 { try OtherDevice.put(other, name: "task \(n)", owner: "Frodo") }
        try other.wait(.upload)
        var syncConfig = user.configuration(partitionValue: "p")
        syncConfig.objectTypes = [QsTask.self]
        let syncedRealm = try await Realm(configuration: syncConfig, downloadBeforeOpen: .always)
        #expect(syncedRealm.objects(QsTask.self).count == 3)
        let directory = TemporaryDirectory()
        var localConfig = Realm.Configuration()
        localConfig.objectTypes = [QsTask.self]
        localConfig.fileURL = URL(fileURLWithPath: directory.path("local.realm"))
        localConfig.schemaVersion = 1
        #expect(!Realm.fileExists(for: localConfig))
        try syncedRealm.writeCopy(configuration: localConfig)
        let localRealm = try await Realm(configuration: localConfig)
        #expect(localRealm.syncSession == nil)
        try localRealm.write { localRealm.add(QsTask("only here", owner: "Sam")) }
        #expect(localRealm.objects(QsTask.self).count == 4)
        #expect(syncedRealm.objects(QsTask.self).count == 3)
        try other.wait(.download)
        #expect(OtherDevice.names(other).count == 3)
        #expect(Realm.fileExists(for: localConfig))
    }

    @Test("CR-01, CR-02, CR-07 to CR-09: the blocks of a client reset see the realm before and after")
    @MainActor func reset() async throws {
        SharedAgent.ensure()
        var server = try ServerUnderTest()
        let app = App(id: "conv-reset", configuration: AppConfiguration(baseURL: server.url))
        let user = try await app.login(credentials: .anonymous)
        let seen = Seen()
        var configuration = user.configuration(
            partitionValue: "p",
            clientResetMode: .recoverUnsyncedChanges(
                beforeReset: { before in seen.note(before: before.objects(QsTask.self).map(\.name), before.isFrozen) },
                afterReset: { before, after in
                    seen.note(after: after.objects(QsTask.self).map(\.name), before.objects(QsTask.self).count)
                }))
        configuration.objectTypes = [QsTask.self]
        let realm = try opened(configuration)
        try realm.write { realm.add(QsTask("synced", owner: "a")) }
        try await realm.syncSession?.wait(for: .upload)
        server.end(SIGTERM)
        try realm.write { realm.add(QsTask("offline", owner: "a")) }
        let apps = URL(fileURLWithPath: server.directory.path + "/data/apps")
        for app in try FileManager.default.contentsOfDirectory(at: apps, includingPropertiesForKeys: nil) {
            for file in (try? FileManager.default.contentsOfDirectory(at: app, includingPropertiesForKeys: nil)) ?? []
            where file.lastPathComponent.contains(".realm") {
                try FileManager.default.removeItem(at: file)
            }
        }
        server = try ServerUnderTest(server.directory, port: server.port)
        // Another device begins anew: the classes are there before this one comes.
        realm.syncSession?.suspend()
        let other = try SyncedDevice(server.url, app: app.appId)
        try other.open("p", schema: OtherDevice.schema)
        try OtherDevice.put(other, name: "new", owner: "b")
        try other.wait(.upload)
        realm.syncSession?.resume()
        realm.syncSession?.reconnect()
        let isSeen = eventually(within: .seconds(20)) { seen.isComplete }
        #expect(isSeen)
        #expect(seen.before == ["offline", "synced"] && seen.after == ["new", "offline"])
        #expect(seen.wasFrozen && seen.countBefore == 2)
        realm.refresh()
        #expect(realm.objects(QsTask.self).map(\.name).sorted() == ["new", "offline"])
        try await realm.syncSession?.wait(for: .upload)
        server.end(SIGTERM)
    }
}

/// What the blocks of a client reset saw.
private final class Seen: @unchecked Sendable {
    // Behind the lock.
    private let lock = NSLock()
    private var names: (before: [String]?, after: [String]?) = (nil, nil)
    private var frozen = false
    private var count = 0

    func note(before names: [String], _ isFrozen: Bool) {
        lock.withLock {
            self.names.before = names.sorted()
            frozen = isFrozen
        }
    }

    func note(after names: [String], _ countBefore: Int) {
        lock.withLock {
            self.names.after = names.sorted()
            count = countBefore
        }
    }

    var isComplete: Bool { lock.withLock { names.before != nil && names.after != nil } }
    var before: [String]? { lock.withLock { names.before } }
    var after: [String]? { lock.withLock { names.after } }
    var wasFrozen: Bool { lock.withLock { frozen } }
    var countBefore: Int { lock.withLock { count } }
}
