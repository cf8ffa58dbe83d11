import Model
import Testing

@testable import Merge

/// Which entries take part in a merge, and in which form (M-4 … M-7, M-20 … M-25).
struct MergeHistoryTests {
    private static let list = InstructionPath("T", .int(1), "l")

    private static func insert(_ index: UInt32, _ value: Int64, of size: UInt32) -> Instruction {
        .arrayInsert(list.below(.index(index)), .value(.int(value)), priorSize: size)
    }

    private static func erase(_ index: UInt32, of size: UInt32) -> Instruction {
        .arrayErase(list.below(.index(index)), priorSize: size)
    }

    private static func remote(
        _ version: UInt64, after lastIntegrated: UInt64, at time: UInt64, from file: UInt64,
        _ instructions: Instruction...
    ) -> RemoteChangeset {
        RemoteChangeset(
            remoteVersion: version, lastIntegratedVersion: lastIntegrated,
            rank: Rank(originTimestamp: time, originFileIdent: file), instructions: instructions)
    }

    private static func entry(
        _ version: UInt64, at time: UInt64, from file: UInt64 = 2, receivedFrom: UInt64? = nil,
        _ instructions: Instruction...
    ) -> HistoryEntry {
        HistoryEntry(
            version: version, rank: Rank(originTimestamp: time, originFileIdent: file), receivedFrom: receivedFrom,
            instructions: instructions)
    }

    @Test func `the next merge starts from the reciprocal form (E-86)`() throws {
        var history = MergeHistory()
        try history.append(Self.entry(2, at: 10, Self.insert(4, 1, of: 4)))
        let first = try history.merge([Self.remote(1, after: 0, at: 20, from: 3, Self.insert(0, 9, of: 4))], from: 1)
        #expect(first.changesets[0].instructions == [Self.insert(0, 9, of: 5)])
        history.adopt(first)
        #expect(try history.instructions(of: 2, for: 1) == [Self.insert(5, 1, of: 5)])
        let second = try history.merge([Self.remote(2, after: 0, at: 30, from: 3, Self.erase(4, of: 5))], from: 1)
        #expect(second.changesets[0].instructions == [Self.erase(4, of: 6)])
        history.adopt(second)
        #expect(try history.instructions(of: 2, for: 1) == [Self.insert(4, 1, of: 4)])
    }

    @Test func `only entries that the peer neither knows nor made take part (E-87)`() throws {
        var history = MergeHistory()
        for version in 1...5 as ClosedRange<UInt64> where version != 4 {
            // All insert at the head of the list; version 3 came from the peer.
            let file: UInt64 = version == 3 ? 7 : 8
            try history.append(
                Self.entry(
                    version, at: version, from: file, receivedFrom: file, Self.insert(0, 1, of: UInt32(version))))
        }
        let incoming = Self.remote(4, after: 2, at: 1, from: 7, Self.insert(0, 2, of: 5))
        let merged = try history.merge([incoming], from: 7)
        // One place up for version 5 alone, by its later time: the older element comes first.
        #expect(merged.changesets[0].instructions == [Self.insert(0, 2, of: 6)])
        #expect(try merged.forms().map(\.version) == [5])
    }

    @Test func `peers have reciprocal forms of their own (M-21)`() throws {
        var history = MergeHistory()
        try history.append(Self.entry(1, at: 10, from: 1, Self.insert(2, 1, of: 2)))
        history.adopt(try history.merge([Self.remote(1, after: 0, at: 20, from: 3, Self.insert(0, 9, of: 2))], from: 3))
        #expect(try history.instructions(of: 1, for: 3) == [Self.insert(3, 1, of: 3)])
        #expect(try history.instructions(of: 1, for: 4) == [Self.insert(2, 1, of: 2)])
        #expect(try history.form(of: 1, for: 4) == nil)
    }

    @Test func `an entry of which nothing is left is empty, not unchanged (M-22)`() throws {
        var history = MergeHistory()
        try history.append(Self.entry(1, at: 10, Self.erase(0, of: 1)))
        history.adopt(try history.merge([Self.remote(1, after: 0, at: 20, from: 3, Self.erase(0, of: 1))], from: 1))
        #expect(try history.form(of: 1, for: 1) == ReciprocalForm(version: 1, changes: [0: []]))
        #expect(try history.instructions(of: 1, for: 1) == [])
    }

    @Test func `runs of different base are merged one after another (M-19)`() throws {
        var history = MergeHistory()
        try history.append(Self.entry(1, at: 10, Self.insert(0, 1, of: 0)))
        try history.append(Self.entry(2, at: 11, Self.insert(1, 2, of: 1)))
        let merged = try history.merge(
            [
                Self.remote(1, after: 0, at: 20, from: 3, Self.insert(0, 8, of: 0)),
                Self.remote(2, after: 1, at: 21, from: 3, Self.insert(2, 9, of: 2))
            ], from: 1)
        #expect(merged.changesets[0].instructions == [Self.insert(2, 8, of: 2)])
        #expect(merged.changesets[1].instructions == [Self.insert(3, 9, of: 3)])
    }

