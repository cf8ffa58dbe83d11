import Foundation
import Model
import TestSupport
import Testing
import Wire

/// Receipts of commits: any process can wait for what becomes of them, over whatever happens to the agent.
@Suite struct ReceiptProcessTests {
    private func json(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
    }

    private func word(_ output: String) -> String { output.trimmingCharacters(in: .whitespacesAndNewlines) }

    @Test func ofALocalRealm() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("my notes.realm")
        let imported = try agent.shell(
            #"echo '[{"name":"Rex"},{"name":"Ada"}]' | $REEVE import "#
                + "'\(path)' Dog - --key name --batch 1 --receipt")
        let receipts = imported.output.split(separator: "\n").map(String.init)
        #expect(imported.status == 0 && receipts.count == 2 && Set(receipts).count == 2, "\(imported)")
        let put = try agent.command(["put", path, "Dog", #"{"name":"Ivo"}"#, "--receipt"])
        let receipt = word(put.output)
        #expect(put.status == 0 && WireReceipt(receipt)?.path == path, "\(put)")
        let deleted = try json(try agent.command(["delete", path, "Dog", "Ivo", "--json"]).output)
        #expect((deleted["receipt"] as? String)?.hasPrefix("reeve:1:") == true)
        // Nothing was changed.
        #expect(try json(try agent.command(["delete", path, "Dog", "Ivo", "--json"]).output)["receipt"] == nil)
        #expect(try agent.command(["delete", path, "Dog", "Ivo", "--receipt"]).status == 1)

        agent.kill(SIGKILL)
        let durable = try agent.command(["wait", receipt, "--until", "durable"])
        #expect(durable.status == 0 && word(durable.output) == "durable", "\(durable)")
        let synced = try agent.command(["wait", receipt, "--json"])
        #expect(synced.status == 1 && synced.output.contains(#""name":"notSynced""#), "\(synced)")
        #expect(try agent.command(["wait", receipt + "x", "--timeout", "0"]).status == 1)
        #expect(try agent.command(["wait", "nonsense"]).status == 2)
        #expect(try agent.command(["wait", receipt, "--until", "never"]).status == 2)
        _ = try agent.command(["shutdown"])
        // Another realm at the same place.
        try FileManager.default.removeItem(atPath: path)
        _ = try agent.shell(#"echo '[{"name":"Rex"}]' | $REEVE import "# + "'\(path)' Dog - --key name")
        let other = try agent.command(["wait", receipt, "--until", "durable", "--json"])
        #expect(other.status == 1 && other.output.contains("outcomeUnknown"), "\(other)")
        _ = try agent.command(["shutdown"])
    }

    @Test func eachOfSeveralTransactionsHasItsOwn() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("many.realm")
        let clients = try (0..<8).map { _ in try agent.connect() }
        let realms = try clients.map {
            try $0.call(RealmOpen(path: path, schema: SyncedDevice.schema, create: true)).realm
        }
        // One after the other they are given; that they are answered together is up to the disk.
        let versions = try zip(clients, realms).enumerated().map { index, place in
            let object: BSONDocument = ["_id": .int64(Int64(index)), "name": .string("x")]
            return try place.0.call(ObjectPut(realm: place.1, className: "Task", objects: [object])).own
        }
        #expect(Set(versions.compactMap { $0 }).count == 8, "\(versions)")
        // What changes nothing has none.
        #expect(
            try clients[0].call(ObjectDelete(realm: realms[0], className: "Task", keys: [.int(99)])).own == nil)
    }

    /// The receipt of the last object that was put.
    private func receipt(_ device: SyncedDevice, _ path: String, _ className: String, _ object: String) throws -> String
    {
        let put = try device.agent.command(["put", path, className, object, "--receipt"])
        #expect(put.status == 0, "\(put)")
        return word(put.output)
    }

