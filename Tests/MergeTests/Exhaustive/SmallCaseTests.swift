import Model
import TestSupport
import Testing

@testable import Merge

/// All pairs of changes to a small realm, with either side newer: both orders end in the same state (M-100), and which
/// side is local doesn't matter (M-103).
struct SmallCaseTests {
    @Test(arguments: 0...4)
    func `every pair of list instructions converges (M-64 to M-72)`(size: Int) throws {
        let realm = try SmallRealm(size: size)
        try expectConvergence(
            of: realm.listInstructions(number: 1).map { [$0] }, and: realm.listInstructions(number: 2).map { [$0] },
            on: realm.state)
    }

    @Test(arguments: 0...4)
    func `every pair on lists of embedded objects and inside them converges (M-81 to M-85)`(size: Int) throws {
        let realm = try SmallRealm(size: size)
        try expectConvergence(
            of: realm.embeddedInstructions(number: 1).map { [$0] },
            and: realm.embeddedInstructions(number: 2).map { [$0] }, on: realm.state)
    }

    @Test(arguments: 0...3)
    func `every pair on lists of lists and inside them converges (M-79, M-84, M-134)`(size: Int) throws {
        let realm = try SmallRealm(size: size)
        try expectConvergence(
            of: realm.nestedPrograms(number: 1), and: realm.nestedPrograms(number: 2), on: realm.state)
    }

    @Test func `every pair of kinds converges (M-38)`() throws {
        let realm = try SmallRealm(size: 2)
        try expectConvergence(of: realm.programs(number: 1), and: realm.programs(number: 2), on: realm.state)
    }

    @Test(arguments: [1, soakFactor > 1 ? 3 : 2])
    func `two list instructions a side converge`(size: Int) throws {
        func programs(_ number: Int64) throws -> [[Instruction]] {
            let realm = try SmallRealm(size: size)
            return try realm.listInstructions(number: number).flatMap { first in
                var size = size
                switch first {
                case .arrayInsert: size += 1
                case .arrayErase: size -= 1
                case .clear: size = 0
                default: break
                }
                return try SmallRealm(size: size).listInstructions(number: number + 10).map { [first, $0] }
            }
        }
        try expectConvergence(
            of: programs(1), and: programs(2), on: SmallRealm(size: size).state, exchanging: false)
    }

    private func expectConvergence(
        of ones: [[Instruction]], and others: [[Instruction]], on state: ReplicaState, exchanging: Bool = true
    ) throws {
        let afterOnes = try ones.map { try state.applying($0) }
        let afterOthers = try others.map { try state.applying($0) }
        for (one, afterOne) in zip(ones, afterOnes) {
            for (other, afterOther) in zip(others, afterOthers) {
                for ranks in [(1, 2), (2, 1)] as [(UInt64, UInt64)] {
                    let problem = Self.problem(one, other, ranks, afterOne, afterOther, exchanging)
                    guard let problem else { continue }
                    Issue.record("\(one.map(\.summary)) with \(other.map(\.summary)), ranks \(ranks): \(problem)")
                    return
                }
            }
        }
    }

    private static func problem(
        _ one: [Instruction], _ other: [Instruction], _ ranks: (UInt64, UInt64), _ afterOne: ReplicaState,
        _ afterOther: ReplicaState, _ exchanging: Bool
    ) -> String? {
        do {
            let merged = try MergedPair(ours: one, theirs: other, ranks: ranks)
            if exchanging {
                let exchanged = try MergedPair(ours: other, theirs: one, ranks: (ranks.1, ranks.0))
                guard merged.ours == exchanged.theirs, merged.theirs == exchanged.ours else {
                    return "not the same from the other side"
                }
            }
            let end = try afterOne.applying(merged.theirs[0])
            let otherEnd = try afterOther.applying(merged.ours[0])
            return end == otherEnd ? nil : end.differences(from: otherEnd)
        } catch {
            return "\(error)"
        }
    }
}

extension MergedPair {
    init(ours: [Instruction], theirs: [Instruction], ranks: (UInt64, UInt64)) throws {
        func changeset(_ rank: UInt64, _ instructions: [Instruction]) -> GoldenMerges.Changeset {
            GoldenMerges.Changeset(
                rank: Rank(originTimestamp: rank, originFileIdent: rank + 1), instructions: instructions)
        }
        try self.init(ours: [changeset(ranks.0, ours)], theirs: [changeset(ranks.1, theirs)])
    }
}

extension ReplicaState {
    func applying(_ instructions: [Instruction]) throws(ApplyError) -> ReplicaState {
        var next = self
        try next.apply(instructions)
        return next
    }
}
