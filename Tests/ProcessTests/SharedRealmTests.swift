import Foundation
import TestSupport
import Testing

/// Several client processes on one realm, with a real agent.
@Suite(.serialized) struct SharedRealmTests {
    private func numbers(_ agent: AgentUnderTest, _ realm: String, _ writer: String) throws -> [Int] {
        let reader = try ClientProcess(agent, ["count", realm, writer])
        try reader.finish()
        return try reader.wait(for: "numbers").split(separator: " ").compactMap { Int($0) }
    }

    private func acknowledged(_ writer: ClientProcess) -> [Int] {
        writer.output.compactMap { $0.hasPrefix("acknowledged ") ? Int($0.dropFirst(13)) : nil }
    }

    @Test func eightProcessesIncrementOneCounterAndLoseNone() throws {
        let agent = try AgentUnderTest().start()
        let realm = agent.home.path("counter.realm")
        let count = 50 * soakFactor
        let clients = try (0..<8).map { _ in try ClientProcess(agent, ["increment", realm, "\(count)"]) }
        for client in clients { try client.finish() }
        let (status, output) = try agent.command(["query", realm, "SharedCounter", "--json"])
        #expect(status == 0)
        #expect(output.contains("\"value\":\(8 * count)"), "\(output)")
    }

    /// a short-lived helper writes though no agent runs, and is gone again.
    @Test("R06 aHelperStartsTheAgentWritesAndEnds") func aHelperStartsTheAgentWritesAndEnds() throws {
        let agent = try AgentUnderTest()
        let realm = agent.home.path("helper.realm")
        let helper = try ClientProcess(agent, ["insert-one", realm])
        try helper.finish()
        #expect(try numbers(agent, realm, "one") == [1])
        #expect(try agent.command(["shutdown"]).status == 0)
    }

    /// two processes create the same realm at the same instant.
    @Test("R11 twoProcessesCreateOneRealm") func twoProcessesCreateOneRealm() throws {
        let agent = try AgentUnderTest().start()
        for round in 0..<(10 * soakFactor) {
            let realm = agent.home.path("race\(round).realm")
            let clients = try (0..<2).map { _ in try ClientProcess(agent, ["insert-one", realm]) }
            for client in clients { try client.finish() }
            #expect(try numbers(agent, realm, "one") == [1, 1], "round \(round)")
            #expect(try agent.command(["verify", realm]).status == 0, "round \(round)")
        }
    }

    /// a stopped process that opened first stops nobody, and misses nothing.
    @Test("R14 aStoppedObserverStopsNobody") func aStoppedObserverStopsNobody() throws {
        let agent = try AgentUnderTest().start()
        let realm = agent.home.path("stopped.realm")
        let observer = try ClientProcess(agent, ["observe", realm, "10"])
        _ = try observer.wait(for: "ready")
        observer.signal(SIGSTOP)
        let writers = try ["a", "b"].map { try ClientProcess(agent, ["write-numbered", realm, $0, "5", "0"]) }
        for writer in writers { try writer.finish(within: .seconds(20)) }
        observer.signal(SIGCONT)
        try observer.finish()
        #expect(try observer.wait(for: "seen") == "10")
        #expect(!observer.output.contains { $0.contains("deletions") && !$0.contains("deletions 0") })
    }

    /// a stopped reader neither blows up the file nor reads anything wrong.
    @Test("R16 aStoppedReaderDoesNotBlowUpTheFile") func aStoppedReaderDoesNotBlowUpTheFile() throws {
        let agent = try AgentUnderTest().start()
        let realm = agent.home.path("pinned.realm")
        try ClientProcess(agent, ["update-repeatedly", realm, "1000", "1"]).finish()
        let reader = try ClientProcess(agent, ["hold-snapshot", realm])
        let before = try reader.wait(for: "ready")
        reader.signal(SIGSTOP)
        let writer = try ClientProcess(agent, ["update-repeatedly", realm, "1000", "\(1000 * soakFactor)"])
        try writer.finish(within: .seconds(300))
        let status = try agent.command(["status", "--json"]).output
        #expect(status.contains("\"pid\":\(reader.pid)"), "status names who pins: \(status)")
        let size = { try FileManager.default.attributesOfItem(atPath: realm)[.size] as? Int ?? 0 }
        let shrank = try eventually { try size() <= 16 << 20 }
        let bytes = try size()
        #expect(shrank, "\(bytes) bytes")
        reader.signal(SIGCONT)
        reader.write("again")
        #expect(try reader.wait(for: "held") == before)
        reader.closeInput()
        #expect(try reader.wait(for: "fresh") == "\(10 + 10_000 * soakFactor)")
        try reader.finish()
    }

