import Foundation
import TestSupport
import Testing
import Wire

/// Logging out with something to send, with server, agent, command and clients as processes.
@Suite struct LogoutReportTests {
    private func files(of device: SyncedDevice, _ name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: device.agent.home.path).filter {
            $0.hasPrefix("\(name).realm")
        }
    }

    private func refusal(_ body: () throws -> Void) -> WireError? {
        do { try body() } catch { return error as? WireError }
        return nil
    }

    /// Somebody else on the device, whose realm is in `name`.realm.
    private func logIn(_ email: String, on device: SyncedDevice, _ name: String) throws -> (user: String, RealmOpen) {
        let (wire, app) = (device.wire, device.app)
        let path = "app/\(app.id)/auth/providers/local-userpass/register"
        let body = #"{"email":"\#(email)","password":"secret-1"}"#
        _ = try wire.call(AppCall(app: app, verb: "POST", path: path, body: body))
        let fields = #"{"username":"\#(email)","password":"secret-1"}"#
        let user = try wire.call(AppLogin(app: app, provider: "local-userpass", fields: fields)).user.id
        var target = device.target("home")
        target.user = user
        return (
            user,
            RealmOpen(path: device.path(name), schema: SyncedDevice.schema, create: true, events: true, sync: target)
        )
    }

    @Test("R47, AP-27, AP-28: who has something to send stays, unless it is waited for or given up")
    func unsentChanges() throws {
        var server = try ServerUnderTest()
        let (a, b) = (try SyncedDevice(server.url), try SyncedDevice(server.url))
        let ben = try logIn("ben@example.net", on: a, "ben")
        let benRealm = try a.wire.call(ben.1).realm
        try a.open()
        try a.put([(1, "one")])
        try a.wait(.upload)
        _ = try a.wire.call(SyncWait(realm: benRealm, direction: .download))
        server.end(SIGKILL)
        for id in 2...4 { try a.put([(Int64(id), "offline")]) }
        let arguments = ["logout", "tasks", a.user, "--server", server.url]

        // Refused, with the number of what waits; nothing happens.
        let error = refusal { _ = try a.wire.call(AppLogout(app: a.app, user: a.user, unsent: .refuse)) }
        #expect(error?.code == .pendingUploads)
        #expect(error?.facts["transactions"] == .int64(3))
        #expect(error?.facts["paths"] == .array([.string(a.path("home"))]))
        #expect(refusal { _ = try a.wire.call(AppRemove(app: a.app, user: a.user, unsent: .refuse)) } == error)
        let command = try a.agent.command(arguments + ["--json"])
        #expect(command.status == 1 && command.output.contains("pendingUploads"), "\(command)")
        let late = try a.agent.command(arguments + ["--after-upload", "--timeout", "1"])
        #expect(late.status == 1 && late.output.contains("3 transactions"), "\(late)")
        let client = try ChildProgram(
            ["R47 leaver", "tasks", a.user],
            environment: a.agent.clientEnvironment.merging(["REEVE_SERVER": server.url]) { $1 })
        #expect(client.finish().status == 0)
        #expect(client.said == ["PendingUploads(3)", "PendingUploads(3)", "true"])
        #expect(try a.wire.call(AppUsers(app: a.app, user: a.user)).users.first?.state == .loggedIn)
        #expect(try a.tasks().count == 4 && files(of: a, "home").contains("home.realm"))

        // With the server back they arrive first, and then no file of the user's is left.
        server = try ServerUnderTest(server.directory, port: server.port)
        let uploading = try a.agent.command(arguments + ["--after-upload"])
        #expect(uploading.status == 0, "\(uploading)")
        #expect(try files(of: a, "home").isEmpty)
        try b.open()
        try b.wait(.download)
        #expect(try b.tasks() == [1: "one", 2: "offline", 3: "offline", 4: "offline"])
        #expect(try !a.wire.call(AppUsers(app: a.app)).users.contains { $0.id == a.user && $0.state == .loggedIn })

        // Given up, they go with the files at once, under whoever has them open; those of others don't.
        let cleo = try logIn("cleo@example.net", on: a, "cleo")
        let realm = try a.wire.call(cleo.1).realm
        _ = try a.wire.call(SyncWait(realm: realm, direction: .download))
        server.end(SIGKILL)
        for id in 5...6 {
            let task: BSONDocument = ["_id": .int64(Int64(id)), "name": .string("given up")]
            _ = try a.wire.call(ObjectPut(realm: realm, className: "Task", objects: [task]))
        }
        let discarding = try a.agent.command(["logout", "tasks", "--server", server.url, "--discard", "--json"])
        #expect(discarding.status == 0 && discarding.output.contains(cleo.user), "\(discarding)")
        // Logged out here, though nobody could be told.
        #expect(discarding.output.contains("serverError"))
        #expect(try files(of: a, "cleo").isEmpty && files(of: a, "ben").contains("ben.realm"))
        let users = try a.wire.call(AppUsers(app: a.app)).users
        #expect(users.first { $0.id == cleo.user }?.state == .loggedOut)
        #expect(users.first { $0.id == ben.user }?.state == .loggedIn)
        #expect(try a.wire.call(ReadCount(realm: benRealm, query: QueryRequest("Task"))).count > 0)
        let put = refusal {
            let task: BSONDocument = ["_id": .int64(7), "name": .string("late")]
            _ = try a.wire.call(ObjectPut(realm: realm, className: "Task", objects: [task]))
        }
        #expect(put?.code == .fileNotFound)
        server = try ServerUnderTest(server.directory, port: server.port)
        _ = try b.wire.call(SyncControl(target: .handle(b.realm), wish: .reconnect))
        try b.wait(.download)
        #expect(try b.tasks().count == 4)
    }

    @Test("R47: what a former agent hasn't sent counts, whoever has it open") func afterARestart() throws {
        let server = try ServerUnderTest()
        let a = try SyncedDevice(server.url)
        try a.open()
        try a.wait(.upload)
        _ = try a.wire.call(SyncControl(target: .path(a.path("home")), wish: .suspend))
        try a.put([(1, "one"), (2, "two")])
        try a.restartAgent(opening: nil)
        let error = refusal { _ = try a.wire.call(AppLogout(app: a.app, user: a.user, unsent: .refuse)) }
        #expect(error?.facts["transactions"] == .int64(1))
        #expect(error?.message.contains("paused") == true)
        // It can't be waited for.
        #expect(refusal { _ = try a.wire.call(AppLogout(app: a.app, user: a.user, unsent: .upload)) } == error)
        _ = try a.wire.call(SyncControl(target: .path(a.path("home")), wish: .resume))
        // What is being sent isn't called pending.
        let isConnected = try eventually {
            try a.wire.call(SyncStateRequest(target: .path(a.path("home")))).connection == .connected
        }
        #expect(isConnected)
        #expect(try a.wire.call(AppRemove(app: a.app, user: a.user, unsent: .refuse)) == Acknowledgement())
        let b = try SyncedDevice(server.url)
        try b.open()
        try b.wait(.download)
        #expect(try b.tasks().count == 2)
    }
}
