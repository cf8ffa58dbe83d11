import Foundation
import RealmSwift
import TestSupport
import Testing

/// A client reset that the app carries out by itself: against a server and agents that are processes.
@Suite("Manual client reset")
struct ManualResetScenarioTests {
    /// At once, as from a function that isn't asynchronous.
    private func opened(_ configuration: Realm.Configuration) throws -> Realm {
        try Realm(configuration: configuration)
    }

    /// What the handler was given.
    private final class Told: @unchecked Sendable {
        // Behind the lock.
        private let lock = NSLock()
        private var errors: [SyncError] = []

        func note(_ error: any Error) { lock.withLock { if let error = error as? SyncError { errors.append(error) } } }

        var last: SyncError? { lock.withLock { errors.last } }
    }

    @Test("SY-12, ER-25, CR-05, R-11: the copy is where the error says, and the realm begins anew, in all processes")
    @MainActor func manual() async throws {
        SharedAgent.ensure()
        var server = try ServerUnderTest()
        let app = App(id: "manual-reset", configuration: AppConfiguration(baseURL: server.url))
        let user = try await app.login(credentials: .anonymous)
        let told = Told()
        var configuration = user.configuration(
            partitionValue: "p", clientResetMode: .manual { error, _ in told.note(error) })
        configuration.objectTypes = [QsTask.self]
        let path = try #require(configuration.fileURL).path
        var holder: ChildProgram?
        do {
            let realm = try opened(configuration)
            try realm.write { realm.add(QsTask("synced", owner: "a")) }
            try await realm.syncSession?.wait(for: .upload)
            server.end(SIGTERM)
            try realm.write { realm.add(QsTask("offline", owner: "a")) }
            for file in server.realms { try FileManager.default.removeItem(atPath: file) }
            realm.syncSession?.suspend()
            let environment = ProcessInfo.processInfo.environment.merging(["REEVE_SERVER": server.url]) { $1 }
            let child = try ChildProgram(["R66 holder", app.appId, "p", path], environment: environment)
            #expect(eventually { child.said == ["open"] })
            holder = child
            server = try ServerUnderTest(server.directory, port: server.port)
            let other = try SyncedDevice(server.url, app: app.appId)
            try other.open("p", schema: OtherDevice.schema)
            try OtherDevice.put(other, name: "new", owner: "b")
            try other.wait(.upload)
            realm.syncSession?.resume()
            realm.syncSession?.reconnect()
            #expect(eventually(within: .seconds(20)) { told.last != nil })
            // Nothing has happened yet, and nothing is lost.
            #expect(realm.objects(QsTask.self).count == 2)
        }
        let error = try #require(told.last)
        #expect(error.code == .clientResetError)
        let (backup, token) = try #require(error.clientResetInfo())
        let base = path.components(separatedBy: "/mongodb-realm/")[0]
        #expect(backup.hasPrefix("\(base)/mongodb-realm/manual-reset/recovered-realms/recovered_realm-"))
        // The other process still has it open.
        SyncSession.immediatelyHandleError(token)
        #expect(FileManager.default.fileExists(atPath: path))
        holder?.kill()
        let isGone = eventually { !FileManager.default.fileExists(atPath: path) }
        #expect(isGone)

        let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .always)
        #expect(realm.objects(QsTask.self).map(\.name) == ["new"])
        try realm.write { realm.add(QsTask("again", owner: "a")) }
        try await realm.syncSession?.wait(for: .upload)
        // What it was can be read, and saved.
        let copy = Realm.Configuration(
            fileURL: URL(fileURLWithPath: backup), readOnly: true, objectTypes: [QsTask.self])
        #expect(try opened(copy).objects(QsTask.self).map(\.name).sorted() == ["offline", "synced"])
        server.end(SIGTERM)
    }
}
