import Foundation
import Merge
import Model
import Store

/// Encoding, decoding, applying and merging changesets: rates, and whether ten times as much takes ten times as long.
/// In time of the processor, since nothing here waits.
struct MergeBenchmarks {
    let bench: Bench

    func run() throws -> [Measurement] {
        print("merging…")
        return try coding() + applying() + merging()
    }

    // MARK: Coding and applying

    private func coding() throws -> [Measurement] {
        let instructions = Self.updates(objects: 0..<50_000)
        let count = Double(instructions.count)
        var bytes: [UInt8] = []
        let encoding = try processorMilliseconds(repeats: 3) { bytes = try Changeset.encode(instructions) }
        let decoding = try processorMilliseconds(repeats: 3) { _ = try Changeset.decode(bytes) }
        var sum = 0
        let reading = try processorMilliseconds(repeats: 3) {
            sum += try bytes.withUnsafeBytes { bytes in
                var reader = ChangesetReader(bytes)
                var read = 0
                while try reader.next() != nil { read += 1 }
                return read
            }
        }
        guard sum == instructions.count * 3 else { throw BenchError("\(sum) instructions read") }
        let megabytes = Double(bytes.count) / 1e6
        print(
            String(
                format: "  %.1f MB: encoded at %.0f MB/s, decoded at %.0f MB/s, read in place at %.0f MB/s", megabytes,
                megabytes / encoding * 1e3, megabytes / decoding * 1e3, megabytes / reading * 1e3))
        return [
            .atLeast(1, "encode instructions", count / encoding * 1e3, "1/s", peer: "a million a second", 1e6),
            .atLeast(1, "decode instructions", count / decoding * 1e3, "1/s", peer: "a million a second", 1e6),
            .atLeast(10, "read instructions in place", count / reading * 1e3, "1/s", peer: "a million a second", 1e6)
        ]
    }

    /// To a realm in memory: the disk has its own rows.
    private func applying() throws -> [Measurement] {
        func perObject(_ count: Int) throws -> Double {
            var instructions = Self.schema
            for number in 0..<Int64(count) {
                instructions.append(.createObject(className: "Item", key: .int(number)))
                instructions.append(Self.update(number, 1))
            }
            let changes = try Changeset.encode(instructions)
            var options = RealmFileOptions()
            options.inMemory = true
            return try processorMilliseconds(repeats: 5) {
                let file = try RealmFile(path: bench.path("applied.realm"), options: options)
                let transaction = try file.beginWrite()
                try changes.withUnsafeBytes { try transaction.apply($0) }
                _ = try transaction.commit(uid: nil)
                try file.close()
            } * 1e3 / Double(count)
        }
        let (small, middle, large) = (try perObject(10_000), try perObject(100_000), try perObject(1_000_000))
        return [
            .atMost(
                1.5, "apply CreateObject and Update, 100,000 objects", middle, "µs each", peer: "of 10,000", small),
            .atMost(
                1.5, "apply CreateObject and Update, 1,000,000 objects", large, "µs each", peer: "of 10,000", small)
        ]
    }

    // MARK: Merging

    private func merging() throws -> [Measurement] {
        func objects(_ count: Int, shared: Int) throws -> Double {
            try perInstruction(
                Self.updates(objects: 0..<Int64(count)),
                Self.updates(objects: Int64(count - shared)..<Int64(2 * count - shared)))
        }
        // What a larger table costs in cache misses is allowed for.
        func all(_ name: String, _ cost: (Int) throws -> Double) throws -> [Measurement] {
            let (small, middle, large) = (try cost(1_000), try cost(10_000), try cost(100_000))
            return [
                .atMost(2, "\(name), 10,000 with 10,000", middle, "µs each", peer: "1,000 with 1,000", small),
                .atMost(3, "\(name), 100,000 with 100,000", large, "µs each", peer: "1,000 with 1,000", small)
            ]
        }
        return try all("merge, 1 % the same objects") { try objects($0, shared: $0 / 100) }
            + all("merge, all the same objects") { try objects($0, shared: $0) }
            + all("merge, all keys of one dictionary") { count in
                try perInstruction(Self.entries(count), Self.entries(count))
            }
            + [oneAgainstHistory(), appending()]
    }

