import Foundation
import Model
import Query
import Store
import Testing

/// Every type against every operator, null among values and constants, compared with the oracle.
@Suite struct ExecutionTypeTests {
    static let textOperators: [Comparison.Operator] = [.beginsWith, .endsWith, .contains, .like]
    static let orderOperators: [Comparison.Operator] = [
        .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual
    ]

    struct Case: CustomTestStringConvertible, Sendable {
        var type: ValueType
        var values: [Value]
        var constants: [Value] = []
        var operators = ExecutionTypeTests.orderOperators

        var testDescription: String { "\(type)" }
    }

    static let cases: [Case] = [
        Case(
            type: .int, values: ints,
            constants: [
                .double(1.5), .double(-0.5), .double(.nan), .float(2.5), .double(1e300), .double(0x1p63),
                .double(-0x1p63), .int(77),
                .decimal(decimal("1.5")), .decimal(decimal("1"))
            ]),
        Case(type: .bool, values: [.bool(true), .bool(false)]),
        Case(
            type: .float, values: [-1.5, -0.0, 0.0, 1.1, 2, .nan, .infinity, -.infinity].map { .float($0) },
            constants: [.double(1.1), .int(2), .int(.max), .decimal(decimal("1.1"))]),
        Case(
            type: .double, values: [-1.5, -0.0, 0.0, 1.1, 2, .nan, .infinity, 0x1p63, 0x1p53].map { .double($0) },
            constants: [.float(1.1), .int(2), .int(.max), .int(1 << 53 + 1), .decimal(decimal("1.1"))]),
        Case(
            type: .decimal, values: ["1.1", "1.10", "-3", "0", "1E+3", "NaN"].map { .decimal(decimal($0)) },
            constants: [.int(-3), .double(1.1), .float(1.1), .int(1_000)]),
        Case(type: .timestamp, values: timestamps),
        Case(
            type: .objectId,
            values: [(0, 0), (0, 1), (1, 0), (.max, .max), (5, 5)].map { .objectId(ObjectId(high: $0.0, low: $0.1)) }),
        Case(type: .uuid, values: [0, 1, 255].map { .uuid(uuid($0)) }),
        Case(type: .string, values: strings, operators: orderOperators + textOperators),
        Case(type: .binary, values: binaries, operators: orderOperators + textOperators)
    ]

    static let ints: [Value] = [
        0, 1, -1, 2, 127, 128, -128, -129, 32_767, 32_768, -32_768, 2_147_483_647, 2_147_483_648, -2_147_483_649,
        .max, .min
    ].map { .int($0) }

    static let timestamps: [Value] = [
        (0, 0), (1, 0), (-1, 0), (1, 5), (1, 6), (-1, -5), (0, -1), (0, 1), (Int64.max, 999_999_999), (Int64.min, 0)
    ].map { .timestamp(Timestamp(seconds: $0.0, nanoseconds: $0.1)) }

    static let strings: [Value] = [
        "", "a", "ab", "abc", "abcdefgh", "abcdefgi", "abcdefghi", "ABC", "Äb", "äb", "b", "a*", "z?c", "ac\0d", "\0",
        String(repeating: "long", count: 200), String(repeating: "x", count: 512), String(repeating: "x", count: 513),
        "×", "÷", "日本"
    ].map { .string($0) }

    static let binaries: [Value] = [[], [0], [1, 2], [255], [97, 98], Array(repeating: 7, count: 600)]
        .map { .binary(Data($0 as [UInt8])) }

    static func decimal(_ text: String) -> Decimal128 { Decimal128(text) ?? .zero }

