import Foundation
import TestSupport
import Testing

@Suite("Programs whose agent comes and goes")
struct ConnectionTests {
    /// What a program needs to find this agent, and to start one there when it is gone.
    private func environment(_ agent: AgentUnderTest) -> [String: String] {
        [
            "HOME": agent.home.path, "REEVE_SOCKET": agent.location.path, "REEVE_AGENT": AgentUnderTest.binary,
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        ]
    }

    private func shutDown(_ agent: AgentUnderTest) {
        for pid in agentProcesses(agent) { kill(pid, SIGTERM) }
    }

    /// Agents that serve the socket, whoever started them: those that name its home in their environment.
    private func agentProcesses(_ agent: AgentUnderTest) -> [pid_t] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { pid_t($0) }.filter { pid in
            guard let command = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline"),
                let environment = FileManager.default.contents(atPath: "/proc/\(pid)/environ")
            else { return false }
            return String(decoding: command, as: UTF8.self).split(separator: "\0").dropFirst().first == "agent"
                && String(decoding: environment, as: UTF8.self).contains("REEVE_SOCKET=\(agent.location.path)\0")
        }
    }

    @Test("R06: the first program starts the agent")
    func startsAgent() throws {
        let agent = try AgentUnderTest()
        defer { shutDown(agent) }
        let child = try ChildProgram(["open-dogs", agent.home.path("test.realm")], environment: environment(agent))
        let end = child.finish()
        #expect(child.said == ["dogs 1"], "\(end.errors)")
        #expect(agentProcesses(agent).count == 1)
    }

    @Test("R11: programs that start at the same instant share one agent and one realm")
    func startsOneAgent() throws {
        let agent = try AgentUnderTest()
        defer { shutDown(agent) }
        let children = try (0..<6).map { _ in
            try ChildProgram(
                ["increment-dog", agent.home.path("test.realm"), "20"], environment: environment(agent))
        }
        var acknowledged: [String] = []
        for child in children {
            let end = child.finish()
            #expect(end.status == 0, "\(child.said) \(end.errors)")
            acknowledged += child.said.filter { $0.hasPrefix("acknowledged ") }
        }
        #expect(Set(acknowledged).count == 120, "no increment was lost or came twice")
        #expect(agentProcesses(agent).count == 1)
    }

    @Test("R86: an agent that is killed again and again costs no acknowledged write, and none is applied twice")
    func killedAgent() throws {
        let agent = try AgentUnderTest()
        defer { shutDown(agent) }
        let count = 150
        let child = try ChildProgram(
            ["increment-dog", agent.home.path("test.realm"), "\(count)"], environment: environment(agent))
        for kill in 1...4 {
            #expect(eventually(within: .seconds(60)) { child.said.count >= kill * 25 || !child.isRunning })
            for pid in agentProcesses(agent) { Foundation.kill(pid, SIGKILL) }
        }
        let end = child.finish()
        let acknowledged = child.said.filter { $0.hasPrefix("acknowledged ") }
        let refused = child.said.filter { $0.hasPrefix("refused ") }
        #expect(end.status == 0, "\(end.errors)")
        // Each acknowledged increment saw the one before it: the values are 1, 2, 3, … without a gap.
        #expect(acknowledged == (1...max(1, acknowledged.count)).map { "acknowledged \($0)" })
        #expect(acknowledged.count + refused.count == count)
        #expect(refused.isEmpty, "nobody else wrote: every interrupted transaction can be repeated: \(refused)")
    }

    @Test("WR-08: an asynchronous write that can't begin says so once, and is over")
    func asyncWriteWithoutAgent() throws {
        let agent = try AgentUnderTest()
        defer { shutDown(agent) }
        let path = agent.home.path("test.realm")
        // An agent that can be started once.
        let program = agent.home.path("reeve")
        try FileManager.default.createSymbolicLink(atPath: program, withDestinationPath: AgentUnderTest.binary)
        var environment = environment(agent)
        environment["REEVE_AGENT"] = program
        let child = try ChildProgram(["async-write-without-agent", path], environment: environment)
        defer { child.kill() }
        #expect(eventually(within: .seconds(60)) { child.said.contains("ready") || !child.isRunning })
        unlink(program)
        for pid in agentProcesses(agent) { kill(pid, SIGKILL) }
        #expect(FileManager.default.createFile(atPath: path + ".go", contents: nil))
        #expect(eventually(within: .seconds(30)) { !child.isRunning }, "\(child.said)")
        #expect(child.said == ["ready", "failed", "idle"])
    }

    @Test("WR-11: a realm's thread doesn't wait for the disk", arguments: [false, true])
    func commitInBackground(isLost: Bool) throws {
        let agent = try AgentUnderTest()
        defer { shutDown(agent) }
        let path = agent.home.path("test.realm")
        let child = try ChildProgram(["commit-in-background", path], environment: environment(agent))
        defer { child.kill() }
        #expect(eventually(within: .seconds(60)) { child.said.contains("changed") || !child.isRunning })
        // The agent answers nothing until it may.
        let pids = agentProcesses(agent)
        for pid in pids { kill(pid, SIGSTOP) }
        #expect(FileManager.default.createFile(atPath: path + ".go", contents: nil))
        #expect(eventually { child.said.contains("age 1 of 1") }, "\(child.said)")
        for pid in pids { kill(pid, isLost ? SIGKILL : SIGCONT) }
        // A commit whose agent was lost is repeated.
        #expect(child.finish().status == 0)
        #expect(child.said == ["changed", "age 1 of 1", "stored", "age 1"])
    }

    /// Two programs, of which one is in the middle of a transaction that says nothing for long.
    private func slowWriter(_ agent: AgentUnderTest) throws -> (slow: ChildProgram, waiting: ChildProgram) {
        let path = agent.home.path("test.realm")
        var environment = environment(agent)
        environment["REEVE_WRITE_STALL_MS"] = "300"
        let slow = try ChildProgram(["slow-write", path], environment: environment)
        #expect(eventually(within: .seconds(60)) { slow.said.contains("changed") || !slow.isRunning })
        return (slow, try ChildProgram(["increment-dog", path, "1"], environment: environment))
    }

    @Test("WR-01: a block may take its time although others wait")
    func slowWrite() throws {
        let agent = try AgentUnderTest()
        defer { shutDown(agent) }
        let (slow, waiting) = try slowWriter(agent)
        #expect(!eventually(within: .seconds(2)) { waiting.said.contains { $0.hasPrefix("acknowledged") } })
        #expect(
            FileManager.default.createFile(atPath: agent.home.path("test.realm.go"), contents: nil))
        #expect(slow.finish().status == 0)
        #expect(slow.said == ["changed", "committed"])
        #expect(waiting.finish().status == 0)
        #expect(waiting.said == ["acknowledged 2"])
    }

    @Test("a program that is stopped inside a block loses its turn to those who wait")
    func stoppedWrite() throws {
        let agent = try AgentUnderTest()
        defer { shutDown(agent) }
        let (slow, waiting) = try slowWriter(agent)
        slow.send(SIGSTOP)
        #expect(waiting.finish().status == 0)
        #expect(waiting.said == ["acknowledged 1"])
        slow.send(SIGCONT)
        #expect(
            FileManager.default.createFile(atPath: agent.home.path("test.realm.go"), contents: nil))
        #expect(slow.finish().status == 0)
        #expect(slow.said == ["changed", "refused"])
    }

    @Test("XR-03: a query in a transaction whose agent is gone doesn't trap: the commit throws")
    func queryWithoutAgent() throws {
        let agent = try AgentUnderTest()
        defer { shutDown(agent) }
        let path = agent.home.path("test.realm")
        let child = try ChildProgram(["query-without-agent", path], environment: environment(agent))
        #expect(eventually(within: .seconds(60)) { child.said.contains("changed") || !child.isRunning })
        for pid in agentProcesses(agent) { kill(pid, SIGKILL) }
        #expect(FileManager.default.createFile(atPath: path + ".go", contents: nil))
        let end = child.finish()
        #expect(end.status == 0 && !end.wasTrapped, "\(end.errors)")
        #expect(child.said == ["changed", "found 1 of 1", "refused", "age 0"], "\(end.errors)")
    }

    @Test("an observer hears of changes again after the agent was restarted")
    func observerSurvives() throws {
        let agent = try AgentUnderTest()
        defer { shutDown(agent) }
        let path = agent.home.path("test.realm")
        _ = try ChildProgram(["increment-dog", path, "1"], environment: environment(agent)).finish()
        let watcher = try ChildProgram(["watch-dog", path, "3"], environment: environment(agent))
        defer { watcher.kill() }
        #expect(eventually { watcher.said.contains("age 1") })
        for pid in agentProcesses(agent) { kill(pid, SIGKILL) }
        _ = try ChildProgram(["increment-dog", path, "1"], environment: environment(agent)).finish()
        #expect(eventually(within: .seconds(20)) { watcher.said.contains("age 2") }, "\(watcher.said)")
        _ = try ChildProgram(["increment-dog", path, "1"], environment: environment(agent)).finish()
        #expect(eventually(within: .seconds(20)) { !watcher.isRunning }, "\(watcher.said)")
        #expect(watcher.said.contains("age 3"))
    }
}