    /// filling and emptying doesn't make the file grow.
    @Test("R17 filledAndEmptiedAgainTheFileKeepsItsSize") func filledAndEmptiedAgainTheFileKeepsItsSize() throws {
        let agent = try AgentUnderTest().start()
        let realm = agent.home.path("cycles.realm")
        let client = try ClientProcess(agent, ["fill-and-empty", realm, "20", "10000"])
        try client.finish(within: .seconds(300))
        let sizes = client.output.compactMap { $0.hasPrefix("size ") ? Double($0.dropFirst(5)) : nil }
        #expect(sizes.count == 20)
        #expect(sizes[19] <= 1.2 * sizes[1], "\(sizes)")
        #expect(try client.wait(for: "count") == "0")
        #expect(try agent.command(["compact", realm]).status == 0)
        let size = try FileManager.default.attributesOfItem(atPath: realm)[.size] as? Int ?? 0
        #expect(size <= 1 << 20)
    }

    /// the agent is restarted under writers and an observer.
    @Test("R86 restartingTheAgentLosesAndDoublesNothing") func restartingTheAgentLosesAndDoublesNothing() throws {
        let agent = try AgentUnderTest().start()
        let realm = agent.home.path("restarted.realm")
        let count = 60
        let names = (0..<5).map { "w\($0)" }
        let observer = try ClientProcess(agent, ["observe", realm, "\(count * names.count)"])
        _ = try observer.wait(for: "ready")
        let writers = try names.map { try ClientProcess(agent, ["write-numbered", realm, $0, "\(count)", "20"]) }
        for round in 0..<3 {
            let goal = (round + 1) * 10
            #expect(eventually { acknowledged(writers[0]).count >= goal })
            agent.kill(round == 1 ? SIGKILL : SIGTERM)
            _ = agent.waitForExit()
            try agent.start()
        }
        for writer in writers { try writer.finish() }
        for (name, writer) in zip(names, writers) {
            #expect(try numbers(agent, realm, name) == Array(1...count), "each exactly once: \(name)")
            #expect(acknowledged(writer) == Array(1...count), "in order: \(name)")
        }
        try observer.finish()
        #expect(try observer.wait(for: "seen") == "\(count * names.count)")
        #expect(try agent.command(["verify", realm]).status == 0)
    }

    /// A writer that is killed inside its transaction leaves nothing of it and stops nobody.
    @Test func aWriterKilledInsideItsTransactionLeavesNothing() throws {
        let agent = try AgentUnderTest().start()
        let realm = agent.home.path("killed.realm")
        for round in 1...(5 * soakFactor) {
            let stalled = try ClientProcess(agent, ["stall", realm])
            _ = try stalled.wait(for: "half-way")
            let waiting = try ClientProcess(agent, ["write-numbered", realm, "after\(round)", "1", "0"])
            stalled.signal(SIGKILL)
            try waiting.finish(within: .seconds(20))
            #expect(try numbers(agent, realm, "stalled").isEmpty)
            #expect(try numbers(agent, realm, "after\(round)") == [1])
        }
    }

    /// Writers under load while the agent is killed at random moments: what was acknowledged is there, once, in order.
    @Test func theAgentKilledAtRandomMomentsLosesNothingAcknowledged() throws {
        let agent = try AgentUnderTest().start()
        let realm = agent.home.path("crash.realm")
        var random = SeededGenerator(seed: randomSeed)
        for round in 0..<(6 * soakFactor) {
            let names = (0..<3).map { "r\(round)w\($0)" }
            let writers = try names.map { try ClientProcess(agent, ["write-numbered", realm, $0, "1000000", "0"]) }
            for writer in writers { _ = try writer.wait(for: "acknowledged 1") }
            usleep(UInt32.random(in: 0..<300_000, using: &random))
            agent.kill(SIGKILL)
            for writer in writers { writer.signal(SIGKILL) }
            try agent.start()
            for (name, writer) in zip(names, writers) {
                let told = acknowledged(writer)
                let stored = try numbers(agent, realm, name)
                #expect(told == Array(1..<(told.count + 1)), "seed \(randomSeed)")
                #expect(stored == Array(1..<(stored.count + 1)), "seed \(randomSeed)")
                #expect(stored.count >= told.count, "seed \(randomSeed), round \(round), \(name)")
            }
            #expect(try agent.command(["verify", realm]).status == 0, "seed \(randomSeed), round \(round)")
        }
    }
}
