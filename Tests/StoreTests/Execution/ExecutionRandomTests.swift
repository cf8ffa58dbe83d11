import Foundation
import Model
import Query
import Store
import TestSupport
import Testing

/// Random tables and random queries against the oracle. Repeat a failure with `REEVE_SEED`.
@Suite struct ExecutionRandomTests {
    @Test func randomQueriesAgreeWithTheOracle() throws {
        var generator = SeededGenerator(seed: randomSeed)
        for round in 0..<(12 * soakFactor) {
            let sample = RandomSample.make(&generator)
            let oracle = QueryOracle(sample: sample)
            let layout = FixtureFile.Layout(
                clusterRows: Int.random(in: 1...40, using: &generator),
                listPiece: Int.random(in: 1...4, using: &generator), gapEvery: Int.random(in: 0...6, using: &generator))
            let file = try FixtureFile(sample, layout)
            let snapshot = try FileReader(path: file.path).snapshot()
            for _ in 0..<60 {
                let query = RandomSample.query(sample, &generator)
                try expectEqual(query, oracle, snapshot, file, "seed \(randomSeed), round \(round)")
            }
            #expect(snapshot.damage.isEmpty, "seed \(randomSeed), round \(round)")
        }
    }

    @Test func randomSubsetsAndAggregates() throws {
        var generator = SeededGenerator(seed: randomSeed ^ 1)
        for round in 0..<(10 * soakFactor) {
            let sample = RandomSample.make(&generator)
            let oracle = QueryOracle(sample: sample)
            let file = try FixtureFile(sample, FixtureFile.Layout(clusterRows: 9))
            let snapshot = try FileReader(path: file.path).snapshot()
            for _ in 0..<20 {
                var query = RandomSample.query(sample, &generator)
                query.descriptors = []
                let expected = oracle.rows(try query.checked(in: sample.schema))
                let some = sample["A"].rows.indices.filter { _ in Bool.random(using: &generator) }.shuffled(
                    using: &generator)
                let note = "\(query), seed \(randomSeed), round \(round)"
                #expect(
                    try snapshot.objects(query, among: some.map { file.key($0) })
                        == some.filter { expected.contains($0) }.map { file.key($0) }, "\(note)")
                let column = sample["A"].column("int")
                let ints: [Int64] = expected.compactMap { row in
                    if case .value(.int(let value)) = sample["A"].rows[row][column] { value } else { nil }
                }
                let path = PropertyPath(names: ["int"])
                #expect(
                    try snapshot.aggregate(.sum, path, over: query) == .int(ints.reduce(0, &+)), "\(note)")
                #expect(
                    try snapshot.aggregate(.max, path, over: query) == (ints.max().map { .int($0) } ?? .null), "\(note)"
                )
                #expect(
                    try snapshot.aggregate(.min, path, over: query) == (ints.min().map { .int($0) } ?? .null), "\(note)"
                )
                #expect(
                    try snapshot.aggregate(.sum, path, className: "A", keys: expected.map { file.key($0) })
                        == .int(ints.reduce(0, &+)), "\(note)")
            }
        }
    }

    @Test("a scan that two threads share finds the same")
    func sharedScan() throws {
        let rows: [[SampleValue]] = (0..<(QueryScanLimits.shared + 1_234)).map { row in
            [.value(.int(Int64(row * 7 % 1_000))), .value(.double(Double(row)))]
        }
        let sample = Sample(classes: [
            SampleClass(
                schema: ClassSchema("A", [PropertySchema("int", .int), PropertySchema("double", .double)]), rows: rows)
        ])
        let file = try FixtureFile(sample, FixtureFile.Layout(clusterRows: 1_000))
        let snapshot = try FileReader(path: file.path).snapshot()
        let condition = Condition.comparison(
            Comparison(.path(PropertyPath(names: ["int"]), quantifier: nil), .less, .constant(.int(10))))
        let expected = rows.indices.filter { $0 * 7 % 1_000 < 10 }
        let query = ClassQuery("A", condition)
        #expect(try snapshot.objects(query).map { file.row($0) } == expected)
        #expect(try snapshot.count(query) == expected.count)
        #expect(
            try snapshot.aggregate(.sum, PropertyPath(names: ["double"]), over: query)
                == .double(Double(expected.reduce(0, +))))
    }
}