    /// Microseconds for each incoming instruction of a merge of two changesets.
    private func perInstruction(_ ours: [Instruction], _ theirs: [Instruction]) throws -> Double {
        var history = MergeHistory()
        try history.append(HistoryEntry(version: 1, rank: Self.rank(1, 2), instructions: ours))
        let incoming = RemoteChangeset(
            remoteVersion: 1, lastIntegratedVersion: 0, rank: Self.rank(2, 3), instructions: theirs)
        return try processorMilliseconds(repeats: 3) {
            var history = history
            history.adopt(try history.merge([incoming], from: 1))
        } * 1e3 / Double(theirs.count)
    }

    /// One small changeset against a history that is long, and nearly all of it about something else. Long and short
    /// histories are measured in turn: a few microseconds take twice as long while the processor's other half is busy.
    private func oneAgainstHistory() throws -> Measurement {
        func history(_ length: Int64) throws -> MergeHistory {
            var history = MergeHistory()
            for number in 0..<length {
                try history.append(
                    HistoryEntry(
                        version: UInt64(number + 1), rank: Self.rank(UInt64(number), 2),
                        instructions: [Self.update(number, 1)]))
            }
            return history
        }
        let incoming = RemoteChangeset(
            remoteVersion: 1, lastIntegratedVersion: 0, rank: Self.rank(2, 3), instructions: [Self.update(7, 2)])
        let histories = [try history(100), try history(100_000)]
        var times: [[Double]] = [[], []]
        for _ in 0..<101 {
            for (index, history) in histories.enumerated() {
                times[index].append(
                    try processorMilliseconds(repeats: 1) {
                        for _ in 0..<100 { _ = try history.merge([incoming], from: 1) }
                    } * 10)
            }
        }
        return .atMost(
            2, "merge one update against a history of 100,000", median(times[1]), "µs", peer: "of 100", median(times[0])
        )
    }

    /// Runs of insertions at the end of one list: every pair has to be looked at.
    private func appending() throws -> Measurement {
        let list = InstructionPath("Item", .int(1), "list")
        func insertions(_ count: UInt32) -> [Instruction] {
            (0..<count).map { .arrayInsert(list.below($0), .value(.int(1)), priorSize: $0) }
        }
        let (few, many) = (insertions(1_000), insertions(10_000))
        let small = try perInstruction(few, few) * 1e3 / Double(few.count)
        return .atMost(
            1.5, "merge insertions into one list, 10,000 with 10,000", try perInstruction(many, many) * 1e3 / 10_000,
            "ns a pair", peer: "1,000 with 1,000", small)
    }

    // MARK: Data

    private static let schema: [Instruction] = [
        .addTable(className: "Item", kind: .topLevel, key: KeyColumn(name: "_id", type: .int, isNullable: false)),
        .addColumn(
            className: "Item", property: "value",
            ColumnDeclaration(
                type: ValueType.int.rawValue, isNullable: false, collection: .single, target: nil, keyType: nil))
    ]

    private static func update(_ object: Int64, _ value: Int64) -> Instruction {
        .update(InstructionPath("Item", .int(object), "value"), .value(.int(value)), isDefault: false)
    }

    private static func updates(objects: Range<Int64>) -> [Instruction] {
        objects.map { update($0, $0) }
    }

    private static func entries(_ count: Int) -> [Instruction] {
        (0..<count).map {
            let path = InstructionPath("Item", .int(1), "map", [.name("key \($0)")])
            return .update(path, .value(.int(1)), isDefault: false)
        }
    }

    private static func rank(_ time: UInt64, _ file: UInt64) -> Rank {
        Rank(originTimestamp: time, originFileIdent: file)
    }
}

/// Median processor time of `repeats` runs, in milliseconds.
private func processorMilliseconds(repeats: Int, _ body: () throws -> Void) rethrows -> Double {
    func spent() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }
    var times: [Double] = []
    for _ in 0..<repeats {
        let start = spent()
        try body()
        times.append(spent() - start)
    }
    return median(times)
}

extension InstructionPath {
    fileprivate func below(_ index: UInt32) -> InstructionPath {
        InstructionPath(className, key, property, rest + [.index(index)])
    }
}
