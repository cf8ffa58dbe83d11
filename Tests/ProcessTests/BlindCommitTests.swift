import Foundation
import TestSupport
import Testing

/// Transactions that hold no lock and are committed in one request, between processes.
@Suite(.serialized) struct BlindCommitTests {
    @Test("MK-14: of two processes that add one key, one commits and the other traps with Realm's message")
    func oneKeyTwice() throws {
        let agent = try AgentUnderTest().start()
        let realm = agent.home.path("twice.realm")
        let clients = try (0..<2).map { _ in try ClientProcess(agent, ["add-key", realm, "same"]) }
        // Both are inside their blocks: neither holds a lock that the other would wait for.
        for client in clients { _ = try client.wait(for: "added") }
        clients[0].write("go")
        _ = try clients[0].wait(for: "committed")
        try clients[0].finish()
        clients[1].write("go")
        #expect(throws: TestFailure.self) { try clients[1].finish() }
        #expect(clients[1].output.contains { $0.contains("primary key value 'same' already exists") })
        #expect(!clients[1].output.contains("committed"))
        let (_, output) = try agent.command(["query", realm, "SharedCounter", "--json"])
        #expect(output.components(separatedBy: "\"name\"").count == 2, "\(output)")
    }

    @Test("what is added blind while another process deletes everything is deleted once, or there")
    func addingWhileAnotherDeletes() throws {
        let agent = try AgentUnderTest().start()
        let realm = agent.home.path("emptied.realm")
        let count = 100 * soakFactor
        let writers = try ["a", "b", "c"].map { try ClientProcess(agent, ["add-numbered", realm, $0, "\(count)"]) }
        let deleter = try ClientProcess(agent, ["empty-repeatedly", realm, "\(3 * count)"])
        for writer in writers {
            try writer.finish()
            #expect(!writer.output.contains { $0.hasPrefix("wrong") }, "\(writer.output)")
        }
        try deleter.finish()
        #expect(try deleter.wait(for: "deleted") == "\(3 * count)", "each once")
        #expect(try agent.command(["verify", realm]).status == 0)
    }

    @Test("R86: a commit whose reply is lost is asked for, not sent again")
    func lostReply() throws {
        let agent = try AgentUnderTest().start()
        let proxy = try FrameProxy(to: agent, losing: [.reply("write.commit")])
        defer { proxy.close() }
        let realm = agent.home.path("lost.realm")
        let client = try ClientProcess(
            agent, ["write-numbered", realm, "w", "2", "0"], environment: ["REEVE_SOCKET": proxy.location.path])
        try client.finish()
        #expect(client.output == ["acknowledged 1", "acknowledged 2"])
        #expect(proxy.count(of: "write.commit") == 2)
        #expect(proxy.count(of: "write.outcome") == 1)
        #expect(proxy.count(of: "write.begin") == 0)
        let reader = try ClientProcess(agent, ["count", realm, "w"])
        try reader.finish()
        #expect(try reader.wait(for: "numbers") == "1 2")
    }

    @Test("R86: a commit that never arrived is sent again, once it is known that it didn't happen")
    func lostRequest() throws {
        let agent = try AgentUnderTest().start()
        let proxy = try FrameProxy(to: agent, losing: [.request("write.commit"), .reply("write.commit")])
        defer { proxy.close() }
        let realm = agent.home.path("lost.realm")
        let client = try ClientProcess(
            agent, ["write-numbered", realm, "w", "1", "0"], environment: ["REEVE_SOCKET": proxy.location.path])
        try client.finish()
        #expect(client.output == ["acknowledged 1"])
        #expect(proxy.count(of: "write.commit") == 2)
        #expect(proxy.count(of: "write.outcome") == 2)
        let reader = try ClientProcess(agent, ["count", realm, "w"])
        try reader.finish()
        #expect(try reader.wait(for: "numbers") == "1")
    }

    @Test("R86: the agent is killed with commits on their way: each acknowledged once, none twice")
    func killedAgent() throws {
        let agent = try AgentUnderTest().start()
        let realm = agent.home.path("killed.realm")
        let count = 150
        let writers = try ["a", "b", "c", "d"].map {
            try ClientProcess(agent, ["write-numbered", realm, $0, "\(count)", "1"])
        }
        for round in 1...(4 * soakFactor) {
            _ = eventually(within: .seconds(20)) { writers.contains { $0.output.count >= min(count, round * 20) } }
            agent.kill(SIGKILL)
            try agent.start()
        }
        for (name, writer) in zip(["a", "b", "c", "d"], writers) {
            try writer.finish()
            #expect(writer.output == (1...count).map { "acknowledged \($0)" })
            let reader = try ClientProcess(agent, ["count", realm, name])
            try reader.finish()
            #expect(try reader.wait(for: "numbers") == (1...count).map(String.init).joined(separator: " "))
        }
        #expect(try agent.command(["verify", realm]).status == 0)
    }
}
