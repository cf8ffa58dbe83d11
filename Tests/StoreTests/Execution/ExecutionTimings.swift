import Foundation
import Model
import Query
import Store
import TestSupport
import Testing

/// Prints how long scans of a million rows take; a figure, not a test. Runs when `REEVE_TIMINGS` is set, in release.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["REEVE_TIMINGS"] != nil))
struct ExecutionTimings {
    @Test func millionRows() throws {
        let rows = 1_000_000
        var generator = SeededGenerator(seed: 1)
        let sample = ExecutionTimings.sample(rows, &generator)
        let file = try FixtureFile(sample, FixtureFile.Layout(clusterRows: 1_000, gapEvery: 0))
        let reader = try FileReader(path: file.path)
        let snapshot = try reader.snapshot()
        func compare(_ name: String, _ op: Comparison.Operator, _ value: Value) -> Condition {
            .comparison(
                Comparison(.path(PropertyPath(names: [name]), quantifier: nil), op, .constant(value)))
        }
        let conditions: [(String, Condition)] = [
            ("count int (2 bytes) >", compare("priority", .greater, .int(500))),
            ("count int (8 bytes) >", compare("wide", .greater, .int(0))),
            ("count int nullable >", compare("maybe", .greater, .int(500_000))),
            ("count string ==", compare("owner", .equal, .string("owner107"))),
            ("count string BEGINSWITH", compare("owner", .beginsWith, .string("owner10"))),
            ("count string CONTAINS", compare("owner", .contains, .string("r10"))),
            (
                "count string ==[c]",
                .comparison(
                    Comparison(
                        .path(PropertyPath(names: ["owner"]), quantifier: nil), .equal, .constant(.string("OWNER107")),
                        options: .caseInsensitive))
            ),
            ("count double <", compare("score", .less, .double(1_000))),
            ("count date >", compare("date", .greater, .timestamp(Timestamp(seconds: 9_000_000)))),
            ("count bool and int", .and([compare("done", .equal, .bool(true)), compare("priority", .less, .int(10))])),
            ("count or", .or([compare("owner", .equal, .string("owner107")), compare("priority", .less, .int(10))]))
        ]
        for (name, condition) in conditions {
            try time(name) { _ = try snapshot.count(ClassQuery("Item", condition)) }
        }
        let all = ClassQuery("Item")
        try time("sum int (2 bytes)") { _ = try snapshot.aggregate(.sum, PropertyPath(names: ["priority"]), over: all) }
        try time("sum int (8 bytes)") { _ = try snapshot.aggregate(.sum, PropertyPath(names: ["wide"]), over: all) }
        try time("avg double") { _ = try snapshot.aggregate(.average, PropertyPath(names: ["score"]), over: all) }
        try time("max int") { _ = try snapshot.aggregate(.max, PropertyPath(names: ["wide"]), over: all) }
        let half = ClassQuery("Item", compare("priority", .greater, .int(500)))
        try time("sum int over half") { _ = try snapshot.aggregate(.sum, PropertyPath(names: ["wide"]), over: half) }
        try time("keys of half") { _ = try snapshot.objects(half) }
        for name in ["wide", "owner", "date"] {
            let sort = Descriptor.sort([SortKey(PropertyPath(names: [name]))])
            try time("sort by \(name)") { _ = try snapshot.objects(ClassQuery("Item", .constant(true), [sort])) }
        }
        try time("snapshot and count") { _ = try reader.snapshot().table(named: "Item")?.count }
        let table = try #require(snapshot.table(named: "Item"))
        let column = try #require(table.stored.column(named: "priority"))
        let picks = (0..<10_000).map { _ in Int(generator.next() % UInt64(rows)) }
        try time("10,000 reads by primary key") {
            for pick in picks {
                if let key = table.find(.objectId(ObjectId(high: UInt64(pick), low: UInt32(pick)))) {
                    _ = table.value(key, column)
                }
            }
        }
        try time("read by primary key, new snapshot") {
            let table = try reader.snapshot().table(named: "Item")
            if let key = table?.find(.objectId(ObjectId(high: 5, low: 5))) { _ = table?.value(key, column) }
        }
        try time("first scan of a new snapshot") {
            _ = try reader.snapshot().count(ClassQuery("Item", conditions[0].1))
        }
    }

    private static func sample(_ count: Int, _ generator: inout SeededGenerator) -> Sample {
        let schema = ClassSchema(
            "Item", primaryKey: "id",
            [
                PropertySchema("id", .objectId), PropertySchema("owner", .string), PropertySchema("priority", .int),
                PropertySchema("wide", .int), PropertySchema("score", .double), PropertySchema("date", .timestamp),
                PropertySchema("done", .bool), PropertySchema("maybe", .int, nullable: true)
            ])
        var rows: [[SampleValue]] = []
        for row in 0..<count {
            var cells: [SampleValue] = []
            cells.append(.value(.objectId(ObjectId(high: UInt64(row), low: UInt32(row)))))
            cells.append(.value(.string("owner\(100 + row % 16)")))
            cells.append(.value(.int(Int64(generator.next() % 1_000))))
            cells.append(.value(.int(Int64(bitPattern: generator.next()) >> 12)))
            cells.append(.value(.double(Double(row) / 3)))
            cells.append(.value(.timestamp(Timestamp(seconds: Int64(row) * 17))))
            cells.append(.value(.bool(row % 3 == 0)))
            cells.append(.value(row % 4 == 0 ? .null : .int(Int64(row))))
            rows.append(cells)
        }
        return Sample(classes: [SampleClass(schema: schema, rows: rows)])
    }

    private func time(_ name: String, _ body: () throws -> Void) throws {
        let clock = ContinuousClock()
        try body()
        let times = try (0..<9).map { _ in try clock.measure(body) }.sorted()
        print("\(name): median \(times[4]), best \(times[0])")
    }
}
