import Foundation
import Model
import TestSupport
import Testing
import Wire

/// A server whose owner migrates an app while devices use it: agents, server and command as processes.
@Suite struct AppMigrationProcessTests {
    private func migrate(_ server: ServerUnderTest, to kind: String) throws {
        let done = try ServerUnderTest.reeve(
            ["app", "migrate", "tasks", "--to", kind, "--partition-key", "realm_id:string"], data: server.directory)
        #expect(done.status == 0, "\(done)")
    }

    private func device(_ server: ServerUnderTest, _ tasks: [(id: Int64, name: String)] = []) throws -> SyncedDevice {
        let device = try SyncedDevice(server.url)
        try device.open()
        if !tasks.isEmpty { try device.put(tasks) }
        try device.wait(.upload)
        try device.wait(.download)
        return device
    }

    /// Writes that the server doesn't get; then the agent is killed.
    private func writeOffline(_ device: SyncedDevice, _ tasks: [(id: Int64, name: String)]) throws {
        _ = try device.wire.call(SyncControl(target: .handle(device.realm), wish: .suspend))
        try device.put(tasks)
        device.agent.kill(SIGKILL)
    }

    private func expect(
        _ devices: [SyncedDevice], _ tasks: [Int64: String], _ location: SourceLocation = #_sourceLocation
    ) throws {
        for device in devices {
            let isThere = try eventually(within: .seconds(30)) { try device.tasks() == tasks }
            let found = try device.tasks()
            #expect(isThere, "\(found)", sourceLocation: location)
        }
        for device in devices {
            try device.wait(.upload)
            #expect(try device.tasks() == tasks, sourceLocation: location)
            #expect(try device.state().unsentTransactions == 0, sourceLocation: location)
        }
    }

