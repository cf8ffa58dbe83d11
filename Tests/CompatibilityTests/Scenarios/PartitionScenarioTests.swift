import Foundation
import RealmSwift
import TestSupport
import Testing
import Wire

final class QsTask: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name = ""
    @Persisted var owner: String?

    convenience init(_ name: String, owner: String) {
        self.init()
        self.name = name
        self.owner = owner
    }
}

/// Scenarios S2, S3, S6 and S26, and what the inventory says about sessions: against a server and agents that are processes. The
/// other device is one that speaks to its own agent.
@Suite("Partition-based sync")
struct PartitionScenarioTests {
    /// An app that no other test uses, with a user who is logged in.
    private func user(_ name: String = #function) async throws -> User {
        SharedAgent.ensure()
        let id = "pbs-" + name.prefix { $0.isLetter || $0.isNumber }
        let app = App(id: id, configuration: AppConfiguration(baseURL: SharedServer.url))
        return try await app.login(credentials: .anonymous)
    }

    /// At once, as from a function that isn't asynchronous.
    private func opened(_ configuration: Realm.Configuration) throws -> Realm {
        try Realm(configuration: configuration)
    }

    private func configuration(_ user: User, _ partition: String = "some partition value") -> Realm.Configuration {
        var configuration = user.configuration(partitionValue: partition)
        configuration.objectTypes = [QsTask.self]
        return configuration
    }

    /// Another device on the same partition, which has the classes by now.
    private func device(_ user: User, _ partition: String = "some partition value") throws -> SyncedDevice {
        let device = try SyncedDevice(SharedServer.url, app: user.app.appId)
        try device.open(partition, schema: OtherDevice.schema)
        try device.wait(.download)
        return device
    }

