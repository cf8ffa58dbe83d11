import Foundation
import TestSupport
import Testing
import Wire

/// The examples that sync, each on a terminal, against a server and agents of their own.
@Suite struct SyncedExampleTests {
    private func environment(_ agent: AgentUnderTest, _ url: String) -> [String: String] {
        agent.clientEnvironment.merging(["REEVE_SERVER": url]) { $1 }
    }

    private func device() throws -> AgentUnderTest { try AgentUnderTest().start() }

    @Test func aLeaderboardIsLiveOnEveryTerminal() throws {
        let directory = TemporaryDirectory()
        var server = try ServerUnderTest(directory)
        let (url, port) = (server.url, server.port)
        let (one, two) = (try device(), try device())
        let ann = try TerminalProgram("leaderboard", ["Ann"], environment: environment(one, url))
        try ann.wait(for: "Leaderboard", "[1 Join as Ann]")
        ann.type("1")
        try ann.wait(for: "· Ann 0  [1 +1]  [2 +10]", "season spring, 1 playing")
        ann.type("2")
        let ben = try TerminalProgram("leaderboard", ["Ben"], environment: environment(two, url))
        try ben.wait(for: "· Ann 10", "[1 Join as Ben]")
        ben.type("1")
        try ben.wait(for: "· Ann 10", "· Ben 0  [1 +1]  [2 +10]", "season spring, 2 playing")
        try ann.wait(for: "· Ann 10  [1 +1]  [2 +10]", "· Ben 0", "season spring, 2 playing")

        // Without a server everybody plays on; who comes now must wait.
        server.end(SIGKILL)
        ben.type("2")
        try ben.wait(for: "· Ben 10  [1 +1]  [2 +10]")
        ben.type("2")
        try ben.wait(for: "· Ben 20  [1 +1]  [2 +10]", "· Ann 10", "season spring, 2 playing")
        let late = try TerminalProgram("leaderboard", ["Ann"], environment: environment(one, url))
        let isTold = eventually(within: .seconds(20)) {
            late.screen.contains { $0.hasPrefix("The board can't be opened: ") }
        }
        #expect(isTold, "\(late.screen)")
        late.type("q")
        #expect(try late.finish() == 0)
        server = try ServerUnderTest(directory, port: port)
        try ann.wait(for: "· Ben 20", "· Ann 10  [1 +1]  [2 +10]", "season spring, 2 playing")
        // Another season is another partition.
        let autumn = try TerminalProgram("leaderboard", ["Ben", "autumn"], environment: environment(two, url))
        try autumn.wait(for: "Leaderboard", "[1 Join as Ben]")
        for program in [ann, ben, autumn] {
            program.type("q")
            #expect(try program.finish() == 0)
        }
    }

    @Test func notesOfTwoDevicesMeetAndOneStartsOffline() throws {
        let directory = TemporaryDirectory()
        var server = try ServerUnderTest(directory)
        let (url, port) = (server.url, server.port)
        let (one, two) = (try device(), try device())
        let first = try TerminalProgram("notes", ["--sync"], environment: environment(one, url))
        try first.wait(for: "── window 1 of 2 ──", "Notes", "[1 Log in]")
        first.type("1")
        try first.wait(for: "[2 New note: ]  [- Add]", "0 notes")
        first.type("2 Groceries")
        first.type("3")
        try first.wait(for: "1) [2   pin]  [3 Groceries]", "[4 New note: ]  [- Add]", "1 note")
        let second = try TerminalProgram("notes", ["--sync"], environment: environment(two, url))
        try second.wait(for: "[1 Log in]")
        second.type("1")
        try second.wait(for: "1) [2   pin]  [3 Groceries]", "[4 New note: ]  [- Add]", "1 note")
        second.type("w 2")
        try second.wait(for: "── window 2 of 2 ──", "Pinned", "nothing is pinned")

        // The app is started anew while there is no server.
        server.end(SIGKILL)
        first.kill()
        let offline = try TerminalProgram("notes", ["--sync"], environment: environment(one, url))
        try offline.wait(for: "1) [2   pin]  [3 Groceries]", "[4 New note: ]  [- Add]", "1 note")
        offline.type("2")
        try offline.wait(for: "1) [2 x pin]  [3 Groceries]")
        offline.type("q")
        #expect(try offline.finish() == 0)
        #expect(second.screen.allSatisfy { $0 != "· Groceries" })
        // Nobody has the app open on the first device; its agent sends what was written nevertheless.
        server = try ServerUnderTest(directory, port: port)
        try second.wait(for: "Pinned", "· Groceries")
        second.type("q")
        #expect(try second.finish() == 0)
    }

    @Test func aSensorGatewayLosesNothing() throws {
        let directory = TemporaryDirectory()
        var server = try ServerUnderTest(directory)
        try server.makeFlexibleApp("sensors")
        let (url, port) = (server.url, server.port)
        let agent = try device()
        func gateway() throws -> TerminalProgram {
            try TerminalProgram("sensor-gateway", ["north", "kitchen"], environment: environment(agent, url))
        }
        /// The receipts that were printed.
        func receipts(_ program: TerminalProgram) -> [String] {
            program.screen.filter { $0.hasPrefix("stored ") }.map { String($0.dropFirst(7)) }
        }
        let first = try gateway()
        try first.wait(for: "ready")
        first.type("stove temperature 80.5")
        first.type("nonsense")
        try first.wait(for: "not a reading: nonsense")
        #expect(eventually { receipts(first).count == 1 }, "\(first.screen)")
        #expect(try agent.command(["wait", receipts(first)[0], "--timeout", "30"]).status == 0)
        first.type("state")
        try first.wait(for: "1 stored, all on the server")

        // Killed with its agent while there is no server.
        server.end(SIGKILL)
        first.type("fridge temperature 4")
        #expect(eventually { receipts(first).count == 2 }, "\(first.screen)")
        first.type("state")
        try first.wait(for: "2 stored, not all on the server")
        let kept = receipts(first)[1]
        first.kill()
        agent.kill(SIGKILL)
        try agent.start()
        #expect(try agent.command(["wait", kept, "--timeout", "0"]).status == 5)
        // The next one begins without a network.
        let second = try gateway()
        try second.wait(for: "ready")
        second.type("fridge humidity 40")
        #expect(eventually { receipts(second).count == 1 }, "\(second.screen)")
        server = try ServerUnderTest(directory, port: port)
        #expect(try agent.command(["wait", kept, receipts(second)[0], "--timeout", "60"]).status == 0)
        second.type("\u{4}")
        try second.wait(for: "1 stored; waiting for the server", "everything is on the server")
        #expect(try second.finish() == 0)
        let readings = try server.objects("Reading", app: "sensors")
        #expect(readings.count == 3, "\(readings)")
        for word in ["stove", "fridge", "humidity", "kitchen", "north"] {
            #expect(readings.contains { $0.contains(word) }, "\(word) in \(readings)")
        }
    }
}