    @Test func `what nothing is left of is empty, and keeps its place (M-105, M-113)`() throws {
        var history = MergeHistory()
        try history.append(Self.entry(1, at: 10, .clear(Self.list, .list)))
        let merged = try history.merge(
            [
                Self.remote(1, after: 0, at: 20, from: 3, Self.insert(0, 1, of: 0)),
                Self.remote(2, after: 0, at: 21, from: 3)
            ],
            from: 1)
        #expect(merged.changesets.map(\.remoteVersion) == [1, 2])
        #expect(merged.changesets.map(\.instructions) == [[], []])
        #expect(!merged.changesHistory)
    }

    @Test func `trimmed entries take no part, and the rest keeps its forms (M-24)`() throws {
        var history = MergeHistory()
        for version in 1...40 as ClosedRange<UInt64> {
            try history.append(Self.entry(version, at: version, Self.insert(0, 1, of: UInt32(version - 1))))
        }
        history.adopt(
            try history.merge([Self.remote(1, after: 38, at: 100, from: 3, Self.insert(38, 9, of: 38))], from: 1))
        let before = try history.instructions(of: 40, for: 1)
        history.trim(through: 10)
        history.trim(through: 39)
        #expect(try history.instructions(of: 39, for: 1) == [])
        #expect(try history.instructions(of: 40, for: 1) == before)
        let merged = try history.merge(
            [Self.remote(2, after: 39, at: 101, from: 3, Self.insert(0, 8, of: 40))], from: 1)
        #expect(merged.changesets[0].instructions == [Self.insert(1, 8, of: 41)])
    }

    @Test func `names that only dropped entries had are forgotten`() throws {
        var history = MergeHistory()
        let map = InstructionPath("T", .int(1), "map")
        for version in 1...4_000 as ClosedRange<UInt64> {
            let key = map.below(.name("key \(version)"))
            try history.append(
                Self.entry(version, at: version, .update(key, .value(.int(1)), isDefault: false)))
        }
        let last = map.below(.name("key 4000"))
        let deletion = Self.remote(1, after: 3_999, at: 9_000, from: 3, .update(last, .erased, isDefault: false))
        history.adopt(try history.merge([deletion], from: 1))
        history.trim(through: 3_990)
        #expect(history.symbolCount < 100)
        #expect(try history.form(of: 4_000, for: 1) == ReciprocalForm(version: 4_000, changes: [0: []]))
        let other = map.below(.name("key 3995"))
        let merged = try history.merge(
            [Self.remote(2, after: 3_990, at: 1, from: 3, .update(other, .erased, isDefault: false))], from: 1)
        #expect(merged.changesets[0].instructions == [])
    }

    @Test func `a form that doesn't fit its entry is refused`() throws {
        var history = MergeHistory()
        try history.append(Self.entry(1, at: 1, Self.insert(0, 1, of: 0)))
        for form in [ReciprocalForm(version: 2, changes: [0: []]), ReciprocalForm(version: 1, changes: [1: []])] {
            let error = #expect(throws: MergeError.self) { try history.restore(form, of: 1) }
            #expect(error?.code == .unknownForm)
        }
    }

    @Test func `two concurrent changesets of the same rank are refused (M-14)`() throws {
        var history = MergeHistory()
        try history.append(Self.entry(1, at: 10, Self.insert(0, 1, of: 0)))
        let error = #expect(throws: MergeError.self) {
            try history.merge([Self.remote(1, after: 0, at: 10, from: 2, Self.insert(0, 1, of: 0))], from: 1)
        }
        #expect(error?.code == .equalRanks)
    }

    @Test func `a merge that fails says where and why`() throws {
        var history = MergeHistory()
        try history.append(Self.entry(1, at: 10, TestSchema.column("T", "z", .int), Self.insert(0, 1, of: 0)))
        let schema = #expect(throws: MergeError.self) {
            try history.merge(
                [Self.remote(1, after: 0, at: 20, from: 3, TestSchema.column("T", "z", .string))], from: 1)
        }
        #expect(
            schema?.description
                == "can't merge: T.z: the property is of type int on one side and of type string on the other (M-60)")
        let size = #expect(throws: MergeError.self) {
            try history.merge([Self.remote(1, after: 0, at: 20, from: 3, Self.insert(1, 1, of: 2))], from: 1)
        }
        #expect(size?.code == .inconsistentHistory)
        #expect(size?.message.hasPrefix("T.l of the object with key 1: ") == true)
    }

    @Test func `sizes beyond what an instruction can say are refused`() throws {
        var history = MergeHistory()
        try history.append(Self.entry(1, at: 10, Self.insert(0, 1, of: .max)))
        let error = #expect(throws: MergeError.self) {
            try history.merge([Self.remote(1, after: 0, at: 20, from: 3, Self.insert(0, 1, of: .max))], from: 1)
        }
        #expect(error?.code == .inconsistentHistory)
    }
}