    /// `reeve wait` in the background.
    private func waiting(_ device: SyncedDevice, _ arguments: [String]) throws -> (Process, OutputCollector) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: AgentUnderTest.binary)
        process.arguments = ["wait"] + arguments
        process.environment = device.agent.clientEnvironment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        let output = OutputCollector(pipe)
        try process.run()
        return (process, output)
    }

    @Test("another process waits for the upload, while agent and server are killed") func uploads() throws {
        let directory = TemporaryDirectory()
        var server = try ServerUnderTest(directory)
        let port = server.port
        let device = try SyncedDevice(server.url)
        try device.open()
        try device.put([(1, "first")])
        try device.wait(.upload)
        server.end(SIGKILL)
        let path = device.path("home")
        let first = try receipt(device, path, "Task", #"{"_id":2,"name":"second","tags":[]}"#)
        let now = try device.agent.command(["wait", first, "--timeout", "0"])
        #expect(now.status == 5 && word(now.output) == "durable", "\(now)")
        let late = try device.agent.command(["wait", first, "--timeout", "1", "--json"])
        #expect(late.status == 5, "\(late)")
        #expect(try json(late.output)["state"] as? String == "durable")
        let (process, output) = try waiting(device, [first, "--timeout", "60"])
        let isWaiting = try eventually(within: .seconds(10)) {
            try device.wire.call(AgentStatus()).clients.contains { $0.client == "reeve" && $0.inFlight == 1 }
        }
        #expect(isWaiting)
        try device.restartAgent(opening: nil)
        #expect(process.isRunning)
        server = try ServerUnderTest(directory, port: port)
        process.waitUntilExit()
        #expect(eventually { output.isComplete })
        #expect(process.terminationStatus == 0 && word(output.text) == "uploaded", "\(output.text)")
        // It stays so without any server.
        server.end(SIGKILL)
        try device.restartAgent(opening: nil)
        #expect(try device.agent.command(["wait", first]).status == 0)
        // The user has gone: nothing will happen by itself.
        let second = try receipt(device, path, "Task", #"{"_id":3,"name":"third","tags":[]}"#)
        // The server can't be told, which changes nothing.
        _ = try? device.wire.call(AppLogout(app: device.app, user: device.user))
        let gone = try device.agent.command(["wait", second, "--json"])
        #expect(gone.status == 1 && gone.output.contains(#""error""#), "\(gone)")
        #expect(try device.agent.command(["wait", second, "--timeout", "0"]).status == 5)
    }

    @Test("F-56 c: what a user may not write is rejected, and stays so over restarts") func permissions() throws {
        let server = try SyncedDevice.flexibleServer()
        let device = try SyncedDevice(server.url, app: "items")
        try device.openFlexible()
        try device.subscribeAndWait(.items("TRUEPREDICATE"))
        try device.putItems([(1, 1, device.user)])
        try device.wait(.upload)
        let role =
            #"{"name": "r", "read": true, "write": true, "insert": true, "delete": true, "document_filters": "#
            + #"{"read": true, "write": {"owner": "%%user.id"}}}"#
        try SyncedDevice.permit(#"{"default_roles": [\#(role)]}"#, server)
        try device.wait(.download)
        let path = device.flexiblePath
        let allowed = try receipt(device, path, "Item", #"{"_id":2,"n":2,"owner":"\#(device.user)"}"#)
        let refused = try receipt(device, path, "Item", #"{"_id":3,"n":3,"owner":"somebody"}"#)
        for isRestarted in [false, true] {
            if isRestarted {
                server.end(SIGKILL)
                try device.restartAgent(opening: nil)
            }
            let yes = try device.agent.command(["wait", allowed, "--timeout", "30"])
            #expect(yes.status == 0 && word(yes.output) == "uploaded", "\(yes)")
            let no = try device.agent.command(["wait", refused, "--timeout", "30", "--json"])
            let reply = try json(no.output)
            #expect(no.status == 4 && reply["state"] as? String == "rejected", "\(no)")
            let objects = reply["rejected"] as? [[String: Any]] ?? []
            #expect(objects.count == 1 && objects.first?["key"] as? String == "3", "\(no)")
            #expect((objects.first?["reason"] as? String)?.contains("not allowed") == true, "\(no)")
            let both = try device.agent.command(["wait", allowed, refused])
            #expect(both.status == 4 && both.output.contains("uploaded") && both.output.contains("rejected"), "\(both)")
        }
    }
}
