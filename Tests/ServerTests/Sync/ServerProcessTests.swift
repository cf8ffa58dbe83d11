import EventLoop
import Foundation
import Model
import Store
import Sync
import TestSupport
import Testing

@testable import Server

/// The server as a process, over real sockets.
@Suite("Server process", .serialized)
struct ServerProcessTests {
    /// Waits on this thread for something that happens on the loop.
    private func loopEventually(
        within deadline: Duration = .seconds(30), _ condition: @escaping @Sendable @LoopActor () throws -> Bool
    ) throws -> Bool {
        try eventually(within: deadline) { try onServerLoop(condition) }
    }

    private func device(_ server: ServerUnderTest, app: String = "todo") throws -> SyncDevice {
        let place = server.place
        return try onServerLoop {
            let device = try SyncDevice(SystemNetwork(), LoopScheduler(), at: place, app: app)
            device.start()
            return device
        }
    }

    /// What comes of a request.
    @LoopActor
    private final class Answer {
        var client: HTTPClient?
        var text: String?

        nonisolated init() {}
    }

    @Test("kill -9 in mid-upload, again and again: nothing acknowledged is lost, nothing is doubled (P-56, P-135)")
    func killed() throws {
        let directory = TemporaryDirectory()
        var server = try ServerUnderTest(directory)
        let port = server.port
        let first = try device(server)
        let second = try device(server)
        try onServerLoop {
            try first.write(Dogs.schema)
            try second.write(Dogs.schema)
        }
        var next: Int64 = 0
        for _ in 0..<4 {
            for _ in 0..<40 {
                let id = next
                next += 1
                try onServerLoop { try (id % 2 == 0 ? first : second).write(Dogs.put(id)) }
            }
            // Some of them are acknowledged, some are on their way.
            let acknowledged = try onServerLoop { first.uploaded }
            _ = try eventually(within: .milliseconds(300)) { try onServerLoop { first.uploaded } > acknowledged + 3 }
            server.end(SIGKILL)
            server = try ServerUnderTest(directory, port: port)
            try onServerLoop {
                first.reconnect()
                second.reconnect()
            }
        }
        let total = Int(next)
        #expect(try loopEventually { try first.count("Dog") == total && second.count("Dog") == total })
        try onServerLoop {
            let digest = try first.snapshot().stateDigest()
            let other = try second.snapshot().stateDigest()
            #expect(digest == other)
            #expect(first.reports.filter(\.isFatal).map(\.message) == [])
            #expect(second.reports.filter(\.isFatal).map(\.message) == [])
        }
        // What a third one finds is what was acknowledged.
        let third = try device(server)
        #expect(try loopEventually { try third.count("Dog") == total })
        try onServerLoop { for device in [first, second, third] { try device.stop() } }
        #expect(server.end(SIGTERM) == 0)
        #expect(server.log.contains("event=server.ended"))
    }

