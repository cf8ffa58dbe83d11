import Foundation
import TestSupport
import Testing
import Wire

/// Client resets while programs go on writing and the agent is killed at random moments: with server, agents and programs
/// as processes.
@Suite struct ResetUnderFireProcessTests {
    private static let lost: Range<Int64> = 0..<100
    private static let offline: Range<Int64> = 1_000..<1_020
    private static let new: Range<Int64> = 5_000..<6_500
    /// Of two programs.
    private static let written: [Range<Int64>] = [2_000..<2_060, 3_000..<3_060]

    @Test("R-14, R-64, R-68: what wasn't synced is kept, or goes as the mode says, and all processes see the same")
    func killed() throws {
        let seed = randomSeed
        var generator = SeededGenerator(seed: seed)
        for round in 0..<2 * soakFactor {
            try run(recovers: round % 2 == 0, Comment(rawValue: "seed \(seed), round \(round)"), &generator)
        }
    }

    private func put(_ keys: Range<Int64>, on device: SyncedDevice) throws {
        for start in stride(from: keys.lowerBound, to: keys.upperBound, by: 500) {
            try device.put((start..<min(start + 500, keys.upperBound)).map { ($0, "\($0)") })
        }
    }

    private func run(recovers: Bool, _ comment: Comment, _ generator: inout SeededGenerator) throws {
        let mode: SyncResetMode = recovers ? .recoverUnsyncedChanges : .recoverOrDiscardUnsyncedChanges
        var server = try ServerUnderTest()
        let a = try SyncedDevice(server.url)
        try a.open(resetMode: mode)
        try put(Self.lost, on: a)
        try a.wait(.upload)
        server.end(SIGKILL)
        for path in server.realms { try FileManager.default.removeItem(atPath: path) }
        for key in Self.offline { try put(key..<key + 1, on: a) }
        // No agent but the test's.
        let environment = a.agent.clientEnvironment.merging(["REEVE_SERVER": server.url, "REEVE_AGENT": "/none"]) { $1 }
        let programs = try Self.written.map { keys in
            try ChildProgram(
                [
                    "R-14 writer", "tasks", "home", a.path("home"), recovers ? "recover" : "either",
                    "\(keys.lowerBound)", "\(keys.count)"
                ], environment: environment)
        }
        defer { for program in programs { program.kill() } }
        #expect(eventually { programs.allSatisfy { $0.said.first == "open" } }, comment)
        _ = try a.wire.call(SyncControl(target: .path(a.path("home")), wish: .suspend))
        server = try ServerUnderTest(server.directory, port: server.port)
        let b = try SyncedDevice(server.url)
        try b.open()
        try put(Self.new, on: b)
        try b.wait(.upload)
        _ = try a.wire.call(SyncControl(target: .path(a.path("home")), wish: .resume))
        for _ in 0..<4 {
            usleep(UInt32.random(in: 0...250_000, using: &generator))
            try a.restartAgent(opening: nil)
            try a.open(resetMode: mode)
        }
        let areDone = eventually(within: .seconds(60)) { programs.allSatisfy { $0.said.last == "done" } }
        try #require(areDone, comment)
        let isOver = try eventually(within: .seconds(30)) {
            let state = try a.state()
            return try state.error?.contains("SyncClientResetRequired") == true
                || a.tasks()[Self.new.lowerBound] != nil && state.unsentTransactions == 0
        }
        try #require(isOver, comment)
        try check(a, b, recovers: recovers, comment)
        server.end(SIGTERM)
    }

    private func check(_ a: SyncedDevice, _ b: SyncedDevice, recovers: Bool, _ comment: Comment) throws {
        let found = Set(try a.tasks().keys)
        let mine = Set(Self.offline).union(Self.written.joined())
        if try a.state().error != nil {
            // Killed between the note of the attempt and its end: another of the kind would be in vain, and so would
            // one of the last kind that the mode allows. All is here.
            #expect(found == mine.union(Self.lost), comment)
            return
        }
        try a.wait(.download)
        try b.wait(.download)
        #expect(try a.tasks() == b.tasks(), comment)
        #expect(found.isSuperset(of: Self.new) && found.isDisjoint(with: Self.lost), comment)
        let kept = found.subtracting(Self.new)
        if recovers || !kept.isDisjoint(with: Self.offline) {
            #expect(kept == mine, comment)
            return
        }
        // Given up is what was written until then, by each program.
        for keys in Self.written {
            let first = keys.first(where: kept.contains) ?? keys.upperBound
            #expect((first..<keys.upperBound).allSatisfy(kept.contains), comment)
        }
    }
}
