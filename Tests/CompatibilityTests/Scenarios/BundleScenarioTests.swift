import Foundation
import RealmSwift
import TestSupport
import Testing

/// Scenarios S31 to S38: a realm that an app is shipped with. Server, agents and other devices are processes.
@Suite("Bundled realms")
struct BundleScenarioTests {
    // Shadows Swift's `Task` here, which does no harm.
    class Task: Object {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var name: String
        @Persisted var owner: String
        @Persisted var status: String

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    /// At once, as from a function that isn't asynchronous.
    func opened(_ configuration: Realm.Configuration) throws -> Realm {
        try Realm(configuration: configuration)
    }

    /// A realm of the partition, with all that the server has.
    @MainActor func synced(_ user: User) async throws -> Realm {
        var config = user.configuration(partitionValue: BundlePlace.partition)
        config.objectTypes = [Task.self]
        return try await Realm(configuration: config, downloadBeforeOpen: .always)
    }

    /// Its bundle.
    func bundle(_ realm: Realm, of user: User, _ name: String = "seed.realm", in place: BundlePlace) throws -> URL {
        var config = user.configuration(partitionValue: BundlePlace.partition)
        config.fileURL = place.file(name)
        try realm.writeCopy(configuration: config)
        return place.file(name)
    }

    /// What a new installation opens.
    func seeded(_ user: User, _ file: String, from seed: URL, in place: BundlePlace) -> Realm.Configuration {
        var config = user.configuration(partitionValue: BundlePlace.partition)
        config.objectTypes = [Task.self]
        config.fileURL = place.file(file)
        config.seedFilePath = seed
        return config
    }

