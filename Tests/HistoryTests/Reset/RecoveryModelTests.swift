import Model
import Store
import Sync
import TestSupport
import Testing

@testable import History
@testable import Merge

/// Random unsynced changes over all types, on a server that has become something else: the realm ends as the rules say,
/// by a model of them that works otherwise.
@Suite struct RecoveryModelTests {
    @Test func `unsynced changes of all types end as the rules say`() throws {
        let seed = randomSeed
        for round in 0..<UInt64(60 * soakFactor) { try run(seed: seed &+ round) }
    }

    private func run(seed: UInt64) throws {
        let comment = Comment(rawValue: "seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        func roll(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
        // Half of the runs are about a single property of a single object.
        let isNarrow = roll(2) == 0
        let properties = isNarrow ? TestSchema.intricateProperties : TestSchema.itemProperties
        let focus = Set((0..<(isNarrow ? 1 : 1 + roll(5))).map { _ in properties[roll(properties.count)] })
        let keys = isNarrow ? 1 : 1 + roll(4)
        func changed(_ state: ReplicaState, by file: UInt64, _ count: Int) throws -> RandomWriter {
            var writer = RandomWriter(state, fileIdent: file, focus: focus, keys: keys, seed: generator.next())
            for _ in 0..<count { try writer.change() }
            return writer
        }
        var agreed = ReplicaState()
        try agreed.apply(TestSchema.base)
        let start = try changed(agreed, by: 3, 2 + roll(8))
        agreed = start.state
        var options = RealmFileOptions()
        options.inMemory = true
        let test = try ResetCase(TestSchema.base + start.recorded, options: options)

        var local = agreed
        for _ in 0..<(1 + roll(5)) {
            let writer = try changed(local, by: 5, 1 + roll(4))
            local = writer.state
            try test.write(writer.recorded)
        }
        // What others write until the history is lost comes down and is merged.
        if roll(3) == 0 {
            let writer = try changed(agreed, by: 4, 1 + roll(3))
            agreed = writer.state
            do { try test.download(writer.recorded) } catch is ResetCaseError { return }
        }
        let lost = try changed(agreed, by: 6, roll(8))
        test.remote(lost.recorded)

        let mode: ClientResetMode = roll(5) == 0 ? .discardUnsyncedChanges : .recoverUnsyncedChanges
        let model = RecoveryModel(agreed: agreed, fresh: lost.state)
        if mode == .recoverUnsyncedChanges {
            let snapshot = try test.file.snapshot()
            try test.history.eachUnsyncedChange(snapshot) { try model.replay($0.instructions) }
        }
        let expected = model.finish()
        do {
            let outcome = try test.reset(mode)
            #expect(outcome.didRecover == (mode == .recoverUnsyncedChanges), comment)
        } catch let failure as ClientResetFailure where failure.code == .incompatibleSchema && !model.knows(local) {
            // What the device has added to the schema can't be discarded.
            return
        }
        try #require(try test.digest() == expected, comment)
        #expect(try test.file.snapshot().checkInvariants() == [], comment)
        // And the server comes to the same.
        #expect(try test.serverDigest() == expected, comment)
    }
}
