import Model
import TestSupport
import Testing

@testable import Merge

/// What must not depend on how a merge is done, on random concurrent histories.
struct RandomHistoryTests {
    /// Two sides that wrote some changesets each over the same state.
    struct Sides {
        var ours: [HistoryEntry] = []
        var theirs: [RemoteChangeset] = []

        init(seed: UInt64) throws {
            var generator = SeededGenerator(seed: seed)
            let properties = TestSchema.itemProperties
            let focus = Set((0..<3).map { _ in properties[Int.random(in: 0..<properties.count, using: &generator)] })
            func writer(_ state: ReplicaState, _ fileIdent: UInt64) throws -> RandomWriter {
                var writer = RandomWriter(
                    state, fileIdent: fileIdent, focus: focus, keys: 2, seed: generator.next())
                for _ in 0..<4 { try writer.change() }
                return writer
            }
            let base = try writer(SimulatedSystem.base, 9).state
            var (one, other) = (base, base)
            for number in 1...3 as ClosedRange<UInt64> {
                let mine = try writer(one, 2)
                one = mine.state
                ours.append(
                    HistoryEntry(
                        version: number, rank: Rank(originTimestamp: number * 10, originFileIdent: 2),
                        instructions: mine.recorded))
                let foreign = try writer(other, 3)
                other = foreign.state
                theirs.append(
                    RemoteChangeset(
                        remoteVersion: number, lastIntegratedVersion: 0,
                        rank: Rank(originTimestamp: number * 8, originFileIdent: 3), instructions: foreign.recorded))
            }
        }

        func history(comparingAll: Bool = false) throws -> MergeHistory {
            var history = MergeHistory(comparingAll: comparingAll)
            for entry in ours { try history.append(entry) }
            return history
        }
    }

    private static let peer: UInt64 = 1

    /// Both sides after a merge, and the marks.
    private static func outcome(_ history: MergeHistory, _ merged: [RemoteChangeset]) throws -> [[Instruction]] {
        try merged.map(\.instructions) + (1...3).map { try history.instructions(of: $0, for: peer) }
    }

    private func forEachSeed(_ body: (UInt64, Sides) throws -> Void) throws {
        for seed in 0..<UInt64(150 * soakFactor) {
            try body(randomSeed &+ seed, try Sides(seed: randomSeed &+ seed))
        }
    }

    @Test func `comparing only what touches the same object changes nothing (M-30)`() throws {
        try forEachSeed { seed, sides in
            var (quick, complete) = (try sides.history(), try sides.history(comparingAll: true))
            let merged = try quick.merge(sides.theirs, from: Self.peer)
            let expected = try complete.merge(sides.theirs, from: Self.peer)
            quick.adopt(merged)
            complete.adopt(expected)
            let outcome = try Self.outcome(quick, merged.changesets)
            #expect(try outcome == Self.outcome(complete, expected.changesets), "REEVE_SEED=\(seed)")
        }
    }

    @Test func `merging one by one is the same as merging together (M-101)`() throws {
        try forEachSeed { seed, sides in
            var (together, single) = (try sides.history(), try sides.history())
            let merged = try together.merge(sides.theirs, from: Self.peer)
            together.adopt(merged)
            var changesets: [RemoteChangeset] = []
            for changeset in sides.theirs {
                let step = try single.merge([changeset], from: Self.peer)
                single.adopt(step)
                changesets += step.changesets
            }
            let outcome = try Self.outcome(together, merged.changesets)
            #expect(try outcome == Self.outcome(single, changesets), "REEVE_SEED=\(seed)")
        }
    }

    @Test func `a history that was stored and put back merges as before (M-20)`() throws {
        try forEachSeed { seed, sides in
            var history = try sides.history()
            var stored: [UInt64: ReciprocalForm] = [:]
            var again = try sides.history()
            for changeset in sides.theirs {
                let merged = try history.merge([changeset], from: Self.peer)
                history.adopt(merged)
                let fromStored = try again.merge([changeset], from: Self.peer)
                #expect(fromStored.changesets.map(\.instructions) == merged.changesets.map(\.instructions))
                for form in try merged.forms() { stored[form.version] = stored[form.version]?.merging(form) ?? form }
                again = try sides.history()
                for form in stored.values { try again.restore(form, of: Self.peer) }
                for version in 1...3 as ClosedRange<UInt64> {
                    let form = try again.form(of: version, for: Self.peer)
                    #expect(try form == history.form(of: version, for: Self.peer), "REEVE_SEED=\(seed)")
                }
            }
        }
    }

    @Test func `a merge that is not adopted leaves the history as it was`() throws {
        try forEachSeed { seed, sides in
            let history = try sides.history()
            _ = try history.merge(sides.theirs, from: Self.peer)
            for entry in sides.ours {
                let present = try history.instructions(of: entry.version, for: Self.peer)
                #expect(present == entry.instructions, "REEVE_SEED=\(seed)")
            }
        }
    }
}
