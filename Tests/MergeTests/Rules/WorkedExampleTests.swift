import Model
import Testing

@testable import Merge

/// The worked examples in which Reeve does better than the reference, and which the golden data therefore lacks.
/// A has rank (10, 2), B (20, 3).
struct WorkedExampleTests {
    /// `anys` is [[7], [8]], `mset` {1}, `d` and `dembs` empty, `embs` four objects with s = "e0" … "e3".
    private static let base: ReplicaState = {
        var state = SimulatedSystem.base
        var instructions: [Instruction] = [
            .createObject(className: "Item", key: .int(1)), .setInsert(path("mset"), .value(.int(1)))
        ]
        for index in 0..<2 as Range<UInt32> {
            instructions += [
                .arrayInsert(path("anys", .index(index)), .list, priorSize: index),
                .arrayInsert(path("anys", .index(index), .index(0)), .value(.int(7 + Int64(index))), priorSize: 0)
            ]
        }
        for index in 0..<4 as Range<UInt32> {
            instructions += [
                .arrayInsert(path("embs", .index(index)), .embeddedObject, priorSize: index),
                .update(path("embs", .index(index), .name("s")), .value(.string("e\(index)")), isDefault: false)
            ]
        }
        do { try state.apply(instructions) } catch { preconditionFailure("\(error)") }
        return state
    }()

    private static func path(_ property: String, _ rest: PathElement...) -> InstructionPath {
        InstructionPath("Item", .int(1), property, rest)
    }

    private static func set(_ property: String, _ rest: PathElement..., to value: Value) -> Instruction {
        .update(InstructionPath("Item", .int(1), property, rest), .value(value), isDefault: false)
    }

    /// Merges, checks that both orders end in the same state, and gives what both sides have become and that state.
    private func merge(
        _ a: [Instruction], _ b: [Instruction], before: [Instruction] = []
    ) throws -> (a: [Instruction], b: [Instruction], state: ReplicaState) {
        let state = try Self.base.applying(before)
        func changeset(_ time: UInt64, _ instructions: [Instruction]) -> GoldenMerges.Changeset {
            GoldenMerges.Changeset(
                rank: Rank(originTimestamp: time * 10, originFileIdent: time + 1), instructions: instructions)
        }
        let merged = try MergedPair(ours: [changeset(1, a)], theirs: [changeset(2, b)])
        let end = try state.applying(a).applying(merged.theirs[0])
        #expect(try end == state.applying(b).applying(merged.ours[0]))
        return (merged.ours[0], merged.theirs[0], end)
    }

    private static func texts(_ state: ReplicaState) -> [Slot]? {
        guard case .list(let elements)? = state.slot(at: path("embs")) else { return nil }
        return elements.map { element in
            guard case .object(_, let fields) = element else { return .null }
            return fields[Name(text: "s")] ?? .null
        }
    }

    @Test func `a change inside follows its element when that is moved (E-49, E-50)`() throws {
        let move = Instruction.arrayMove(Self.path("embs", .index(0)), to: 3, priorSize: 4)
        let first = try merge([move], [Self.set("embs", .index(0), .name("s"), to: .string("zz"))])
        #expect(first.a == [move] && first.b == [Self.set("embs", .index(3), .name("s"), to: .string("zz"))])
        #expect(Self.texts(first.state) == ["e1", "e2", "e3", "zz"].map { .value(.string($0)) })
        let third = try merge([move], [Self.set("embs", .index(2), .name("s"), to: .string("zz"))])
        #expect(third.b == [Self.set("embs", .index(1), .name("s"), to: .string("zz"))])
        #expect(Self.texts(third.state) == ["e1", "zz", "e3", "e0"].map { .value(.string($0)) })
    }

    @Test func `erasing a column beats whatever happens in it (E-81)`() throws {
        let erasure = Instruction.eraseColumn(className: "Item", property: "l")
        let merged = try merge(
            [erasure], [.arrayInsert(Self.path("l", .index(0)), .value(.int(1)), priorSize: 0)])
        #expect(merged.a == [erasure] && merged.b == [])
    }

