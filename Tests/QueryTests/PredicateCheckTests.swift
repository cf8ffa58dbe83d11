import Foundation
import Model
import Query
import Testing

/// The examples of Q-169, as far as they don't depend on data.
struct PredicateCheckTests {
    private static let schema = RealmSchema([
        ClassSchema(
            "Dog", primaryKey: "_id",
            [
                PropertySchema("_id", .string), PropertySchema("age", .int),
                PropertySchema("s", .string, nullable: true)
            ]),
        ClassSchema(
            "P", primaryKey: "_id",
            [
                PropertySchema("_id", .int), PropertySchema("n", .int), PropertySchema("on", .int, nullable: true),
                PropertySchema("s", .string, nullable: true), PropertySchema("d", .double),
                PropertySchema("f", .float), PropertySchema("dec", .decimal, nullable: true),
                PropertySchema("b", .bool, nullable: true), PropertySchema("t", .timestamp, nullable: true),
                PropertySchema("dog", .link, nullable: true, target: "Dog"),
                PropertySchema("dogs", .link, collection: .list, target: "Dog"),
                PropertySchema("l", .int, collection: .list),
                PropertySchema("dii", .int, collection: .dictionary), PropertySchema("m", .mixed, nullable: true)
            ])
    ])

    private static let aliases = PathAliases(
        steps: ["Dog": ["owners": .backlinks(className: "P", property: "dog")]])

    private static let arguments: [String: [QueryArgument]] = [
        "dog == %@": [.value(.link(Link(className: "Dog", key: .string("fido"))))],
        "SELF == %@": [.value(.link(Link(className: "P", key: .int(1))))]
    ]

    private func check(_ format: String, on className: String = "P") throws(QueryError) -> Condition {
        try PredicateFormat.parse(format, Self.arguments[format] ?? [])
            .checkedAsPredicate(for: className, in: Self.schema, aliases: Self.aliases)
    }

    @Test(arguments: [
        "n > 4 AND s != NIL", "ANY dogs.age > 3", "NONE dogs.age > 3", "n == 010", "b == 1", "b == YES", "n == TRUE",
        "s CONTAINS ''", "s CONTAINS NULL", "s ==[c] 'abc'", "5 < n", "n IN {5, 10}", "n IN {}", "NOT n IN {5}",
        "1 IN l",
        "n BETWEEN {0, 5}", "ANY dogs.age BETWEEN {4,4}", "ANY l BETWEEN {1, 2}", "dogs.@count == 2",
        "dogs.@max.age == 5", "dogs.@min.age == NULL", "ANY dii.@allKeys == 'a'", "dii['a'] == 1", "m['list'][0] == 7",
        "m[#any] == 1", "SUBQUERY(dogs, $d, $d.age > 3).@count > 0", "dog == %@", "dog == NIL", "TRUEPREDICATE",
        "f == 1.1", "dec == '1.10'", "on == NULL", "SELF == %@", "d > 5", "l.@avg > 1.5", "s BEGINSWITH[cd] 'é'"
    ])
    func `accepted (Q-169)`(format: String) throws {
        let checked = try check(format)
        let printed = try RQL.print(checked)
        let parsed = try RQL.parse(printed.text, arguments: printed.arguments, extensions: .predicateFormat)
        // The agent reads what the client prints, and finds the same.
        #expect(try parsed.condition.checked(for: "P", in: Self.schema) == checked, "\(printed.text)")
    }

    @Test(arguments: [
        ("dogs.age > 3", QueryError.Kind.invalidPredicate), ("ANY n == 5", .invalidPredicate),
        ("n == d", .invalidPredicate), ("n == 5.5", .invalidValue), ("n == NULL", .invalidValue),
        ("n IN {5, 'a'}", .invalidValue), ("s BETWEEN {'a','b'}", .invalidOperator),
        ("dogs.@sum.age == NULL", .invalidValue), ("b == 2", .invalidValue), ("b > NO", .invalidOperator),
        ("nope == 1", .invalidPredicate), ("n == 'x'", .invalidValue), ("s == 5", .invalidValue),
        ("n BEGINSWITH 'x'", .invalidOperator), ("dog > NIL", .invalidOperator), ("f == 1e60", .invalidValue),
        ("dogs.@max.age == 'x'", .invalidValue), ("l.@count == s", .invalidPredicate),
        ("n == dogs.age", .invalidPredicate),
        ("SUBQUERY(dogs, $d, $d.age == 'x').@count > 0", .invalidValue), ("dog.age.x == 1", .invalidPredicate)
    ])
    func `refused with the kind of Q-167`(format: String, kind: QueryError.Kind) {
        do throws(QueryError) {
            _ = try check(format)
            Issue.record("accepted")
        } catch {
            #expect(error.kind == kind, "\(error)")
        }
    }

    @Test func `strings and binaries stand for each other in a Mixed (Q-157)`() throws {
        let binary = Value.binary(Data("a".utf8))
        func compare(_ op: Comparison.Operator, _ right: Operand) -> Condition {
            .comparison(Comparison(.path(PropertyPath(names: ["m"]), quantifier: nil), op, right))
        }
        #expect(
            try check("m == 'a'")
                == .or([compare(.equal, .constant(.string("a"))), compare(.equal, .constant(binary))]))
        #expect(
            try check("m != 'a'")
                == .and([compare(.notEqual, .constant(.string("a"))), compare(.notEqual, .constant(binary))]))
        #expect(
            try check("m IN {'a', 1}")
                == compare(.isIn, .list([.string("a"), .int(1), binary], quantifier: nil)))
        #expect(try check("m == 1") == compare(.equal, .constant(.int(1))))
    }

    @Test func `inverse relationships are aliases for backlinks (Q-108)`() throws {
        #expect(
            try check("owners.@count == 2", on: "Dog")
                == RQL.parse("@links.P.dog.@count == 2").condition)
        #expect(try check("ANY owners.n == 2", on: "Dog") == RQL.parse("ANY @links.P.dog.n == 2").condition)
    }
}
