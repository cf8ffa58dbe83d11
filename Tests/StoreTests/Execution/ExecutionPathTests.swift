import Foundation
import Model
import Query
import Store
import Testing

/// Paths through links and lists, quantifiers, counts, aggregates and subqueries on a small family of objects.
@Suite struct ExecutionPathTests {
    static let sample = Sample(classes: [
        SampleClass(
            schema: ClassSchema(
                "Person", primaryKey: "id",
                [
                    PropertySchema("id", .int), PropertySchema("name", .string, nullable: true),
                    PropertySchema("n", .int), PropertySchema("d", .double, nullable: true),
                    PropertySchema("dog", .link, nullable: true, target: "Dog"),
                    PropertySchema("dogs", .link, collection: .list, target: "Dog"),
                    PropertySchema("ns", .int, nullable: true, collection: .list),
                    PropertySchema("tags", .string, collection: .list),
                    PropertySchema("friend", .link, nullable: true, target: "Person")
                ]),
            rows: [
                [
                    .value(.int(1)), .value(.string("Ann")), .value(.int(5)), .value(.double(1.5)), .link(0),
                    .links([0, 1]), .list([1, 2, 3, 4, 5].map { .int($0) }), .list([.string("x"), .string("yy")]),
                    .link(1)
                ],
                [
                    .value(.int(2)), .value(.null), .value(.int(0)), .value(.null), .link(nil),
                    .links([1, 1, 2, 0]), .list([.int(4), .null]), .list([]), .link(2)
                ],
                [
                    .value(.int(3)), .value(.string("ann")), .value(.int(10)), .value(.double(10)), .link(2),
                    .links([]), .list([]), .list([.string("yy")]), .link(nil)
                ],
                [
                    .value(.int(4)), .value(.string("Bob")), .value(.int(3)), .value(.double(.nan)), .link(3),
                    .links([3]), .list([.int(5)]), .list([.string("")]), .link(0)
                ]
            ]),
        SampleClass(
            schema: ClassSchema(
                "Dog",
                [
                    PropertySchema("age", .int, nullable: true), PropertySchema("name", .string),
                    PropertySchema("weight", .decimal), PropertySchema("ns", .int, collection: .list),
                    PropertySchema("owner", .link, nullable: true, target: "Person")
                ]),
            rows: [
                [
                    .value(.int(5)), .value(.string("Fido")), .value(.decimal(weight("1.5"))),
                    .list([.int(1), .int(4)]), .link(0)
                ],
                [.value(.int(3)), .value(.string("Rex")), .value(.decimal(weight("2.5"))), .list([.int(9)]), .link(1)],
                [.value(.null), .value(.string("Ace")), .value(.decimal(weight("4"))), .list([]), .link(nil)],
                [
                    .value(.int(3)), .value(.string("")), .value(.decimal(weight("-1"))), .list([.int(4), .int(4)]),
                    .link(3)
                ]
            ])
    ])

    static func weight(_ text: String) -> Decimal128 { Decimal128(text) ?? .zero }

    private let file: FixtureFile
    private let snapshot: Snapshot
    private let oracle = QueryOracle(sample: ExecutionPathTests.sample)

    init() throws {
        file = try FixtureFile(ExecutionPathTests.sample, FixtureFile.Layout(clusterRows: 2, listPiece: 2))
        snapshot = try FileReader(path: file.path).snapshot()
    }

    private func path(_ names: String, _ quantifier: Quantifier? = nil) -> Operand {
        .path(ExecutionPathTests.steps(names), quantifier: quantifier)
    }

    static func steps(_ names: String) -> PropertyPath {
        PropertyPath(names: names.split(separator: ".").map(String.init))
    }

    private func query(_ left: Operand, _ op: Comparison.Operator, _ right: Operand) -> ClassQuery {
        ClassQuery("Person", .comparison(Comparison(left, op, right)))
    }

    private func ids(_ query: ClassQuery) throws -> [Int] {
        try snapshot.objects(query).map { file.row($0) + 1 }
    }

    @Test func everyPathAgainstEveryConstant() throws {
        let constants: [String: [Value]] = [
            "dog.age": [.int(3), .int(5), .null], "friend.dog.age": [.int(5), .int(3), .null],
            "friend.friend.n": [.int(10), .int(0), .null], "dog.owner.name": [.string("Ann"), .null],
            "dog.name": [.string(""), .string("Fido"), .null],
            "dog.weight": [.decimal(ExecutionPathTests.weight("1.50")), .null],
            "dogs.age": [.int(3), .int(5)], "dogs.name": [.string("Rex"), .string("")],
            "dogs.weight": [.int(4), .double(2.5)], "ns": [.int(4), .int(1), .null],
            "tags": [.string("yy"), .string("")],
            "friend.ns": [.int(4), .null], "friend.dogs.name": [.string("Ace")], "dogs.owner.n": [.int(0)]
        ]
        for (names, values) in constants {
            let isMulti = names.contains("ns") || names.contains("dogs") || names == "tags"
            for op in ExecutionTypeTests.orderOperators {
                for value in values {
                    for quantifier: Quantifier? in isMulti ? [nil, .any, .all, Quantifier.none] : [nil] {
                        let query = query(path(names, quantifier), op, .constant(value))
                        try expectEqual(query, oracle, snapshot, file, names)
                        try expectEqual(ClassQuery("Person", .not(query.condition)), oracle, snapshot, file, names)
                    }
                }
            }
        }
    }

