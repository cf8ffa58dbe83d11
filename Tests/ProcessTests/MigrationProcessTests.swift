import Foundation
import TestSupport
import Testing

/// Programs of two versions on one file, and migrations that are killed.
@Suite(.serialized) struct MigrationProcessTests {
    private static let count = 200

    private func run(
        _ agent: AgentUnderTest, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> [String] {
        let client = try ClientProcess(agent, arguments, environment: environment)
        try client.finish(within: .seconds(60))
        return client.output
    }

    /// Whether the file is the old one or the new one, whole.
    private func isMigrated(
        _ agent: AgentUnderTest, _ path: String, _ note: Comment, environment: [String: String] = [:]
    ) throws -> Bool {
        let output = try run(agent, ["migration-old", path], environment: environment)
        if output.contains("old \(Self.count) wrong 0") { return false }
        #expect(output.contains { $0.hasPrefix("refused ") && $0.contains("version 2") }, "\(output), \(note)")
        let new = try run(agent, ["migration-run", path], environment: environment)
        #expect(new == ["done \(Self.count) wrong 0 indexed 1"], "\(new), \(note)")
        return true
    }

    @Test(
        "MI-01 a migration that is killed, or whose agent is, leaves the old file or the new one, whole",
        arguments: [false, true])
    func killed(isEncrypted: Bool) throws {
        let environment = isEncrypted ? ["REEVE_TEST_KEY": "7"] : [:]
        let agent = try AgentUnderTest().start()
        let seed = randomSeed
        var random = SeededGenerator(seed: seed)
        var outcomes: [Bool: Int] = [:]
        let keyFile = agent.home.path("key")
        try Data(repeating: 7, count: 64).write(to: URL(fileURLWithPath: keyFile))
        for round in 0..<(isEncrypted ? 4 : 10) * soakFactor {
            let path = agent.home.path("round\(round).realm")
            _ = try run(agent, ["migration-fill", path, "\(Self.count)"], environment: environment)
            let client = try ClientProcess(agent, ["migration-run", path], environment: environment)
            if round % 3 != 0 { _ = try client.wait(for: "begun") }
            usleep(UInt32.random(in: 0...60_000, using: &random))
            let note: Comment = "round \(round), seed \(seed)"
            if round % 2 == 0 {
                client.signal(SIGKILL)
                _ = try? client.finish()
            } else {
                agent.kill(SIGKILL)
                _ = try? client.finish(within: .seconds(60))
                try agent.start()
            }
            outcomes[try isMigrated(agent, path, note, environment: environment), default: 0] += 1
            let verify = ["verify", path] + (isEncrypted ? ["--key-file", keyFile] : [])
            #expect(try agent.command(verify).status == 0, note)
            // What was interrupted can be done again.
            let output = try run(agent, ["migration-run", path], environment: environment)
            #expect(output.last == "done \(Self.count) wrong 0 indexed 1", "\(output), \(note)")
            for suffix in ["", ".lock", ".journal"] { unlink(path + suffix) }
        }
        #expect(!outcomes.isEmpty)
    }

    @Test("MI-01 a block that traps leaves the file as it was")
    func trapped() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        _ = try run(agent, ["migration-fill", path, "\(Self.count)"])
        let client = try ClientProcess(agent, ["migration-trap", path])
        _ = try client.wait(for: "ended")
        _ = try? client.finish()
        #expect(client.output.contains { $0.contains("class 'Nobody' does not exist") })
        #expect(try !isMigrated(agent, path, "after a trap"))
    }

    @Test("S39 two processes that start at once migrate once")
    func twoAtOnce() throws {
        let agent = try AgentUnderTest().start()
        for round in 0..<3 * soakFactor {
            let path = agent.home.path("a\(round).realm")
            _ = try run(agent, ["migration-fill", path, "\(Self.count)"])
            let clients = try (0..<3).map { _ in try ClientProcess(agent, ["migration-run", path]) }
            for client in clients {
                try client.finish(within: .seconds(60))
                #expect(client.output.last == "done \(Self.count) wrong 0 indexed 1")
            }
            #expect(clients.count { $0.output.contains("begun 1") } == 1, "round \(round)")
        }
    }

    @Test("MI-06 SM R76 a process with the former classes goes on reading, and hears of the migration when it writes")
    func formerVersionReads() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        _ = try run(agent, ["migration-fill", path, "\(Self.count)"])
        let former = try ClientProcess(agent, ["migration-hold", path])
        _ = try former.wait(for: "open")
        #expect(try run(agent, ["migration-run", path]).last == "done \(Self.count) wrong 0 indexed 1")
        for line in ["read", "write 1000", "refresh", "read"] { former.write(line) }
        former.closeInput()
        try former.finish()
        #expect(
            former.output.filter { !$0.hasPrefix("RealmSwift:") } == [
                "open \(Self.count)", "read \(Self.count) text 0", "mismatch", "refreshed false",
                "read \(Self.count) text 0"
            ])
    }

    @Test("R76 another version adds a property: both go on, and the former version can't be opened anew")
    func addedProperty() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        _ = try run(agent, ["migration-fill", path, "1"])
        let former = try ClientProcess(agent, ["migration-hold", path])
        _ = try former.wait(for: "open")
        #expect(try run(agent, ["migration-added", path]) == ["migrated from 1", "crates 0:"])
        former.write("write 7")
        _ = try former.wait(for: "wrote 7")
        former.write("read")
        _ = try former.wait(for: "read 2 text 0")
        #expect(try run(agent, ["migration-added", path]) == ["crates 0: 7:"])
        let refused = try run(agent, ["migration-old", path])
        #expect(refused.contains { $0.contains("version 1") && $0.contains("version 2") }, "\(refused)")
        former.closeInput()
        try former.finish()
    }
}