enum QueryScanLimits {
    /// Rows from which on a scan is shared.
    static let shared = 200_000
}

/// Makes random samples of two classes that link to each other, and queries on them.
enum RandomSample {
    typealias Generator = SeededGenerator

    static let schemaA = ClassSchema(
        "A", primaryKey: "id",
        [
            PropertySchema("id", .int), PropertySchema("int", .int, nullable: true, indexed: true),
            PropertySchema("small", .int), PropertySchema("text", .string, nullable: true, indexed: true),
            PropertySchema("double", .double, nullable: true), PropertySchema("flag", .bool),
            PropertySchema("date", .timestamp, nullable: true), PropertySchema("b", .link, nullable: true, target: "B"),
            PropertySchema("bs", .link, collection: .list, target: "B"),
            PropertySchema("ints", .int, nullable: true, collection: .list)
        ])
    static let schemaB = ClassSchema(
        "B",
        [
            PropertySchema("int", .int), PropertySchema("text", .string),
            PropertySchema("a", .link, nullable: true, target: "A"),
            PropertySchema("decimal", .decimal, nullable: true)
        ])

    static func make(_ generator: inout Generator) -> Sample {
        let countA = Int.random(in: 0...90, using: &generator)
        let countB = Int.random(in: 0...30, using: &generator)
        var classes: [SampleClass] = []
        for (schema, count) in [(schemaA, countA), (schemaB, countB)] {
            var rows: [[SampleValue]] = []
            for row in 0..<count {
                rows.append(
                    schema.properties.map { property in
                        if property.name == "id" { return .value(.int(Int64(row * 3))) }
                        return cell(property, property.target == "A" ? countA : countB, &generator)
                    })
            }
            classes.append(SampleClass(schema: schema, rows: rows))
        }
        return Sample(classes: classes)
    }

    private static func cell(_ property: PropertySchema, _ targets: Int, _ generator: inout Generator) -> SampleValue {
        let length = Int.random(in: 0...5, using: &generator)
        switch (property.collection, property.type) {
        case (.list, .link):
            return .links(targets == 0 ? [] : (0..<length).map { _ in Int.random(in: 0..<targets, using: &generator) })
        case (.list, _): return .list((0..<length).map { _ in value(property, &generator) })
        case (_, .link):
            return .link(targets == 0 || length == 0 ? nil : Int.random(in: 0..<targets, using: &generator))
        default: return .value(value(property, &generator))
        }
    }

    static func value(_ property: PropertySchema, _ generator: inout Generator) -> Value {
        if property.isNullable, Int.random(in: 0..<5, using: &generator) == 0 { return .null }
        let number = Int64.random(in: -6...6, using: &generator)
        switch property.type {
        case .int: return .int(property.name == "int" && number == 6 ? 1 << 40 : number)
        case .string:
            let texts = ["", "a", "ab", "Ab", "abc", "b", "éa", "Éa", "a*", String(repeating: "ab", count: 300)]
            return .string(texts[Int(number + 6) % texts.count])
        case .double: return .double(number == 5 ? .nan : Double(number) / 2)
        case .bool: return .bool(number > 0)
        case .timestamp: return .timestamp(Timestamp(seconds: number, nanoseconds: number > 3 ? 5 : 0))
        case .decimal: return .decimal(Decimal128("\(number).50") ?? .zero)
        default: return .null
        }
    }

    // MARK: Queries