    @Test("Q-81: collections without quantifier compare in order")
    func orderedComparison() throws {
        #expect(try ids(query(path("ns"), .isIn, .list([.int(5)], quantifier: nil))) == [4])
        #expect(try ids(query(path("ns"), .equal, .list([], quantifier: nil))) == [3])
        #expect(try ids(query(path("ns"), .notEqual, .list([.int(4), .null], quantifier: nil))) == [1, 3, 4])
        #expect(try ids(query(path("tags"), .equal, .list([.string("x"), .string("yy")], quantifier: nil))) == [1])
    }

    @Test("Q-82: quantifiers on both sides")
    func quantifiersOnBothSides() throws {
        for left: Quantifier? in [nil, .any, .all, Quantifier.none] {
            for right: Quantifier? in [nil, .any, .all, Quantifier.none] {
                for list: [Value] in [[], [.int(4)], [.int(4), .int(5)], [.int(1), .int(2), .int(3), .int(4), .int(5)]]
                {
                    for op: Comparison.Operator in [.equal, .notEqual, .less, .greaterOrEqual] {
                        try expectEqual(
                            query(path("ns", left), op, .list(list, quantifier: right)), oracle, snapshot, file)
                    }
                }
            }
        }
    }

    @Test("Q-53: collections of values behind links are compared one by one")
    func groupedCollections() throws {
        #expect(try ids(query(path("dogs.ns", .all), .greater, .constant(.int(3)))) == [1, 2, 3, 4])
        #expect(try ids(query(path("dogs.ns", Quantifier.none), .equal, .constant(.int(4)))) == [1, 2, 3])
        #expect(try ids(query(path("dogs.ns", .all), .greater, .constant(.int(8)))) == [1, 2, 3])
        #expect(try ids(query(path("dogs.ns"), .equal, .constant(.int(9)))) == [1, 2])
    }

    @Test("Q-50: a null link gives one null, behind a collection nothing")
    func nullLinks() throws {
        #expect(try ids(query(path("dog.age"), .equal, .constant(.null))) == [2, 3])
        #expect(try ids(query(path("dog.age"), .notEqual, .constant(.int(3)))) == [1, 2, 3])
        #expect(try ids(query(path("dog"), .equal, .constant(.null))) == [2])
        #expect(try ids(query(path("dog"), .notEqual, .constant(.null))) == [1, 3, 4])
        #expect(try ids(query(path("friend.ns"), .equal, .constant(.null))) == [1])
        #expect(try ids(query(.count(ExecutionPathTests.steps("friend.ns")), .equal, .constant(.int(0)))) == [2, 3])
    }

    @Test func linksToObjects() throws {
        let fido = Value.link(Link(className: "Dog", key: .global(high: 0, low: 0)))
        let nobody = Value.link(Link(className: "Dog", key: .global(high: 0, low: 77)))
        #expect(try ids(query(path("dog"), .equal, .constant(fido))) == [1])
        #expect(try ids(query(path("dog"), .notEqual, .constant(fido))) == [2, 3, 4])
        #expect(try ids(query(path("dogs"), .equal, .constant(fido))) == [1, 2])
        #expect(try ids(query(path("dog"), .isIn, .list([fido], quantifier: nil))) == [1])
        // an object that doesn't exist.
        #expect(try ids(query(path("dog"), .equal, .constant(nobody))) == [])
        #expect(try ids(query(path("dog"), .notEqual, .constant(nobody))) == [1, 3, 4])
        let ann = Value.link(Link(className: "Person", key: .int(1)))
        #expect(try ids(query(path("dog.owner"), .equal, .constant(ann))) == [1])
        #expect(try ids(query(path("friend"), .equal, .constant(ann))) == [4])
    }

    @Test("Q-92: counts")
    func counts() throws {
        func counted(_ names: String, _ value: Int64) throws -> [Int] {
            try ids(query(.count(ExecutionPathTests.steps(names)), .equal, .constant(.int(value))))
        }
        #expect(try counted("dogs", 4) == [2])
        #expect(try counted("dogs", 0) == [3])
        #expect(try counted("ns", 2) == [2])
        #expect(try counted("dog", 0) == [2])
        #expect(try counted("name", 3) == [1, 3, 4])
        #expect(try counted("dogs.ns", 1) == [1, 2])
        #expect(try counted("friend.dogs", 0) == [2, 3])
    }