    private func code(_ body: () throws -> Void) -> Realm.Error.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? Realm.Error)?.code
        }
    }

    @Test("S31, FI-04, CF-04: the file is made, and opens without a network")
    @MainActor func making() async throws {
        let server = try ServerUnderTest()
        let place = BundlePlace("bundle-making", server.url)
        try place.put(place.device(), owner: "Daenerys", ["Feed the dragons"])
        let outputDir = URL(fileURLWithPath: place.directory.path)
        let app = place.app

        let seedUser = try await app.login(credentials: .anonymous)
        var config = seedUser.configuration(partitionValue: "Some Partition Value")
        config.objectTypes = [Task.self]
        let realm = try await Realm(configuration: config, downloadBeforeOpen: .always)
        let tasks = realm.objects(Task.self)
        let daenerysTasks = tasks.where { $0.owner == "Daenerys" }
        #expect(daenerysTasks.count == 1)
        config.fileURL = outputDir.appendingPathComponent("seed.realm")
        if Realm.fileExists(for: config) { _ = try Realm.deleteFiles(for: config) }
        try realm.writeCopy(configuration: config)
        #expect(FileManager.default.fileExists(atPath: outputDir.appendingPathComponent("seed.realm").path))
        server.end(SIGKILL)
        let copy = try await Realm(configuration: config, downloadBeforeOpen: .never)
        #expect(copy.objects(Task.self).where { $0.owner == "Daenerys" }.count == 1)
        #expect(throws: Realm.Error.self) { try realm.writeCopy(configuration: config) }
    }

    @Test("S32, FI-04, SY-11: not while something isn't uploaded")
    @MainActor func uploaded() async throws {
        let place = BundlePlace("bundle-uploaded")
        let user = try await place.user("ann")
        let realm = try await synced(user)
        realm.syncSession?.suspend()
        try realm.write { realm.add(Task(value: ["name": "later", "owner": "Sansa"])) }
        do {
            _ = try bundle(realm, of: user, in: place)
            Issue.record("a bundle was made of what isn't on the server")
        } catch {
            #expect((error as? Realm.Error)?.code == .fail)
            #expect(error.localizedDescription.contains("wait until they are uploaded"))
        }
        realm.syncSession?.resume()
        try await realm.syncSession?.wait(for: .upload)
        // Neither what a transaction has changed.
        realm.beginWrite()
        realm.add(Task(value: ["name": "now", "owner": "Sansa"]))
        #expect(code { _ = try bundle(realm, of: user, in: place) } == .fail)
        realm.cancelWrite()
        #expect(!FileManager.default.fileExists(atPath: place.directory.path("seed.realm")))
        let seed = try bundle(realm, of: user, in: place)
        #expect(try opened(seeded(user, "a.realm", from: seed, in: place)).objects(Task.self).count == 1)
    }

    @Test("S33, FI-10, FI-11: it is compact, and encrypted if that is asked for")
    @MainActor func compact() async throws {
        let place = BundlePlace("bundle-compact")
        let user = try await place.user("ann")
        let realm = try await synced(user)
        for round in 0..<4 {
            try realm.write {
                for number in 0..<1_000 {
                    let name = "\(round) \(number)" + String(repeating: "x", count: 300)
                    realm.add(Task(value: ["name": name, "owner": round == 0 && number < 10 ? "kept" : "x"]))
                }
            }
            try realm.write { realm.delete(realm.objects(Task.self).where { $0.owner == "x" }) }
        }
        try await realm.syncSession?.wait(for: .upload)
        let seed = try bundle(realm, of: user, in: place)
        let size = { (url: URL) in (try? url.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0 }
        let source = try #require(realm.configuration.fileURL)
        #expect(size(seed) > 0 && size(seed) * 4 < size(source))
        let names = realm.objects(Task.self).map(\.name).sorted()
        let copy = try opened(seeded(user, "a.realm", from: seed, in: place))
        #expect(copy.objects(Task.self).map(\.name).sorted() == names && names.count == 10)

        var secret = user.configuration(partitionValue: BundlePlace.partition)
        secret.encryptionKey = Data(repeating: 3, count: 64)
        secret.fileURL = place.file("secret.realm")
        try realm.writeCopy(configuration: secret)
        let bytes = try Data(contentsOf: place.file("secret.realm"))
        #expect(bytes.range(of: Data("kept".utf8)) == nil)
        var mine = seeded(user, "b.realm", from: place.file("secret.realm"), in: place)
        #expect(code { _ = try opened(mine) } == .invalidDatabase)
        #expect(!Realm.fileExists(for: mine))
        mine.encryptionKey = secret.encryptionKey
        #expect(try opened(mine).objects(Task.self).count == 10)
    }

    @Test("S34, FI-01: the same with local realms")
    @MainActor func local() async throws {
        let place = BundlePlace("bundle-local")
        var config = Realm.Configuration()
        config.fileURL = place.file("local.realm")
        config.objectTypes = [Task.self]
        let realm = try await Realm(configuration: config)
        try realm.write { realm.add(Task(value: ["name": "a", "owner": "Daenerys", "status": "Open"])) }
        config.fileURL = place.file("seed.realm")
        if Realm.fileExists(for: config) { _ = try Realm.deleteFiles(for: config) }
        try realm.writeCopy(configuration: config)
        let copy = try await Realm(configuration: config)
        #expect(copy.objects(Task.self).where { $0.owner == "Daenerys" }.count == 1)
    }

    @Test("S35, CF-08: it is read where it is, and stays as it is")
    @MainActor func inPlace() async throws {
        let place = BundlePlace("bundle-in-place")
        let user = try await place.user("ann")
        try place.put(place.device(), owner: "Daenerys", ["a", "b"])
        let bundleURL = try bundle(await synced(user), of: user, in: place)
        chmod(bundleURL.path, 0o400)
        let files = try FileManager.default.contentsOfDirectory(atPath: place.directory.path)
        let config = Realm.Configuration(fileURL: bundleURL, readOnly: true, objectTypes: [Task.self])
        do {
            let realm = try opened(config)
            #expect(realm.objects(Task.self).map(\.name).sorted() == ["a", "b"])
            #expect(realm.syncSession == nil)
        }
        // Where the user might write, an agent was asked, which has a lock.
        let left = try FileManager.default.contentsOfDirectory(atPath: place.directory.path)
        #expect(left.filter { !files.contains($0) && !$0.hasSuffix("lock") } == [])
        let missing = Realm.Configuration(fileURL: place.file("none.realm"), readOnly: true, objectTypes: [Task.self])
        #expect(code { _ = try opened(missing) } == .fileNotFound)
        // Its objects are the server's, which a local realm would change behind its back.
        chmod(bundleURL.path, 0o600)
        let local = Realm.Configuration(fileURL: bundleURL, objectTypes: [Task.self])
        #expect(code { _ = try opened(local) } == .incompatibleHistories)
        #expect(try opened(seeded(user, "a.realm", from: bundleURL, in: place)).objects(Task.self).count == 2)
    }
}

