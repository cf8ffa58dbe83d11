import Model
import Store
import Sync
import TestSupport
import Testing

@testable import History
@testable import Merge

/// Client resets in every mode over random unsynced changes of all types, by processes that die at any moment, on servers
/// that lose their history again and again: the file ends as the rules say, by models of them that work otherwise.
@Suite struct ResetUnderFireTests {
    @Test func `R-8, R-59 to R-66: whenever processes die, the realm is as it was, or as the rules say`() throws {
        let seed = randomSeed
        var outcomes = Outcomes()
        for round in 0..<UInt64(60 * soakFactor) { try run(seed: seed &+ round, &outcomes) }
        // What is looked at does happen.
        let comment = Comment(rawValue: "seed \(seed): \(outcomes)")
        #expect(outcomes.recovered > 0 && outcomes.discarded > 0 && outcomes.failed > 0, comment)
        #expect(outcomes.deaths > 0, comment)
    }

    private struct Outcomes {
        var recovered = 0
        var discarded = 0
        var failed = 0
        var deaths = 0
    }

    /// What a file remembers of an attempt.
    private struct Attempt: Hashable {
        var recovers: Bool
        var action: ErrorAction
    }

    /// Whether changes are kept by an attempt in a mode, after one that nothing is known of; nil: it must fail.
    private static func recovers(_ mode: ClientResetMode, _ action: ErrorAction, after last: Attempt?) -> Bool? {
        let isAllowed = action == .clientReset
        let isInVain = last?.action == action
        switch mode {
        case .manual: return nil
        case .recoverUnsyncedChanges: return isAllowed && !isInVain ? true : nil
        case .discardUnsyncedChanges: return isInVain && last?.recovers == false ? nil : false
        case .recoverOrDiscardUnsyncedChanges:
            if !isInVain { return isAllowed }
            return last?.recovers == true ? false : nil
        }
    }

    private func run(seed: UInt64, _ outcomes: inout Outcomes) throws {
        let comment = Comment(rawValue: "seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        func roll(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
        let properties = TestSchema.itemProperties
        let focus = Set((0..<1 + roll(5)).map { _ in properties[roll(properties.count)] })
        let keys = 1 + roll(4)
        func changed(_ state: ReplicaState, by file: UInt64, _ count: Int) throws -> RandomWriter {
            var writer = RandomWriter(state, fileIdent: file, focus: focus, keys: keys, seed: generator.next())
            for _ in 0..<count { try writer.change() }
            return writer
        }
        var server = ReplicaState()
        try server.apply(TestSchema.base)
        let start = try changed(server, by: 3, 2 + roll(8))
        server = start.state
        // What a new file downloads.
        var contents = [TestSchema.base + start.recorded]
        let device = try MortalDevice()
        try device.join(contents, FileIdent(number: 5, salt: 50), SaltedVersion(version: 1, salt: 1))
        // What both had, and what the device has.
        var (agreed, local) = (server, server)
        var unsynced: [[Instruction]] = []
        func write(_ count: Int) throws {
            for _ in 0..<count {
                let writer = try changed(local, by: 5, 1 + roll(3))
                local = writer.state
                guard !writer.recorded.isEmpty else { continue }
                try device.write(writer.recorded)
                unsynced.append(writer.recorded)
            }
        }
        var last: Attempt?
        for loss in 1...1 + roll(3) {
            try write(roll(4))
            let others = try changed(server, by: 6, roll(8))
            server = others.state
            contents.append(others.recorded)
            let mode = ClientResetMode.allCases[roll(4)]
            let action: ErrorAction = roll(4) == 0 ? .clientResetNoRecovery : .clientReset
            let ident = FileIdent(number: 8 + Int64(loss), salt: 77)
            var isReset = false
            while !isReset {
                // Other processes go on.
                try write(roll(2))
                let recovers = Self.recovers(mode, action, after: last)
                let model = RecoveryModel(agreed: agreed, fresh: server)
                var before = try device.digest()
                var failure: ClientResetFailure?
                let writes: Int? = roll(2) == 0 ? roll(10) : nil
                let hasDied = try device.risking(writes) {
                    do {
                        let latest = SaltedVersion(version: 100 * Int64(loss), salt: Int64(loss))
                        try device.reset(mode, action, contents, ident, latest) {
                            // Also while the server's state comes.
                            if writes == nil { try write(roll(2)) }
                            before = try device.digest()
                        }
                    } catch let error as ClientResetFailure {
                        failure = error
                    }
                }
                if hasDied { outcomes.deaths += 1 }
                isReset = device.history.state.ident == ident
                let row = try device.history.pendingReset.map { Attempt(recovers: $0.recovers, action: $0.action) }
                try #require(try device.file.snapshot().checkInvariants() == [], comment)
                if !isReset {
                    // Nothing has happened, but that it was tried.
                    try #require(try device.digest() == before, comment)
                    try #require(row == last || row == recovers.map { Attempt(recovers: $0, action: action) }, comment)
                    last = row
                    if hasDied { continue }
                    let found = try #require(failure, comment)
                    // What the device has added to the schema can't be discarded.
                    let hasOwn = found.code == .incompatibleSchema && !model.knows(local)
                    try #require(recovers == nil || recovers == false && hasOwn, comment)
                    outcomes.failed += 1
                    return
                }
                guard let keeps = recovers else {
                    throw TestFailure("seed \(seed): a reset that must fail has happened")
                }
                try #require(row == Attempt(recovers: keeps, action: action), comment)
                last = row
                if keeps { for instructions in unsynced { try model.replay(instructions) } }
                let expected = model.finish()
                try #require(try device.digest() == expected, comment)
                if keeps { outcomes.recovered += 1 } else { outcomes.discarded += 1 }
                // What is left to be sent makes the same of what the server has.
                unsynced = keeps ? try device.unsynced() : []
                local = server
                for instructions in unsynced { try local.apply(instructions) }
                try #require(local.digest == expected, comment)
            }
            agreed = server
            guard roll(2) == 0, let pending = try device.history.pendingReset else { continue }
            // Both sides get everything, before the server loses its history again.
            try device.acknowledge()
            try device.history.confirm(pending)
            contents += unsynced
            (server, agreed, unsynced, last) = (local, local, [], nil)
        }
    }
}