    @Test("Q-94, Q-95: aggregates over collections")
    func aggregates() throws {
        func aggregate(_ names: String, _ function: AggregateFunction, _ property: String?, _ value: Value) throws
            -> [Int]
        {
            try ids(
                query(
                    .aggregate(ExecutionPathTests.steps(names), function, property: property), .equal, .constant(value))
            )
        }
        #expect(try aggregate("ns", .sum, nil, .int(15)) == [1])
        #expect(try aggregate("ns", .sum, nil, .int(0)) == [3])
        #expect(try aggregate("ns", .average, nil, .double(4)) == [2])
        #expect(try aggregate("ns", .max, nil, .null) == [3])
        #expect(try aggregate("dogs", .sum, "age", .int(11)) == [2])
        #expect(try aggregate("dogs", .min, "age", .int(3)) == [1, 2, 4])
        #expect(try aggregate("dogs", .max, "weight", .decimal(ExecutionPathTests.weight("4.0"))) == [2])
        #expect(try aggregate("dog", .sum, "age", .int(0)) == [2, 3])
        #expect(try aggregate("dogs", .average, "age", .null) == [3])
    }

    @Test("Q-109: SUBQUERY")
    func subqueries() throws {
        let old = Condition.comparison(
            Comparison(.path(PropertyPath(names: ["age"]), quantifier: nil), .greater, .constant(.int(3))))
        let count = Operand.subqueryCount(ExecutionPathTests.steps("dogs"), variable: "$d", old)
        #expect(try ids(query(count, .greater, .constant(.int(0)))) == [1, 2])
        #expect(try ids(query(count, .equal, .constant(.int(0)))) == [3, 4])
    }

    @Test("Q-105, Q-107: backlinks")
    func backlinks() throws {
        let owners = PropertyPath([.backlinks(className: "Person", property: "dogs")])
        let many = ClassQuery("Dog", .comparison(Comparison(.count(owners), .greater, .constant(.int(2)))))
        #expect(try snapshot.objects(many).map { file.row($0) } == [1])
        let names = PropertyPath([.backlinks(className: "Person", property: "dog"), .name("name")])
        let bobs = ClassQuery(
            "Dog", .comparison(Comparison(.path(names, quantifier: nil), .equal, .constant(.string("Bob")))))
        #expect(try snapshot.objects(bobs).map { file.row($0) } == [3])
        let all = ClassQuery(
            "Dog",
            .comparison(Comparison(.path(PropertyPath([.allBacklinks]), quantifier: nil), .equal, .constant(.int(2)))))
        #expect(try snapshot.objects(all).map { file.row($0) } == [2, 3])
    }

    @Test("Q-48: elements of lists")
    func elements() throws {
        func element(_ step: PropertyPath.Step, _ op: Comparison.Operator, _ value: Value) throws -> [Int] {
            try ids(query(.path(PropertyPath([.name("ns"), step]), quantifier: nil), op, .constant(value)))
        }
        #expect(try element(.first, .equal, .int(4)) == [2])
        #expect(try element(.last, .equal, .int(5)) == [1, 4])
        #expect(try element(.index(1), .equal, .null) == [2])
        #expect(try element(.index(7), .notEqual, .int(0)) == [])
        let first = PropertyPath([.name("dogs"), .index(0), .name("age")])
        #expect(try ids(query(.path(first, quantifier: nil), .equal, .constant(.int(3)))) == [2, 4])
    }