    @Test("F-93 to F-101: online, offline with unsent writes, new; there and back: nothing is lost")
    func thereAndBack() throws {
        let server = try ServerUnderTest()
        let online = try device(server, [(1, "one"), (2, "two")])
        let offline = try device(server)
        try writeOffline(offline, [(3, "three")])
        try migrate(server, to: "flexible")
        try online.put([(4, "four")])
        try offline.restartAgent()
        try expect([online, offline], [1: "one", 2: "two", 3: "three", 4: "four"])
        let reset = try online.next(.syncReset)
        #expect(reset["recovered"] == .bool(true))
        // The application goes on as before: it has a partition, and no subscriptions.
        #expect(try online.state().target.partition == "\"home\"")
        #expect(throws: WireError.self) { try online.subscriptions() }
        let new = try device(server, [(5, "five")])
        // Agents that begin anew find it so.
        try online.restartAgent()
        try online.put([(6, "six")])
        let all: [Int64: String] = [1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six"]
        try expect([online, offline, new], all)
        // The way back.
        try writeOffline(offline, [(7, "seven")])
        try migrate(server, to: "partition")
        try online.put([(8, "eight")])
        try offline.restartAgent()
        let more = all.merging([7: "seven", 8: "eight"]) { $1 }
        try expect([online, offline, new], more)
        try online.restartAgent()
        try online.put([(9, "nine")])
        try expect([online, offline, new], more.merging([9: "nine"]) { $1 })
    }

    @Test("F-97: an app that gets a class after the migration writes in it at once") func newClasses() throws {
        let server = try ServerUnderTest()
        let a = try device(server, [(1, "one")])
        let b = try device(server)
        try migrate(server, to: "flexible")
        try expect([a, b], [1: "one"])
        let key = PropertySchema("_id", .int)
        let schema = RealmSchema(SyncedDevice.schema.classes + [ClassSchema("Note", primaryKey: "_id", [key])])
        for device in [a, b] {
            _ = try eventually(within: .seconds(30)) { try device.state().error == nil }
            try device.open(schema: schema)
        }
        try a.put([["_id": .int64(7)]], in: "Note")
        try a.wait(.upload)
        let isThere = try eventually(within: .seconds(30)) { try b.objects("Note").count == 1 }
        #expect(isThere)
        #expect(try a.objects("Note").count == 1)
    }

    @Test("F-99: an application that has come to know flexible sync opens the same file") func native() throws {
        let server = try ServerUnderTest()
        let a = try device(server, [(1, "one")])
        try migrate(server, to: "flexible")
        try a.put([(2, "two")])
        try expect([a], [1: "one", 2: "two"])
        _ = try a.wire.call(SyncControl(target: .handle(a.realm), wish: .suspend))
        try a.put([(3, "three")])
        try a.restartAgent(opening: nil)
        try a.openFlexible(at: a.path("home"), schema: SyncedDevice.schema)
        let set = try a.subscriptions().set
        #expect(set.subscriptions.map(\.name) == ["flx_migrated_Task"])
        try a.put([(4, "four")])
        try expect([a], [1: "one", 2: "two", 3: "three", 4: "four"])
        // Its own subscription in the place of the hidden one.
        try a.subscribeAndWait(
            SubscriptionsEdit(.removeAll),
            SubscriptionsEdit(.insert, name: "mine", className: "Task", query: "name == \"three\""))
        #expect(try a.tasks() == [3: "three"])
        // The partition is of the past.
        #expect(throws: WireError.self) { try a.open() }
    }

    @Test("the command works on a data directory that no server has open, and says as JSON what it has done")
    func withoutServer() throws {
        let directory = TemporaryDirectory()
        var server = try ServerUnderTest(directory)
        let port = server.port
        let a = try device(server, [(1, "one"), (2, "two")])
        server.end(SIGTERM)
        try a.put([(3, "three")])
        let command = ["app", "migrate", "tasks", "--to", "flexible", "--json"]
        let refused = try ServerUnderTest.reeve(command, data: directory)
        #expect(refused.status == 1 && refused.text.contains("--partition-key"), "\(refused)")
        let done = try ServerUnderTest.reeve(command + ["--partition-key", "realm_id:string"], data: directory)
        #expect(done.status == 0 && done.text.contains("\"objects\":2"), "\(done)")
        #expect(try ServerUnderTest.reeve(["app", "migrate", "tasks"], data: directory).status == 2)
        server = try ServerUnderTest(directory, port: port)
        try a.open()
        _ = try a.wire.call(SyncControl(target: .handle(a.realm), wish: .reconnect))
        try expect([a, try device(server)], [1: "one", 2: "two", 3: "three"])
    }

    private func count(_ device: SyncedDevice) throws -> Int64 {
        try device.wire.call(ReadCount(realm: device.realm, query: QueryRequest("Task"))).count
    }

    @Test("a server that is killed while it migrates has the old app or the new one, and a second command ends it")
    func killed() throws {
        let directory = TemporaryDirectory()
        var server = try ServerUnderTest(directory)
        let port = server.port
        let a = try device(server)
        let count: Int64 = 3_000
        for start in stride(from: 0, to: count, by: 500) { try a.put((start..<start + 500).map { ($0, "task \($0)") }) }
        try a.wait(.upload)
        for (round, kind) in ["flexible", "partition", "flexible"].enumerated() {
            for delay in [20, 60, 150] {
                let command = Process()
                command.executableURL = URL(fileURLWithPath: AgentUnderTest.binary)
                command.arguments = [
                    "app", "migrate", "tasks", "--to", kind, "--partition-key", "realm_id:string", "--data",
                    directory.path + "/data"
                ]
                command.standardError = FileHandle.nullDevice
                command.standardOutput = FileHandle.nullDevice
                try command.run()
                usleep(UInt32(delay) * 1_000)
                server.end(SIGKILL)
                command.waitUntilExit()
                server = try ServerUnderTest(directory, port: port)
            }
            try migrate(server, to: kind)
            let id = count + Int64(round)
            try a.put([(id, kind)])
            _ = try a.wire.call(SyncControl(target: .handle(a.realm), wish: .reconnect))
            let isThere = try eventually(within: .seconds(40)) {
                try a.state().unsentTransactions == 0 && a.state().error == nil
            }
            #expect(isThere)
            let witness = try device(server)
            for device in [a, witness] {
                let isComplete = try eventually(within: .seconds(40)) { try self.count(device) == id + 1 }
                #expect(isComplete)
            }
        }
    }
}
