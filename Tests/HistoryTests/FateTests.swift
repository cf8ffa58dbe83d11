import Model
import Store
import Sync
import TestSupport
import Testing

@testable import History

/// What became of transactions, as receipts are answered from it: out of the file, also by the next process.
@Suite struct FateTests {
    private func version(_ test: ResetCase) -> UInt64 { test.file.version }

    @Test func aTransactionWaitsUntilTheServerAcknowledgesIt() throws {
        let test = try ResetCase(ResetSchema.all + [create(1)])
        let agreed = version(test)
        try test.write([set(at(1, "n"), 1)])
        let first = version(test)
        try test.write([set(at(1, "n"), 2)])
        let second = version(test)
        #expect(try test.history.fate(of: agreed) == .uploaded)
        #expect(try [first, second].map { try test.history.fate(of: $0) } == [.waiting, .waiting])
        try test.acknowledge(Int64(first))
        for _ in 0..<2 {
            #expect(try [first, second].map { try test.history.fate(of: $0) } == [.uploaded, .waiting])
            try test.reopenHistory()
        }
        try test.acknowledge(Int64(second))
        #expect(try [first, second].map { try test.history.fate(of: $0) } == [.uploaded, .uploaded])
    }

    @Test func aResetThatDiscardsRejectsAllThatWasNotAcknowledged() throws {
        let test = try ResetCase(ResetSchema.all + [create(1)])
        try test.write([set(at(1, "n"), 1)])
        let first = version(test)
        try test.acknowledge(Int64(first))
        try test.write([set(at(1, "n"), 2)])
        let second = version(test)
        try test.write([set(at(1, "n"), 3)])
        let third = version(test)
        try test.reset(.discardUnsyncedChanges)
        try test.write([set(at(1, "n"), 4)])
        let fourth = version(test)
        for _ in 0..<2 {
            #expect(try test.history.fate(of: first) == .uploaded)
            #expect(try test.history.fate(of: fourth) == .waiting)
            for version in [second, third] {
                guard case .rejected(let rejection) = try test.history.fate(of: version) else {
                    Issue.record("\(try test.history.fate(of: version))")
                    continue
                }
                #expect(rejection.cause == .reset && rejection.versions == second...third)
            }
            try test.reopenHistory()
        }
    }

    @Test func aResetThatRecoversRejectsWhatHasNoPlaceAnyMore() throws {
        let test = try ResetCase(ResetSchema.all + [create(1), create(2)])
        try test.write([set(at(1, "n"), 1)])
        let lost = version(test)
        try test.write([set(at(2, "n"), 2)])
        let kept = version(test)
        test.remote([erase(1)])
        try test.reset()
        guard case .rejected(let rejection) = try test.history.fate(of: lost) else {
            Issue.record("\(try test.history.fate(of: lost))")
            return
        }
        #expect(rejection.cause == .reset && rejection.versions == lost...lost)
        #expect(try test.history.fate(of: kept) == .waiting)
        try test.acknowledge(Int64(kept))
        #expect(try test.history.fate(of: kept) == .uploaded)
    }

    @Test func theNewestRejectionsAreRemembered() throws {
        let directory = TemporaryDirectory()
        let file = try RealmFile(path: directory.path("local.realm"), options: ResetCase.options)
        var options = HistoryOptions()
        #expect(options.keptRejections == 1_000)
        options.keptRejections = 20
        let history = try ClientHistory(file, options: options)
        let update = try #require(RejectedUpdate(table: "Item", key: .int(1), reason: "no"))
        for version in UInt64(10)...33 {
            try history.note(Rejection(version: version, [update], message: "m"))
        }
        #expect(try (1...13).allSatisfy { try history.fate(of: $0) == .forgotten })
        var expected = Rejection(version: 14, .server, message: "m")
        expected.objects = [Rejection.Object(name: ObjectName("Item", .int(1)), reason: "no")]
        #expect(try history.fate(of: 14) == .rejected(expected))
        // What is said again changes nothing.
        let before = file.version
        try history.note(expected)
        #expect(file.version == before)
    }

    @Test("F-58: a transaction that is undone is never taken for uploaded, whatever is lost and whoever is killed")
    func undoneIsNeverUploaded() throws {
        for step in 0..<24 {
            let yard = try FlexibleYard()
            let writer = try yard.device("w")
            try writer.write(FlexibleSyncTests.schema)
            let device = try yard.device("a")
            // Each entry has a DOWNLOAD of its own.
            device.downloadBytes = 1
            try device.subscribe { $0.insert(className: "Item", query: "owner == 'a'") }
            #expect(try yard.settle())
            try device.write(FlexibleSyncTests.make(1, owner: "a") + FlexibleSyncTests.make(2, owner: "b"))
            let undone = device.file.version
            try device.write(FlexibleSyncTests.make(3, owner: "a"))
            let kept = device.file.version
            for place in 0..<40 {
                #expect(try device.history.fate(of: undone) != .uploaded, "step \(place) of \(step)")
                switch step {
                case place where step.isMultiple(of: 2): try device.restart()
                case place: device.disconnect()
                default: break
                }
                if !device.isConnected { try device.reconnect() }
                if place.isMultiple(of: 2) { try device.deliverToServer() } else { try device.deliverToClient() }
            }
            #expect(try yard.settle())
            guard case .rejected(let rejection) = try device.history.fate(of: undone) else {
                Issue.record("\(try device.history.fate(of: undone)) in run \(step)")
                continue
            }
            #expect(rejection.cause == .server && rejection.objects.map(\.name.key) == [.int(2)])
            #expect(try device.history.fate(of: kept) == .uploaded)
            #expect(try device.numbers("Item") == [1, 3])
        }
    }
}