    @Test("Q-101 … Q-104: arithmetic")
    func arithmetic() throws {
        func sum(_ a: Operand, _ op: ArithmeticOperator, _ b: Operand) -> Operand { .arithmetic(a, op, b) }
        #expect(try ids(query(sum(path("n"), .add, .constant(.int(1))), .equal, .constant(.int(6)))) == [1])
        #expect(
            try ids(query(sum(path("n"), .divide, .constant(.int(0))), .equal, .constant(.int(.max)))) == [1, 2, 3, 4])
        #expect(try ids(query(sum(path("n"), .multiply, path("d")), .equal, .constant(.double(100)))) == [3])
        #expect(try ids(query(sum(path("d"), .add, .constant(.int(1))), .equal, .constant(.null))) == [2])
        #expect(
            try ids(query(sum(path("ns", .all), .multiply, .constant(.int(2))), .greater, .constant(.int(4)))) == [3, 4]
        )
    }

    @Test func propertiesAgainstProperties() throws {
        #expect(try ids(query(path("n"), .equal, path("d"))) == [3])
        #expect(try ids(query(path("n"), .greater, path("dog.age"))) == [])
        #expect(try ids(query(path("dog.age"), .equal, path("n"))) == [1, 4])
        #expect(try ids(query(path("n"), .isIn, path("ns"))) == [1])
    }

    @Test("Q-125: a null link sorts last, a null value first")
    func sortingThroughLinks() throws {
        for ascending in [true, false] {
            for keys in [["dog.age"], ["dog.owner.n"], ["friend.n", "n"], ["dog"], ["name", "n"], ["dog.weight"]] {
                let sort = Descriptor.sort(keys.map { SortKey(ExecutionPathTests.steps($0), ascending: ascending) })
                try expectEqual(ClassQuery("Person", .constant(true), [sort]), oracle, snapshot, file, "\(keys)")
                try expectEqual(
                    ClassQuery("Person", .constant(true), [.distinct(keys.map { ExecutionPathTests.steps($0) })]),
                    oracle,
                    snapshot, file, "\(keys)")
            }
        }
        #expect(
            try ids(ClassQuery("Person", .constant(true), [.sort([SortKey(ExecutionPathTests.steps("dog.age"))])]))
                == [3, 4, 1, 2])
    }

    @Test func aggregatesOverObjects() throws {
        func aggregate(_ function: AggregateFunction, _ name: String, _ condition: Condition = .constant(true)) throws
            -> Value
        {
            try snapshot.aggregate(function, PropertyPath(names: [name]), over: ClassQuery("Person", condition))
        }
        #expect(try aggregate(.sum, "n") == .int(18))
        #expect(try aggregate(.average, "n") == .double(4.5))
        #expect(try aggregate(.min, "n") == .int(0))
        #expect(try aggregate(.max, "d") == .double(10))
        #expect(try aggregate(.sum, "n", .constant(false)) == .int(0))
        #expect(try aggregate(.average, "n", .constant(false)) == .null)
        let some = try snapshot.aggregate(
            .sum, PropertyPath(names: ["n"]), className: "Person", keys: [file.key(0), file.key(2), file.key(2)])
        #expect(some == .int(25))
        let limited = ClassQuery("Person", .constant(true), [.limit(2)])
        #expect(try snapshot.aggregate(.sum, PropertyPath(names: ["n"]), over: limited) == .int(5))
        #expect(
            try snapshot.aggregate(.sum, PropertyPath(names: ["weight"]), over: ClassQuery("Dog"))
                == .decimal(ExecutionPathTests.weight("7.0")))
    }

    @Test func amongGivenObjects() throws {
        let query = query(path("n"), .greater, .constant(.int(2)))
        let keys = [3, 1, 0, 3].map { file.key($0) }
        #expect(try snapshot.objects(query, among: keys) == [3, 0, 3].map { file.key($0) })
    }

    @Test func primaryKeysAreLookedUp() throws {
        let one = query(path("id"), .equal, .constant(.int(3)))
        #expect(try snapshot.plan(one).access == "primary key id")
        #expect(try ids(one) == [3])
        #expect(try ids(query(path("id"), .isIn, .list([.int(4), .int(1), .int(9)], quantifier: nil))) == [1, 4])
        let both = ClassQuery(
            "Person", .and([one.condition, .comparison(Comparison(path("n"), .less, .constant(.int(5))))]))
        #expect(try ids(both) == [])
    }

    @Test func refusesWhatItCannotCompare() throws {
        func refusal(_ condition: Condition) -> String? {
            do {
                _ = try snapshot.objects(ClassQuery("Person", condition))
                return nil
            } catch {
                return (error as? StoreError)?.code.rawValue ?? (error as? QueryError)?.kind.name
            }
        }
        #expect(throws: StoreError.self) { try snapshot.objects(ClassQuery("Cat")) }
        #expect(refusal(query(path("nope"), .equal, .constant(.int(1))).condition) == "InvalidQuery")
        #expect(refusal(query(path("dog.nope"), .equal, .constant(.int(1))).condition) == "InvalidQuery")
        #expect(refusal(query(path("n"), .equal, .constant(.string("x"))).condition) == "InvalidQuery")
        #expect(refusal(query(path("n"), .equal, .constant(.double(.infinity))).condition) == "InvalidQuery")
        #expect(refusal(query(path("n"), .equal, path("name")).condition) == "InvalidQuery")
        #expect(refusal(query(path("dog"), .less, .constant(.null)).condition) == "InvalidQuery")
        #expect(refusal(query(path("name"), .fullText, .constant(.string("x"))).condition) != nil)
        #expect(throws: (any Error).self) {
            try snapshot.objects(
                ClassQuery("Person", .constant(true), [.sort([SortKey(ExecutionPathTests.steps("dogs.age"))])]))
        }
    }
}
