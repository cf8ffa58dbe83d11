import Foundation
import RealmSwift
import TestSupport
import Testing

/// How often the blocks of a reset were called.
private final class Blocks: Sendable {
    let before = Counter()
    let after = Counter()
}

// Bundles that are too old.
extension BundleScenarioTests {
    private func recovering(_ blocks: Blocks) -> ClientResetMode {
        .recoverUnsyncedChanges(
            beforeReset: { _ in blocks.before.add(1) }, afterReset: { _, _ in blocks.after.add(1) })
    }

    private func discarding(_ blocks: Blocks) -> ClientResetMode {
        .discardUnsyncedChanges(
            beforeReset: { _ in blocks.before.add(1) }, afterReset: { _, _ in blocks.after.add(1) })
    }

    /// What a new installation opens, that wants to be reset so.
    private func seeded(
        _ user: User, _ mode: ClientResetMode, _ file: String, from seed: URL, in place: BundlePlace
    ) -> Realm.Configuration {
        var config = user.configuration(partitionValue: BundlePlace.partition, clientResetMode: mode)
        config.objectTypes = [Task.self]
        config.fileURL = place.file(file)
        config.seedFilePath = seed
        return config
    }

    @Test(
        "S38, R32, CR-02, CR-03, CR-05, CR-09: one that the server's history no longer reaches ends in a client reset")
    @MainActor func stale() async throws {
        var server = try ServerUnderTest(TemporaryDirectory(), ["--development", "--offline-days", "1"])
        let place = BundlePlace("bundle-stale", server.url)
        let user = try await place.user("ann")
        let other = try place.device()
        try place.put(other, owner: "Jon", (0..<20).map { "old \($0)" })
        let seed = try bundle(await synced(user), of: user, in: place)
        // Some of them go, one changes, and much happens meanwhile.
        try place.delete(other, "name BEGINSWITH 'old 1'")
        let many = (0..<60).map { "\($0)" + String(repeating: "x", count: 200) }
        try place.rename(other, "old 5", to: many + ["changed"])
        let names = try place.names(other)
        #expect(names.count == 9 && names.contains("changed"))

        // Before the limit there is no reset.
        let early = Blocks()
        let first = try await Realm(
            configuration: seeded(user, recovering(early), "early.realm", from: seed, in: place),
            downloadBeforeOpen: .always)
        #expect(first.objects(Task.self).map(\.name).sorted() == names && early.before.value == 0)

        server.end(SIGTERM)
        #expect(try server.trim(afterDays: 3) > 5_000)
        // Opened, and written to, before there is a network.
        let (kept, lost, told) = (Blocks(), Blocks(), Flag())
        let modes: [(String, ClientResetMode)] = [
            ("kept", recovering(kept)), ("lost", discarding(lost)),
            ("told", .manual { error, _ in if (error as? SyncError)?.code == .clientResetError { told.set() } })
        ]
        let realms = try modes.map { name, mode in
            let realm = try opened(seeded(user, mode, "\(name).realm", from: seed, in: place))
            #expect(realm.objects(Task.self).count == 20)
            try realm.write { for n in 0..<2 { realm.add(Task(value: ["name": "\(name) \(n)", "owner": "Sansa"])) } }
            return realm
        }
        server = try ServerUnderTest(server.directory, port: server.port, ["--development", "--offline-days", "1"])
        for realm in realms { realm.syncSession?.reconnect() }
        #expect(eventually(within: .seconds(30)) { kept.after.value > 0 && lost.after.value > 0 && told.isSet })
        try await realms[0].syncSession?.wait(for: .upload)
        for realm in realms[0...1] {
            try await realm.syncSession?.wait(for: .download)
            realm.refresh()
            #expect(realm.objects(Task.self).map(\.name).sorted() == (names + ["kept 0", "kept 1"]).sorted())
        }
        #expect(realms[2].objects(Task.self).count == 22)
        #expect(try place.names(other) == (names + ["kept 0", "kept 1"]).sorted())
        #expect(kept.before.value == 1 && kept.after.value == 1 && lost.before.value == 1 && lost.after.value == 1)
        server.end(SIGTERM)
    }
}
