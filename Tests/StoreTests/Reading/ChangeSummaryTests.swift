import Model
import Store
import TestSupport
import Testing

/// What commits did, alone and merged.
@Suite struct ChangeSummaryTests {
    private let table = TableId(3)

    private func summary(_ body: (inout TableChanges) -> Void) -> ChangeSummary {
        var summary = ChangeSummary()
        body(&summary.tables[table, default: TableChanges()])
        return summary
    }

    private func key(_ raw: Int64) -> ObjectKey { ObjectKey(raw) }

    @Test func comesBackFromItsBytes() throws {
        let original = summary { changes in
            for raw in [0, 1, 2, 10, 11, 500] { changes.insert(key(Int64(raw))) }
            changes.delete(key(7))
            changes.modify(key(20), ColumnId(1))
            changes.modify(key(21), ColumnId(1))
            changes.modify(key(20), ColumnId(300))
        }
        let decoded = try original.encoded().withUnsafeBytes { try ChangeSummary(decoding: $0) }
        #expect(decoded == original)
        #expect(decoded.tables[table]?.insertions.keys.map(\.raw) == [0, 1, 2, 10, 11, 500])
        #expect(decoded.tables[table]?.modifications[key(20)]?.columns == [ColumnId(1), ColumnId(300)])
        #expect(throws: StoreError.self) {
            try original.encoded().dropLast().withUnsafeBytes { try ChangeSummary(decoding: $0) }
        }
    }

    @Test func bulkInsertsTakeAFewBytes() {
        let bulk = summary { changes in changes.insert(1_000...1_000_000) }
        #expect(bulk.encoded().count < 16)
    }

    @Test func insertedThenDeletedIsNothing() {
        var merged = summary { $0.insert(key(1)) }
        merged.merge(summary { $0.modify(key(1), ColumnId(2)) })
        #expect(merged.tables[table]?.modifications.isEmpty == true)
        merged.merge(summary { $0.delete(key(1)) })
        #expect(merged.isEmpty)
    }

    @Test func deletedAndBackIsBoth() {
        var merged = summary { $0.modify(key(1), ColumnId(2)) }
        merged.merge(summary { $0.delete(key(1)) })
        merged.merge(summary { $0.insert(key(1)) })
        #expect(merged.tables[table]?.insertions.keys == [key(1)])
        #expect(merged.tables[table]?.deletions.keys == [key(1)])
        #expect(merged.tables[table]?.modifications.isEmpty == true)
        merged.merge(summary { $0.delete(key(1)) })
        #expect(merged.tables[table]?.insertions.isEmpty == true)
        #expect(merged.tables[table]?.deletions.keys == [key(1)])
    }

    @Test func runsAgreeWithASet() {
        var generator = SeededGenerator(seed: randomSeed)
        for _ in 0..<(50 * soakFactor) {
            var runs = KeyRuns()
            var model: Set<Int64> = []
            for _ in 0..<100 {
                let from = Int64.random(in: 0..<40, using: &generator)
                let to = from + Int64.random(in: 0..<5, using: &generator)
                if Bool.random(using: &generator) {
                    runs.insert(from...to)
                    model.formUnion(from...to)
                } else {
                    let wasThere = runs.remove(ObjectKey(from))
                    let isExpected = model.remove(from) != nil
                    #expect(wasThere == isExpected, "seed \(randomSeed)")
                }
                #expect(runs.keys.map(\.raw) == model.sorted(), "seed \(randomSeed)")
                #expect(zip(runs.runs, runs.runs.dropFirst()).allSatisfy { $0.upperBound + 1 < $1.lowerBound })
            }
        }
    }

    @Test func structureChangesTellHowFarADirectoryHolds() {
        var record = TableRecord()
        #expect(record.firstChangedBase(since: 0) == nil)
        record.noteStructureChange(version: 5, lowestBase: 100)
        record.noteStructureChange(version: 6, lowestBase: 200)
        record.noteStructureChange(version: 6, lowestBase: 150)
        #expect(record.firstChangedBase(since: 6) == nil)
        #expect(record.firstChangedBase(since: 5) == 150)
        #expect(record.firstChangedBase(since: 4) == 100)
        for number in 7..<20 { record.noteStructureChange(version: UInt64(number), lowestBase: Int64(number) * 100) }
        // Too far back to know.
        #expect(record.firstChangedBase(since: 6) == 0)
        #expect(record.firstChangedBase(since: 18) == 1_900)
        record.encoded().withUnsafeBytes { #expect(TableRecord($0) == record) }
        record.noteStructureChange(version: 30, lowestBase: 0)
        #expect(record.structureChanges.count == 1)
    }
}