    @Test("S2, RE-03, RE-41, AP-24, AP-06, RE-39: opens at once; changes go up and come down by themselves")
    @MainActor func opening() async throws {
        let user = try await user()
        let configuration = configuration(user)
        let realm = try opened(configuration)
        #expect("\(realm)".isEmpty == false)
        #expect(realm.isEmpty)
        #expect(user.app.currentUser == user)
        try realm.write { realm.add(QsTask("Destroy the ring", owner: "Frodo")) }
        try await realm.syncSession?.wait(for: .upload)
        let other = try device(user)
        #expect(OtherDevice.names(other) == ["Destroy the ring"])
        try OtherDevice.put(other, name: "Eat a second breakfast", owner: "Pippin")
        let tasks = realm.objects(QsTask.self)
        let deadline = ContinuousClock.now + .seconds(20)
        while tasks.count < 2, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(5)) }
        #expect(Set(tasks.map(\.name)) == ["Destroy the ring", "Eat a second breakfast"])
        // Another partition is another file with other data.
        let elsewhere = self.configuration(user, "elsewhere")
        #expect(elsewhere.fileURL != configuration.fileURL)
        #expect(try opened(elsewhere).objects(QsTask.self).isEmpty)
    }

    @Test("S3, RE-13, RE-16: what the server has is there, if the opener wants to wait for it")
    @MainActor func downloadFirst() async throws {
        let user = try await user()
        let other = try SyncedDevice(SharedServer.url, app: user.app.appId)
        try other.open("some partition value", schema: OtherDevice.schema)
        for n in 0..<20 { try OtherDevice.put(other, name: "task \(n)", owner: "Sam") }
        try other.wait(.upload)
        let configuration = configuration(user)
        let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .always)
        #expect(realm.objects(QsTask.self).count == 20)
        try OtherDevice.put(other, name: "one more", owner: "Sam")
        try other.wait(.upload)
        let again = try await Realm(configuration: configuration, downloadBeforeOpen: .always)
        #expect(again.objects(QsTask.self).count == 21)
        #expect(try await Realm(configuration: configuration).objects(QsTask.self).count == 21)
    }

    @Test("RE-18, RE-20: asyncOpen downloads, reports progress, and calls back once")
    func asyncOpen() async throws {
        let user = try await user()
        let other = try SyncedDevice(SharedServer.url, app: user.app.appId)
        try other.open("some partition value", schema: OtherDevice.schema)
        for n in 0..<5 { try OtherDevice.put(other, name: "task \(n)", owner: "Sam") }
        try other.wait(.upload)
        let queue = DispatchQueue(label: "opening")
        let configuration = configuration(user)
        let count = await withCheckedContinuation { continuation in
            _ = Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { result in
                continuation.resume(returning: (try? result.get())?.objects(QsTask.self).count)
            }
        }
        #expect(count == 5)
    }

    @Test("R36, RE-16, RE-19, ER-21: without a server the opening ends once, in time, or when it is cancelled")
    @MainActor func offline() async throws {
        SharedAgent.ensure()
        let server = try ServerUnderTest()
        let app = App(
            id: "pbs-dead",
            configuration: AppConfiguration(
                baseURL: server.url, syncTimeouts: SyncTimeoutOptions(connectTimeout: 1_000)))
        let lonely = try await app.login(credentials: .anonymous)
        server.end(SIGKILL)
        var configuration = lonely.configuration(partitionValue: "x", cancelAsyncOpenOnNonFatalErrors: true)
        configuration.objectTypes = [QsTask.self]
        let begin = ContinuousClock.now
        do {
            _ = try await Realm(configuration: configuration, downloadBeforeOpen: .always)
            #expect(Bool(false), "opened without a server")
        } catch {
            let error = error as NSError
            #expect(error.domain == NSPOSIXErrorDomain && error.code == Int(ETIMEDOUT))
        }
        let time = ContinuousClock.now - begin
        #expect(time > .milliseconds(900) && time < .seconds(10))
        // What is there opens all the same.
        #expect(try opened(configuration).isEmpty)
    }

    @Test("SY-05, SY-06, SY-08 to SY-11: sessions, their states, and progress")
    @MainActor func sessions() async throws {
        let user = try await user()
        let realm = try opened(configuration(user))
        let session = try #require(realm.syncSession)
        #expect(session.parentUser() == user)
        #expect(session.configuration()?.partitionValue == .string("some partition value"))
        try await session.wait(for: .download)
        #expect(session.state == .active && session.connectionState == .connected)
        session.suspend()
        #expect(session.state == .inactive)
        try realm.write { realm.add(QsTask("later", owner: "Sam")) }
        let complete = Flag()
        let token = session.addProgressNotification(for: .upload, mode: .reportIndefinitely) { progress in
            if progress.isTransferComplete { complete.set() }
        }
        session.resume()
        try await session.wait(for: .upload)
        #expect(eventually { complete.isSet })
        token?.invalidate()
        #expect(session.state == .active)
        let done = Flag()
        session.wait(for: .download, queue: .global()) { error in if error == nil { done.set() } }
        #expect(eventually { done.isSet })
    }

    @Test("SY-11: who has written may ask at once, and hears of it when it is on the server")
    @MainActor func waitingAtOnce() async throws {
        let user = try await user()
        let configuration = configuration(user)
        let realm = try opened(configuration)
        let session = try #require(realm.syncSession)
        let agent = try BlockingClient(
            to: SocketLocation(path: ProcessInfo.processInfo.environment["REEVE_SOCKET"] ?? ""), client: "test",
            version: "", timeout: .seconds(30))
        let state = SyncStateRequest(target: .path(configuration.fileURL?.path ?? ""))
        var early = 0
        for number in 0..<150 {
            try realm.write { realm.add(QsTask("task \(number)", owner: "Sam")) }
            try await session.wait(for: .upload)
            early += try agent.call(state).unsentTransactions > 0 ? 1 : 0
        }
        #expect(early == 0)
    }

    @Test("RE-17: a cancelled opening throws, and what it has made does no harm")
    @MainActor func cancelled() async throws {
        let user = try await user()
        let configuration = configuration(user)
        let realm = try opened(configuration)
        realm.syncSession?.suspend()
        let task = Task { @MainActor in _ = try await Realm(configuration: configuration, downloadBeforeOpen: .always) }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        let result = await task.result
        #expect(throws: CancellationError.self) { try result.get() }
        realm.syncSession?.resume()
        #expect(try await Realm(configuration: configuration, downloadBeforeOpen: .always).isEmpty)
    }

    @Test("S6, TH-06: on the main actor a synced realm is used before and after suspension points")
    @MainActor func suspensionPoints() async throws {
        let realm = try await Realm(configuration: configuration(user()), downloadBeforeOpen: .always)
        let tasks = realm.objects(QsTask.self)
        for count in 1...3 {
            try realm.write { realm.add(QsTask("task \(count)", owner: "Sam")) }
            #expect(tasks.count == count)
            try await realm.syncSession?.wait(for: .upload)
            try await Task.detached { try await Task.sleep(for: .milliseconds(1)) }.value
            #expect(tasks.count == count)
        }
    }

    @Test("S26, AP-08, XR-09: without a server, logging in fails with a sentence for people")
    @MainActor func noServer() async throws {
        SharedAgent.ensure()
        let server = try ServerUnderTest()
        server.end(SIGKILL)
        let app = App(id: "pbs-no-server", configuration: AppConfiguration(baseURL: server.url))
        func login() async throws -> User { try await app.login(credentials: .anonymous) }
        do {
            let user = try await login()
            Issue.record("\(user.id) is logged in")
        } catch {
            #expect(error.localizedDescription.split(separator: " ").count > 3, "\(error.localizedDescription)")
        }
    }

    @Test("ER-19: a local file isn't opened as a synced one, nor the reverse")
    func histories() async throws {
        let user = try await user()
        let synced = configuration(user)
        do { _ = try opened(synced) }
        var local = Realm.Configuration(fileURL: synced.fileURL, objectTypes: [QsTask.self])
        let code = { (configuration: Realm.Configuration) -> Realm.Error.Code? in
            do {
                _ = try opened(configuration)
                return nil
            } catch {
                return (error as? Realm.Error)?.code
            }
        }
        #expect(eventually { code(local) == .incompatibleHistories })
        let shelter = TemporaryDirectory()
        local.fileURL = URL(fileURLWithPath: shelter.path("local.realm"))
        do { _ = try opened(local) }
        var moved = synced
        moved.fileURL = local.fileURL
        #expect(eventually { code(moved) == .incompatibleHistories })
    }
}

/// Set once, asked by another thread.
final class Flag: @unchecked Sendable {
    // Behind the lock.
    private let lock = NSLock()
    private var value = false

    func set() { lock.withLock { value = true } }
    var isSet: Bool { lock.withLock { value } }
}
