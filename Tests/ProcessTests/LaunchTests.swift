import Foundation
import TestSupport
import Testing
import Wire

/// How an agent comes, is found, and goes.
@Suite struct LaunchTests {
    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    @Test("R84 socket 0600 in a directory 0700, whatever the umask") func permissions() throws {
        let agent = try AgentUnderTest()
        let former = umask(0)
        defer { umask(former) }
        try agent.start()
        #expect(mode(agent.location.path) == 0o600)
        #expect(mode(agent.location.directory) == 0o700)
    }

    @Test("R84 a directory that others may enter is refused with advice") func openDirectory() throws {
        let agent = try AgentUnderTest()
        mkdir(agent.location.directory, 0o755)
        chmod(agent.location.directory, 0o755)
        try agent.spawn()
        #expect(agent.waitForExit() != 0)
        #expect(agent.output.contains("chmod 700"))
    }

    @Test func aSecondAgentEndsAndNamesTheFirst() throws {
        let agent = try AgentUnderTest().start()
        let second = try AgentUnderTest(environment: ["REEVE_SOCKET": agent.location.path])
        try second.spawn()
        #expect(second.waitForExit() != 0)
        #expect(second.output.contains("pid \(agent.pid)"))
        #expect(try agent.connect().agent?.pid == agent.pid)
    }

    @Test func theSocketOfAKilledAgentIsReplaced() throws {
        let agent = try AgentUnderTest().start()
        agent.kill(SIGKILL)
        #expect(access(agent.location.path, F_OK) == 0)
        try agent.start()
        #expect(try agent.connect().agent?.pid == agent.pid)
    }

    @Test func aFileThatIsNoSocketIsNotRemoved() throws {
        let agent = try AgentUnderTest()
        mkdir(agent.location.directory, 0o700)
        #expect(FileManager.default.createFile(atPath: agent.location.path, contents: Data("mine".utf8)))
        try agent.spawn()
        #expect(agent.waitForExit() != 0)
        #expect(FileManager.default.contents(atPath: agent.location.path) == Data("mine".utf8))
    }

    @Test func aSocketThatWasRemovedIsMadeAnew() throws {
        let agent = try AgentUnderTest().start()
        unlink(agent.location.path)
        // The path is there a moment before anybody listens.
        #expect(eventually { (try? agent.connect())?.agent?.pid == agent.pid })
    }

    @Test func anAgentWhoseDirectoryIsGoneEnds() throws {
        let agent = try AgentUnderTest().start()
        try FileManager.default.removeItem(atPath: agent.location.directory)
        #expect(agent.waitForExit() == 0)
    }

    @Test(arguments: [SIGTERM, SIGINT]) func aSignalEndsItInOrder(signal: Int32) throws {
        let agent = try AgentUnderTest().start()
        agent.kill(signal)
        #expect(agent.waitForExit() == 0)
        #expect(access(agent.location.path, F_OK) != 0)
    }

    /// The first connection succeeds as soon as the socket listens; from then on a signal must end the agent in order.
    @Test func aSignalRightAfterTheSocketAppearsEndsItInOrder() throws {
        for _ in 0..<25 {
            let agent = try AgentUnderTest()
            try agent.spawn()
            let deadline = ContinuousClock.now + .seconds(20)
            while (try? BlockingConnection(to: agent.location, deadline: .now + .seconds(5))) == nil {
                try #require(ContinuousClock.now < deadline)
            }
            agent.kill(SIGINT)
            try #require(agent.waitForExit() == 0)
            #expect(access(agent.location.path, F_OK) != 0)
        }
    }

    @Test func aSecondSignalWhileItEndsIsIgnored() throws {
        for round in 0..<10 {
            let agent = try AgentUnderTest().start()
            while agent.isRunning {
                agent.kill(SIGTERM)
                usleep(UInt32(200 + round * 100))
            }
            try #require(agent.waitForExit() == 0)
        }
    }

    @Test func twoStartersAtOnceGetOneAgent() throws {
        let agent = try AgentUnderTest()
        let outcomes = Outcomes()
        let threads = (0..<4).map { _ in
            Thread {
                outcomes.add((try? agent.command(["agent", "--daemon"]))?.status ?? -1)
            }
        }
        for thread in threads { thread.start() }
        #expect(eventually(within: .seconds(30)) { outcomes.all.count == 4 })
        #expect(outcomes.all == [0, 0, 0, 0])
        let pid = try #require(try agent.connect().agent?.pid)
        #expect(try agent.connect().call(AgentStatus()).pid == pid)
        _ = try agent.connect().call(AgentShutdown())
        #expect(eventually { kill(pid, 0) != 0 })
    }