    @Test func `an embedded object at a key replaces another with its changes (E-82, M-95)`() throws {
        let key = Self.path("dembs", .name("k"))
        let replacement: [Instruction] = [
            .update(key, .erased, isDefault: false), .update(key, .embeddedObject, isDefault: false),
            Self.set("dembs", .name("k"), .name("s"), to: .string("new"))
        ]
        let merged = try merge(
            replacement, [Self.set("dembs", .name("k"), .name("s"), to: .string("zz"))],
            before: [.update(key, .embeddedObject, isDefault: false)])
        #expect(merged.a == replacement && merged.b == [])
        #expect(merged.state.slot(at: key.below(.name("s"))) == .value(.string("new")))
    }

    @Test func `a cleared element is found where others have moved it (E-88, E-89)`() throws {
        func clear(_ index: UInt32) -> [Instruction] { [.clear(Self.path("anys", .index(index)), .list)] }
        let insertion = Instruction.arrayInsert(Self.path("anys", .index(0)), .value(.int(5)), priorSize: 2)
        let shifted = try merge(clear(1), [insertion])
        #expect(shifted.a == clear(2) && shifted.b == [insertion])
        #expect(
            shifted.state.slot(at: Self.path("anys"))
                == .list([.value(.int(5)), .list([.value(.int(7))]), .list([])]))
        let erased = try merge(clear(0), [.arrayErase(Self.path("anys", .index(0)), priorSize: 2)])
        #expect(erased.a == [])
        #expect(erased.state.slot(at: Self.path("anys")) == .list([.list([.value(.int(8))])]))
    }

    @Test func `a newer Clear brings back a key that was removed (E-92, C-150)`() throws {
        let key = Self.path("danys", .name("k"))
        let merged = try merge(
            [.update(key, .erased, isDefault: false)], [.clear(key, .list)],
            before: [.update(key, .list, isDefault: false)])
        #expect(merged.a == [] && merged.b == [.clear(key, .list)])
        #expect(merged.state.slot(at: Self.path("danys")) == .dictionary([Name(text: "k"): .list([])]))
    }

    @Test func `numbers in sets are the same across types (E-93, E-94)`() throws {
        let set = Self.path("mset")
        let removed = try merge([.setErase(set, .value(.int(1)))], [.setInsert(set, .value(.double(1)))])
        #expect(removed.a == [])
        #expect(removed.state.slot(at: set) == .set([.double(1)]))
        let inserted = try merge([.setInsert(set, .value(.int(2)))], [.setInsert(set, .value(.double(2)))])
        #expect(inserted.a == [])
        #expect(inserted.state.slot(at: set) == .set([.int(1), .double(2)]))
    }

    @Test func `three devices: an increment passes over null and meets a later value (E-85)`() throws {
        let n = Self.path("n")
        let null = Instruction.update(n, .value(.null), isDefault: false)
        let value = Instruction.update(n, .value(.int(10)), isDefault: false)
        let devices: [(time: UInt64, instruction: Instruction)] = [
            (10, null), (30, .addInteger(n, 1)), (20, value)
        ]
        let start = try Self.base.applying([.update(n, .value(.int(0)), isDefault: false)])
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let end = try Self.serialised(order.map { devices[$0] }, on: start)
            #expect(end.slot(at: n) == .value(.int(11)), "\(order)")
        }
    }

    /// What a server makes of changesets that clients 2, 3 and 4 made at the same time.
    private static func serialised(
        _ changesets: [(time: UInt64, instruction: Instruction)], on start: ReplicaState
    ) throws -> ReplicaState {
        var (history, state) = (MergeHistory(), start)
        for (number, changeset) in changesets.enumerated() {
            let client = changeset.time / 10 + 1
            let rank = Rank(originTimestamp: changeset.time, originFileIdent: client)
            let merged = try history.merge(
                [
                    RemoteChangeset(
                        remoteVersion: 2, lastIntegratedVersion: 0, rank: rank, instructions: [changeset.instruction])
                ], from: client)
            let instructions = merged.changesets[0].instructions
            try state.apply(instructions)
            history.adopt(merged)
            try history.append(
                HistoryEntry(
                    version: UInt64(number + 1), rank: rank, receivedFrom: client, instructions: instructions))
        }
        return state
    }

    @Test func `null against two announcements of a list empties it (E-95, M-138)`() throws {
        let any = Self.path("any")
        func fill(_ index: UInt32, _ value: Int64, of size: UInt32) -> Instruction {
            .arrayInsert(any.below(.index(index)), .value(.int(value)), priorSize: size)
        }
        let announcement = Instruction.update(any, .list, isDefault: false)
        let null = Instruction.update(any, .value(.null), isDefault: false)
        let ours = GoldenMerges.Changeset(
            rank: Rank(originTimestamp: 20, originFileIdent: 4), instructions: [null])
        let theirs = [
            GoldenMerges.Changeset(
                rank: Rank(originTimestamp: 10, originFileIdent: 2), instructions: [announcement, fill(0, 1, of: 0)]),
            GoldenMerges.Changeset(
                rank: Rank(originTimestamp: 30, originFileIdent: 3), instructions: [announcement, fill(1, 2, of: 1)])
        ]
        let merged = try MergedPair(ours: [ours], theirs: theirs)
        #expect(merged.ours == [[.clear(any, .list)]])
        #expect(merged.theirs == [[], [announcement]])
        let end = try Self.base.applying([null]).applying([announcement])
        #expect(end.slot(at: any) == .list([]))
        let foreign = try theirs.reduce(Self.base) { try $0.applying($1.instructions) }
        #expect(try foreign.applying(merged.ours[0]) == end)
    }

    /// Found at random. One device fills a list, a second replaces it by an empty dictionary, a third, newer, has made it
    /// a list: the content must not come back on the third alone.
    @Test func `a Clear of another kind empties a newer list that was filled before (M-58, M-138)`() throws {
        let any = Self.path("any")
        let announcement = Instruction.update(any, .list, isDefault: false)
        let insertion = Instruction.arrayInsert(any.below(.index(0)), .value(.int(1)), priorSize: 0)
        let ours = [
            GoldenMerges.Changeset(
                rank: Rank(originTimestamp: 10, originFileIdent: 2), instructions: [announcement, insertion]),
            GoldenMerges.Changeset(
                rank: Rank(originTimestamp: 20, originFileIdent: 3), instructions: [.clear(any, .dictionary)])
        ]
        let theirs = [
            GoldenMerges.Changeset(
                rank: Rank(originTimestamp: 30, originFileIdent: 4), instructions: [announcement])
        ]
        let merged = try MergedPair(ours: ours, theirs: theirs)
        #expect(merged.ours == [[announcement, insertion], [.clear(any, .list)]])
        #expect(merged.theirs == [[announcement]])
        let end = try ours.reduce(Self.base) { try $0.applying($1.instructions) }.applying(merged.theirs[0])
        #expect(end.slot(at: any) == .list([]))
        let foreign = try merged.ours.reduce(Self.base.applying([announcement])) { try $0.applying($1) }
        #expect(foreign == end)
    }

    /// The same, met in another order: the third device's announcement has reached the server before the Clear has.
    @Test func `a Clear of another kind empties a newer list, whichever comes first (M-58, M-138)`() throws {
        let any = Self.path("any")
        let announcement = Instruction.update(any, .list, isDefault: false)
        let insertion = Instruction.arrayInsert(any.below(.index(0)), .value(.int(1)), priorSize: 0)
        let ours = [
            GoldenMerges.Changeset(
                rank: Rank(originTimestamp: 10, originFileIdent: 2), instructions: [announcement, insertion]),
            GoldenMerges.Changeset(
                rank: Rank(originTimestamp: 30, originFileIdent: 4), instructions: [announcement])
        ]
        let theirs = [
            GoldenMerges.Changeset(
                rank: Rank(originTimestamp: 20, originFileIdent: 3), instructions: [.clear(any, .dictionary)])
        ]
        let merged = try MergedPair(ours: ours, theirs: theirs)
        #expect(merged.ours == [[], [announcement]])
        #expect(merged.theirs == [[.clear(any, .list)]])
        let end = try ours.reduce(Self.base) { try $0.applying($1.instructions) }.applying(merged.theirs[0])
        #expect(end.slot(at: any) == .list([]))
        let foreign = try merged.ours.reduce(Self.base.applying(theirs[0].instructions)) { try $0.applying($1) }
        #expect(foreign == end)
    }
}
