import Foundation
import Model
import TestSupport
import Testing

@testable import Store

/// Runs the test child, which is built beside the tests.
final class StoreChildProcess {
    let process = Process()
    private let output = Pipe()

    init(_ mode: String, _ path: String, environment: [String: String] = [:]) throws {
        // The test bundle is the program on Linux.
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        var directory = program.deletingLastPathComponent()
        if let bundle = CommandLine.arguments.first(where: { $0.hasSuffix(".xctest") }) {
            directory = URL(fileURLWithPath: bundle).deletingLastPathComponent()
        }
        process.executableURL = directory.appendingPathComponent("store-child")
        process.arguments = [mode, path]
        process.standardOutput = output
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        try process.run()
    }

    /// Kills it, and answers all that it had printed.
    func kill() -> [String] {
        Foundation.kill(process.processIdentifier, SIGKILL)
        return finish()
    }

    func finish() -> [String] {
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

@Suite struct DurabilityProcessTests {
    @Test(arguments: [false, true]) func aWriterKilledAtRandomLosesNoAcknowledgedTransaction(
        isEncrypted: Bool
    ) throws {
        let environment = isEncrypted ? ["REEVE_TEST_KEY": "7"] : [:]
        let seed = randomSeed
        var generator = SeededGenerator(seed: seed)
        let realm = TestRealm()
        var acknowledged: Int64 = 0
        for round in 0..<((isEncrypted ? 5 : 8) * soakFactor) {
            let comment = Comment(rawValue: "seed \(seed), round \(round)")
            let child = try StoreChildProcess("write", realm.path, environment: environment)
            // Sometimes while it opens and recovers, mostly while it writes.
            usleep(UInt32.random(in: 0...(round % 4 == 0 ? 20_000 : 300_000), using: &generator))
            let lines = child.kill()
            if let last = lines.last.flatMap({ Int64($0) }) { acknowledged = max(acknowledged, last) }
            guard FileManager.default.fileExists(atPath: realm.path) else { continue }
            let file = try realm.open { $0.key = isEncrypted ? testKey() : nil }
            let snapshot = try file.snapshot()
            #expect(snapshot.checkInvariants() == [], comment)
            #expect(try file.verify().findings == [], comment)
            guard let counters = snapshot.table(named: "Counter"), let entries = snapshot.table(named: "Entry") else {
                #expect(acknowledged == 0, comment)
                continue
            }
            guard let counter = counters.find(.int(0)), let column = counters.stored.column(named: "value") else {
                #expect(acknowledged == 0, comment)
                continue
            }
            guard case .int(let value) = counters.value(counter, column) else { continue }
            // All acknowledged are there, and each is whole.
            try #require(value >= acknowledged, comment)
            try #require(entries.count == Int(value) * 3, comment)
            acknowledged = value
            withExtendedLifetime(snapshot) {}
        }
    }

    @Test(arguments: [false, true]) func aFullDiskUndoesTheTransactionAndNothingElse(isEncrypted: Bool) throws {
        let realm = TestRealm()
        let environment = isEncrypted ? ["REEVE_TEST_KEY": "7"] : [:]
        #expect(try StoreChildProcess("full", realm.path, environment: environment).finish() == ["ok"])
        let file = try realm.open { $0.key = isEncrypted ? testKey() : nil }
        #expect(try file.verify().findings == [])
    }

    @Test func aSecondWriterIsRefused() throws {
        let realm = TestRealm()
        let file = try realm.open()
        let error = #expect(throws: StoreError.self) { try realm.open() }
        #expect(error?.code == .locked)
        try file.close()
    }
}