    static func query(_ sample: Sample, _ generator: inout Generator) -> ClassQuery {
        var descriptors: [Descriptor] = []
        let sortable = [
            "int", "small", "text", "double", "flag", "date", "b", "b.int", "b.text", "b.a.int", "b.decimal"
        ]
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            let names = (0..<Int.random(in: 1...2, using: &generator)).map { _ in
                PropertyPath(
                    names: (sortable.randomElement(using: &generator) ?? "int").split(separator: ".").map(String.init))
            }
            switch Int.random(in: 0..<4, using: &generator) {
            case 3: descriptors.append(.filter(condition(depth: 1, &generator)))
            case 0: descriptors.append(.limit(Int.random(in: 0...30, using: &generator)))
            case 1: descriptors.append(.distinct(names))
            default:
                descriptors.append(.sort(names.map { SortKey($0, ascending: Bool.random(using: &generator)) }))
            }
        }
        return ClassQuery("A", condition(depth: 3, &generator), descriptors)
    }

    private static func condition(depth: Int, _ generator: inout Generator) -> Condition {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &generator) {
        case 5: return .not(condition(depth: depth - 1, &generator))
        case 6:
            return .and(
                (0..<Int.random(in: 0...3, using: &generator)).map { _ in condition(depth: depth - 1, &generator) })
        case 7:
            return .or(
                (0..<Int.random(in: 0...3, using: &generator)).map { _ in condition(depth: depth - 1, &generator) })
        default: return .comparison(comparison(&generator))
        }
    }

    private static func comparison(_ generator: inout Generator) -> Comparison {
        let paths = [
            "id", "int", "small", "text", "double", "flag", "date", "b", "b.int", "b.text", "b.a.int", "b.a.b.text",
            "b.decimal", "bs.int", "bs.text", "bs.a.int", "ints", "b.a.ints"
        ]
        let name = paths.randomElement(using: &generator) ?? "int"
        let names = name.split(separator: ".").map(String.init)
        let property = end(names)
        let isMulti = name.contains("bs") || property.collection == .list
        let quantifiers: [Quantifier?] = isMulti ? [nil, .any, .all, Quantifier.none] : [nil]
        let path = Operand.path(
            PropertyPath(names: names), quantifier: quantifiers.randomElement(using: &generator) ?? nil)
        if property.type == .link {
            return Comparison(path, Bool.random(using: &generator) ? .equal : .notEqual, .constant(.null))
        }
        if isMulti, Int.random(in: 0..<4, using: &generator) == 0, name != "b.a.ints" {
            let count = Operand.count(PropertyPath(names: [names[0]]))
            return Comparison(count, order(&generator), .constant(.int(Int64.random(in: 0...4, using: &generator))))
        }
        switch Int.random(in: 0..<6, using: &generator) {
        case 0:
            let values = (0..<Int.random(in: 0...7, using: &generator)).map { _ in value(property, &generator) }
            let quantifier: Quantifier? = [nil, .any, .all, Quantifier.none].randomElement(using: &generator) ?? nil
            return Comparison(path, .isIn, .list(values, quantifier: quantifier))
        case 1 where property.type != .bool && property.collection == .single:
            return Comparison(
                path, .between, .list([value(property, &generator), value(property, &generator)], quantifier: nil))
        case 2 where property.type == .string:
            let op = ExecutionTypeTests.textOperators.randomElement(using: &generator) ?? .contains
            return Comparison(
                path, op, .constant(value(property, &generator)),
                options: Bool.random(using: &generator) ? .caseInsensitive : [])
        case 3 where property.type == .int && !isMulti:
            return Comparison(path, order(&generator), .path(PropertyPath(names: ["small"]), quantifier: nil))
        default: return Comparison(path, order(&generator), .constant(value(property, &generator)))
        }
    }

    private static func order(_ generator: inout Generator) -> Comparison.Operator {
        ExecutionTypeTests.orderOperators.randomElement(using: &generator) ?? .equal
    }

    private static func end(_ names: [String]) -> PropertySchema {
        var schema = schemaA
        var property = schemaA.properties[0]
        for name in names {
            property = schema.property(name) ?? property
            if let target = property.target { schema = target == "A" ? schemaA : schemaB }
        }
        return property
    }
}