// MARK: - Beginning with a bundle
extension BundleScenarioTests {
    @Test("S36, R30, R31, CF-14, FI-09: it begins with the bundle, and downloads only what has changed since")
    @MainActor func seedFile() async throws {
        let place = BundlePlace("bundle-seed")
        let seedUser = try await place.user("ann")
        let other = try place.device()
        try place.put(other, owner: "Daenerys", ["Feed the dragons"])
        try place.put(other, owner: "Jon", (0..<300).map { "task \($0) " + String(repeating: "x", count: 100) })
        let seed = try bundle(await synced(seedUser), of: seedUser, in: place)
        let bytes = try Data(contentsOf: seed)
        try place.put(other, owner: "Sansa", ["new on the server"])

        let app = place.app
        let user = try await app.login(credentials: .anonymous)
        var newUserConfig = user.configuration(partitionValue: "Some Partition Value")
        newUserConfig.objectTypes = [Task.self]
        let bundle = try #require(Bundle(path: place.directory.path))
        let realmURL = bundle.url(forResource: "seed", withExtension: ".realm")
        newUserConfig.seedFilePath = realmURL
        let realm = try await Realm(configuration: newUserConfig, downloadBeforeOpen: .always)
        let tasks = realm.objects(Task.self)
        #expect(tasks.count == 302)
        #expect(tasks.where { $0.owner == "Sansa" }.count == 1)
        #expect(tasks.where { $0.owner == "Daenerys" }.count == 1)
        let task = Task(value: ["name": "Return to Westeros", "owner": "Daenerys", "status": "Open"])
        try realm.write { realm.add(task) }
        #expect(tasks.where { $0.owner == "Daenerys" }.count == 2)
        try await realm.syncSession?.wait(for: .upload)
        #expect(try place.names(other).filter { $0.contains("dragons") || $0.contains("Westeros") }.count == 2)

        // Bytes of changes, against those of who begins with nothing.
        let difference = try await BundlePlace.downloaded(realm)
        var full = user.configuration(partitionValue: "Some Partition Value")
        full.objectTypes = [Task.self]
        full.fileURL = place.file("full.realm")
        let everything = try await Realm(configuration: full, downloadBeforeOpen: .always)
        #expect(everything.objects(Task.self).count == 303)
        #expect(try await BundlePlace.downloaded(everything) > 30_000)
        #expect(difference > 0 && difference < 1_000)

        // The bundle is as it was, and isn't copied again, be it there or not.
        #expect(try Data(contentsOf: seed) == bytes)
        try FileManager.default.removeItem(at: seed)
        #expect(
            try await Realm(configuration: newUserConfig, downloadBeforeOpen: .always).objects(Task.self).count == 303)
    }

    @Test("S36, CF-14: several users begin with one bundle, and each file is another to the server")
    @MainActor func users() async throws {
        let place = BundlePlace("bundle-users")
        let seedUser = try await place.user("ann")
        let other = try place.device()
        try place.put(other, owner: "Daenerys", ["a"])
        let seed = try bundle(await synced(seedUser), of: seedUser, in: place)
        // Its maker looks at it, and thereby becomes its user: it serves all the same.
        var look = seedUser.configuration(partitionValue: BundlePlace.partition)
        look.fileURL = seed
        look.objectTypes = [Task.self]
        do {
            let realm = try await Realm(configuration: look, downloadBeforeOpen: .always)
            #expect(realm.objects(Task.self).count == 1)
        }
        let ben = try await place.user("ben")
        let cat = try await place.user("cat")
        var realms: [Realm] = []
        for (name, user) in [("ben", ben), ("cat", cat), ("ann", seedUser), ("ann 2", seedUser)] {
            let realm = try opened(seeded(user, "\(name).realm", from: seed, in: place))
            #expect(realm.objects(Task.self).count == 1)
            try realm.write { realm.add(Task(value: ["name": "of \(name)", "owner": name])) }
            realms.append(realm)
        }
        for realm in realms { try await realm.syncSession?.wait(for: .upload) }
        for realm in realms { try await realm.syncSession?.wait(for: .download) }
        let names = ["a", "of ann", "of ann 2", "of ben", "of cat"]
        #expect(try place.names(other) == names)
        for realm in realms {
            realm.refresh()
            #expect(realm.objects(Task.self).map(\.name).sorted() == names)
        }
    }

    @Test("R31: without a network it is there at once; when the network comes, so does what is new")
    @MainActor func offline() async throws {
        var server = try ServerUnderTest()
        let place = BundlePlace("bundle-offline", server.url)
        let user = try await place.user("ann")
        let other = try place.device()
        try place.put(other, owner: "Daenerys", ["a"])
        let seed = try bundle(await synced(user), of: user, in: place)
        try place.put(other, owner: "Jon", ["b"])
        server.end(SIGKILL)
        let begun = ContinuousClock.now
        let config = seeded(user, "a.realm", from: seed, in: place)
        let realm = try await Realm(configuration: config, downloadBeforeOpen: .never)
        #expect(realm.objects(Task.self).count == 1)
        #expect(ContinuousClock.now - begun < .seconds(1))
        // Asynchronously, too, and what is written waits.
        let second = seeded(user, "b.realm", from: seed, in: place)
        let count = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: try? opened(second).objects(Task.self).count)
            }
        }
        #expect(count == 1)
        try realm.write { realm.add(Task(value: ["name": "c", "owner": "Sansa"])) }
        server = try ServerUnderTest(server.directory, port: server.port)
        realm.syncSession?.reconnect()
        let again = try await Realm(configuration: config, downloadBeforeOpen: .always)
        #expect(again.objects(Task.self).map(\.name).sorted() == ["a", "b", "c"])
        try await realm.syncSession?.wait(for: .upload)
        #expect(try place.names(other) == ["a", "b", "c"])
        server.end(SIGTERM)
    }

    @Test("R30, FI-09: two processes that begin at the same instant have one copy")
    @MainActor func atOnce() async throws {
        let place = BundlePlace("bundle-at-once")
        let user = try await place.user("ann")
        let other = try place.device()
        try place.put(other, owner: "Daenerys", ["a"])
        let seed = try bundle(await synced(user), of: user, in: place)
        let bytes = try Data(contentsOf: seed)
        let environment = ProcessInfo.processInfo.environment.merging(["REEVE_SERVER": place.url]) { $1 }
        for round in 0..<5 {
            let instant = Int(Date().timeIntervalSince1970 * 1_000) + 700
            let arguments = [
                "S36 seeded", place.app.appId, BundlePlace.partition, seed.path, place.directory.path("\(round).realm"),
                "\(instant)"
            ]
            let children = try (0..<3).map {
                try ChildProgram(arguments + ["\(round) \($0)"], environment: environment)
            }
            for child in children {
                let end = child.finish()
                #expect(end.status == 0, "\(end.errors)")
                // Whoever came first has written already, or not, and what is new may have come.
                #expect(child.said.count == 1 && child.said != ["0"], "\(child.said)")
            }
            let realm = try opened(seeded(user, "\(round).realm", from: seed, in: place))
            #expect(
                realm.objects(Task.self).where { $0.owner == "child" && $0.name.starts(with: "\(round)") }.count == 3)
            try await realm.syncSession?.wait(for: .upload)
        }
        #expect(try place.names(other).count == 16)
        #expect(try Data(contentsOf: seed) == bytes)
        let left = try FileManager.default.contentsOfDirectory(atPath: place.directory.path)
        #expect(left.filter { $0.hasPrefix(".") } == [])
    }

    @Test("S37, AP-24, ER-19: what isn't a bundle of the same partition is refused, and nothing of it stays")
    @MainActor func otherPartition() async throws {
        let place = BundlePlace("bundle-partition")
        let user = try await place.user("ann")
        try place.put(place.device(), owner: "Daenerys", ["a"])
        let realm = try await synced(user)
        let seed = try bundle(realm, of: user, in: place)
        var wrong = user.configuration(partitionValue: "Another Partition Value")
        wrong.objectTypes = [Task.self]
        wrong.fileURL = place.file("wrong.realm")
        wrong.seedFilePath = seed
        do {
            _ = try opened(wrong)
            Issue.record("opened with another partition")
        } catch {
            #expect((error as? Realm.Error)?.code == .incompatibleHistories)
            #expect(error.localizedDescription.contains("Some Partition Value"))
            #expect(error.localizedDescription.contains("Another Partition Value"))
        }
        #expect(!Realm.fileExists(for: wrong))
        // In place, and as the copy's destination.
        wrong.seedFilePath = nil
        wrong.fileURL = seed
        #expect(code { _ = try opened(wrong) } == .incompatibleHistories)
        wrong.fileURL = place.file("copy.realm")
        #expect(code { try realm.writeCopy(configuration: wrong) } == .incompatibleHistories)
        #expect(code { try realm.writeCopy(configuration: user.flexibleSyncConfiguration()) } == .incompatibleHistories)
        // Another app's, a local realm, no realm at all, nothing.
        let stranger = try await BundlePlace("bundle-stranger").user("ann")
        #expect(code { _ = try opened(seeded(stranger, "c.realm", from: seed, in: place)) } == .incompatibleHistories)
        let local = Realm.Configuration(fileURL: place.file("local.realm"), objectTypes: [Task.self])
        do { _ = try opened(local) }
        let localSeed = seeded(user, "d.realm", from: place.file("local.realm"), in: place)
        #expect(code { _ = try opened(localSeed) } == .incompatibleHistories)
        try Data(repeating: 65, count: 10_000).write(to: place.file("text.realm"))
        let text = seeded(user, "e.realm", from: place.file("text.realm"), in: place)
        #expect(code { _ = try opened(text) } == .invalidDatabase)
        let nothing = seeded(user, "f.realm", from: place.file("none.realm"), in: place)
        #expect(code { _ = try opened(nothing) } == .fileNotFound)
        for name in ["c", "d", "e", "f", "copy"] {
            #expect(!FileManager.default.fileExists(atPath: place.directory.path("\(name).realm")), "\(name)")
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: place.directory.path)
        #expect(left.filter { $0.hasPrefix(".") } == [])
        // All the same it can be begun with.
        #expect(try opened(seeded(user, "good.realm", from: seed, in: place)).objects(Task.self).count == 1)
    }
}