    static func uuid(_ last: UInt8) -> UUID { UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, last)) }

    @Test(arguments: cases, [true, false])
    func comparesWithConstants(_ test: Case, nullable: Bool) throws {
        let values = test.values + (nullable ? [.null] : []) + test.values.prefix(3)
        let sample = Sample(classes: [
            SampleClass(
                schema: ClassSchema("Thing", [PropertySchema("value", test.type, nullable: nullable)]),
                rows: values.map { [.value($0)] })
        ])
        let oracle = QueryOracle(sample: sample)
        for clusterRows in [3, 64] {
            let file = try FixtureFile(sample, FixtureFile.Layout(clusterRows: clusterRows))
            let snapshot = try FileReader(path: file.path).snapshot()
            let path = Operand.path(PropertyPath(names: ["value"]), quantifier: nil)
            for op in test.operators {
                for constant in test.values + test.constants + [.null] {
                    for options in ExecutionTypeTests.options(op, test.type) {
                        let query = ClassQuery(
                            "Thing", .comparison(Comparison(path, op, .constant(constant), options: options)))
                        try expectEqual(query, oracle, snapshot, file)
                        try expectEqual(
                            ClassQuery("Thing", .not(query.condition)), oracle, snapshot, file)
                    }
                    if !ExecutionTypeTests.textOperators.contains(op) {
                        try expectEqual(
                            ClassQuery("Thing", .comparison(Comparison(.constant(constant), op, path))), oracle,
                            snapshot, file)
                    }
                }
            }
            #expect(snapshot.damage.isEmpty)
        }
    }

    static func options(_ op: Comparison.Operator, _ type: ValueType) -> [Comparison.Options] {
        let takesOptions = (textOperators + [.equal, .notEqual]).contains(op)
        return type == .string && takesOptions ? [[], .caseInsensitive] : [[]]
    }

    @Test(arguments: cases)
    func comparesWithLists(_ test: Case) throws {
        let sample = Sample(classes: [
            SampleClass(
                schema: ClassSchema("Thing", [PropertySchema("value", test.type, nullable: true)]),
                rows: (test.values + [.null]).map { [.value($0)] })
        ])
        let oracle = QueryOracle(sample: sample)
        let file = try FixtureFile(sample)
        let snapshot = try FileReader(path: file.path).snapshot()
        let path = Operand.path(PropertyPath(names: ["value"]), quantifier: nil)
        let lists: [[Value]] = [
            [], [.null], Array(test.values.prefix(2)), test.values, test.values.prefix(2) + [.null]
        ]
        for list in lists {
            for quantifier: Quantifier? in [nil, .any, .all, Quantifier.none] {
                for op: Comparison.Operator in [.equal, .notEqual, .isIn, .less, .greaterOrEqual] {
                    let right = Operand.list(list, quantifier: quantifier)
                    try expectEqual(
                        ClassQuery("Thing", .comparison(Comparison(path, op, right))), oracle, snapshot, file)
                }
            }
        }
        for low in test.values.prefix(6) + [.null] {
            for high in test.values.prefix(6) + [.null] {
                let right = Operand.list([low, high], quantifier: nil)
                try expectEqual(
                    ClassQuery("Thing", .comparison(Comparison(path, .between, right))), oracle, snapshot, file)
            }
        }
    }

    @Test(arguments: cases)
    func sortsAndKeepsDistinct(_ test: Case) throws {
        let values = test.values + [.null] + test.values.reversed() + [.null]
        let sample = Sample(classes: [
            SampleClass(
                schema: ClassSchema("Thing", [PropertySchema("value", test.type, nullable: true)]),
                rows: values.map { [.value($0)] })
        ])
        let oracle = QueryOracle(sample: sample)
        let file = try FixtureFile(sample)
        let snapshot = try FileReader(path: file.path).snapshot()
        let path = PropertyPath(names: ["value"])
        for ascending in [true, false] {
            let sort = Descriptor.sort([SortKey(path, ascending: ascending)])
            try expectEqual(ClassQuery("Thing", .constant(true), [sort]), oracle, snapshot, file)
            try expectEqual(
                ClassQuery("Thing", .constant(true), [sort, .distinct([path]), .limit(4)]), oracle, snapshot, file)
            try expectEqual(
                ClassQuery("Thing", .constant(true), [.limit(5), sort]), oracle, snapshot, file)
        }
        try expectEqual(ClassQuery("Thing", .constant(true), [.distinct([path])]), oracle, snapshot, file)
    }

    @Test(arguments: cases)
    func indexesFindTheSame(_ test: Case) throws {
        let sample = Sample(classes: [
            SampleClass(
                schema: ClassSchema("Thing", [PropertySchema("value", test.type, nullable: true, indexed: true)]),
                rows: (test.values + [.null] + test.values).map { [.value($0)] })
        ])
        let oracle = QueryOracle(sample: sample)
        let file = try FixtureFile(sample)
        let snapshot = try FileReader(path: file.path).snapshot()
        let path = Operand.path(PropertyPath(names: ["value"]), quantifier: nil)
        for op in ExecutionTypeTests.orderOperators {
            for constant in test.values + test.constants + [.null] {
                try expectEqual(
                    ClassQuery("Thing", .comparison(Comparison(path, op, .constant(constant)))), oracle, snapshot,
                    file)
            }
        }
        let all = ClassQuery("Thing", .comparison(Comparison(path, .isIn, .list(test.values, quantifier: nil))))
        try expectEqual(all, oracle, snapshot, file)
        let first = ClassQuery("Thing", .comparison(Comparison(path, .equal, .constant(test.values[0]))))
        let isIndexable = test.type != .decimal && test.type != .binary
        #expect(try snapshot.plan(first).access.contains("index value") == isIndexable)
    }
}

/// Expects that the store selects what the oracle does, in the same order, and counts the same.
func expectEqual(
    _ query: ClassQuery, _ oracle: QueryOracle, _ snapshot: Snapshot, _ file: FixtureFile, _ note: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    // The oracle knows nothing of types: constants are converted as the language says before.
    let expected = oracle.rows(try query.checked(in: oracle.sample.schema))
    let found = try snapshot.objects(query).map { file.row($0) }
    if found != expected {
        Issue.record(
            "\(query): found \(found), expected \(expected); \(try snapshot.plan(query)) \(note)",
            sourceLocation: sourceLocation)
    }
    #expect(try snapshot.count(query) == expected.count, "\(query) \(note)", sourceLocation: sourceLocation)
}