    @Test("SIGTERM ends the server in order, and no secret is in its log (P-27)")
    func terminated() throws {
        let directory = TemporaryDirectory()
        let server = try ServerUnderTest(directory)
        let device = try device(server)
        try onServerLoop { try device.write(Dogs.schema + Dogs.put(1, name: "Geheimnis")) }
        #expect(try loopEventually { device.uploaded > 0 })
        #expect(server.end(SIGTERM) == 0)
        let token = try onServerLoop { () -> String in
            #expect(device.reports.map(\.message) == [])
            try device.stop()
            return device.accessToken ?? ""
        }
        #expect(!token.isEmpty && !server.log.contains(token) && !server.log.contains("Geheimnis"))
        #expect(server.log.contains("event=sync.connected"))
        #expect(
            server.log.wholeMatch(of: /(time=20\d\d-\d\d-\d\dT[\d:.]+Z level=[a-z]+ event=[a-z.-]+( .*)?\n)+/) != nil)
    }

    @Test("a server whose log nobody reads any more goes on")
    func logWithoutReader() throws {
        let directory = TemporaryDirectory()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: AgentUnderTest.binary)
        process.arguments = [
            "server", "--data", directory.path("data"), "--listen", "127.0.0.1:0", "--development", "--verbose"
        ]
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        defer {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        var log = ""
        while !log.contains("event=server.listening") || !log.hasSuffix("\n") {
            let more = pipe.fileHandleForReading.availableData
            if more.isEmpty { throw TestFailure("the server hasn't begun: \(log)") }
            log += String(decoding: more, as: UTF8.self)
        }
        let place = try #require(log.firstMatch(of: /address=(\S+)/)?.1)
        try pipe.fileHandleForReading.close()
        // Each step of this is a line of the log.
        let device = try onServerLoop {
            let device = try SyncDevice(SystemNetwork(), LoopScheduler(), at: String(place), app: "todo")
            device.start()
            try device.write(Dogs.schema)
            return device
        }
        #expect(try loopEventually { device.uploaded > 0 })
        try onServerLoop { try device.stop() }
        #expect(process.isRunning)
    }

    @Test("pages for operations")
    func pages() throws {
        let server = try ServerUnderTest(TemporaryDirectory())
        let place = server.place
        func get(_ path: String) throws -> String {
            let answer = Answer()
            try onServerLoop {
                let client = HTTPClient(SystemNetwork(), scheduler: LoopScheduler())
                answer.client = client
                _ = client.send(HTTPRequest("GET", ""), to: try WebURL("http://\(place)\(path)")) { result in
                    if case .success(let reply) = result {
                        answer.text = String(decoding: reply.response.body, as: UTF8.self)
                    }
                }
            }
            #expect(try loopEventually { answer.text != nil })
            return try onServerLoop { answer.text ?? "" }
        }
        #expect(try get("/health") == "ok\n")
        let device = try device(server)
        try onServerLoop { try device.write(Dogs.schema) }
        #expect(try loopEventually { device.uploaded > 0 })
        let metrics = try get("/metrics")
        for line in ["reeve_sync_connections 1", "reeve_sync_sessions 1", "reeve_sync_changesets_total 1"] {
            #expect(metrics.contains("\n\(line)\n"), "\(metrics)")
        }
        try onServerLoop { try device.stop() }
        #expect(server.isRunning)
    }

    @Test("apps and users are administered with and without a running server")
    func administration() throws {
        let directory = TemporaryDirectory()
        let reeve = { (arguments: [String]) in try ServerUnderTest.reeve(arguments, data: directory) }
        let made = try reeve(["app", "create", "shop", "--partition-key", "realm_id:string", "--json"])
        let text = #"{"id":"shop","partitionKey":"realm_id:string","type":"partition"}"# + "\n"
        #expect(made.status == 0 && made.text == text, "\(made)")
        #expect(try reeve(["app", "create", "shop"]).status == 1)
        #expect(try reeve(["app", "create", "x", "--partition-key", "realm_id"]).status == 1)
        let server = try ServerUnderTest(directory, [])
        #expect(try reeve(["app", "create", "other"]).status == 0)
        let list = try reeve(["app", "list"])
        #expect(list.text.contains("shop") && list.text.contains("realm_id:string") && list.text.contains("other"))
        let device = try device(server, app: "shop")
        try onServerLoop { try device.write(Dogs.schema) }
        #expect(try loopEventually { device.uploaded > 0 })
        let users = try reeve(["user", "list", "shop", "--json"]).text
        let found = try JSONValue(parsing: Array(users.utf8))
        let user = try #require(found.array?.first?["id"]?.string)
        #expect(try reeve(["session", "list"]).text.contains(user))
        #expect(try reeve(["user", "disable", user]).status == 0)
        #expect(try loopEventually { device.refreshes > 0 })
        let connected = try reeve(["session", "list"]).text
        #expect(!connected.contains(user))
        #expect(try reeve(["user", "disable", "nobody"]).status == 1)
        #expect(try reeve(["user", "explode", user]).status == 2)
        try onServerLoop { try device.stop() }
        // A second server doesn't get the directory.
        let second = try ServerUnderTest.reeve(["server", "--listen", "127.0.0.1:0"], data: directory)
        #expect(second.status == 1 && second.text.contains("in use by another server"), "\(second)")
        #expect(server.end(SIGTERM) == 0)
        #expect(try reeve(["app", "list", "--json"]).text.contains("\"id\":\"other\""))
    }
}