    /// It has the lock still, but takes no connections any more: who wants an agent gets the next one.
    @Test func aStarterWaitsForAnAgentThatIsEnding() throws {
        let agent = try AgentUnderTest(environment: ["REEVE_DRAIN_S": "2"]).start()
        let client = try RawClient(agent)
        try client.open(agent.home.path("a.realm"))
        _ = try client.wire.call(WriteBegin(realm: client.realm))
        let first = agent.pid
        agent.kill(SIGTERM)
        #expect(eventually { access(agent.location.path, F_OK) != 0 })
        #expect(agent.isRunning)
        let started = try agent.command(["agent", "--daemon"])
        #expect(started.status == 0, "\(started.output)")
        let next = try agent.connect()
        let pid = try #require(next.agent?.pid)
        defer { kill(pid, SIGKILL) }
        #expect(pid != first)
        #expect(agent.waitForExit() == 0)
        _ = try next.call(AgentShutdown())
        #expect(eventually { kill(pid, 0) != 0 })
    }

    @Test func aStarterIsToldOfAnAgentThatNeverServes() throws {
        let agent = try AgentUnderTest(environment: ["REEVE_DRAIN_S": "0"])
        try agent.location.prepareDirectory()
        let lock = open(agent.location.path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(lock) }
        try #require(flock(lock, LOCK_EX | LOCK_NB) == 0)
        let text = "\(getpid())\n"
        #expect(write(lock, text, text.utf8.count) == text.utf8.count)
        let started = try agent.command(["agent", "--daemon"])
        #expect(started.status != 0)
        #expect(started.output.contains("pid \(getpid())"), "\(started.output)")
    }

    @Test("R88 nothing but HOME, no standard descriptors, no session") func bareEnvironment() throws {
        let agent = try AgentUnderTest()
        // The socket's default place needs no runtime directory either, but is shared by all tests of this user.
        let line = """
            exec env -i HOME='\(agent.home.path)' REEVE_SOCKET='\(agent.location.path)' \
            '\(AgentUnderTest.binary)' agent --daemon <&- >&- 2>&-
            """
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", line]
        try shell.run()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0)
        let client = try agent.connect()
        let pid = try #require(client.agent?.pid)
        defer { kill(pid, SIGKILL) }
        #expect(getsid(pid) == pid)
        let log = agent.home.path(".local/state/reeve/agent.log")
        #expect((try String(contentsOfFile: log, encoding: .utf8)).contains("serves"))

        kill(pid, SIGHUP)
        kill(pid, SIGPIPE)
        #expect(try client.call(AgentStatus()).pid == pid)
        _ = try client.call(AgentShutdown())
        #expect(eventually { kill(pid, 0) != 0 })
        #expect((try String(contentsOfFile: log, encoding: .utf8)).contains("ended"))
    }

    @Test func aSocketInheritedFromTheServiceManagerIsServed() throws {
        let agent = try AgentUnderTest()
        // What systemd does: binds, listens, passes descriptor 3 and the process's own pid.
        let script = """
            import os, socket, sys
            os.makedirs(os.path.dirname(sys.argv[1]), 0o700)
            s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); os.chmod(sys.argv[1], 0o600); s.listen(16)
            if s.fileno() != 3: os.dup2(s.fileno(), 3)
            os.set_inheritable(3, True)
            os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
            os.execv(sys.argv[2], [sys.argv[2], "agent"])
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script, agent.location.path, AgentUnderTest.binary]
        process.environment = ["HOME": agent.home.path, "PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"]
        try process.run()
        #expect(eventually(within: .seconds(20)) { (try? agent.connect()) != nil || !process.isRunning })
        #expect(try agent.connect().agent?.pid == process.processIdentifier)
        kill(process.processIdentifier, SIGTERM)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        // The path is the manager's: it goes on listening there.
        #expect(access(agent.location.path, F_OK) == 0)
    }

    @Test func itEndsWhenNobodyHasBeenConnectedForTheTimeGiven() throws {
        let agent = try AgentUnderTest().start(["--idle-exit", "1"])
        #expect(agent.waitForExit(within: .seconds(15)) == 0)
    }
}

/// Exit statuses from several threads.
final class Outcomes: @unchecked Sendable {
    private let lock = NSLock()
    private var statuses: [Int32] = []

    func add(_ status: Int32) { lock.withLock { statuses.append(status) } }
    var all: [Int32] { lock.withLock { statuses } }
}
