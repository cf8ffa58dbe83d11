import Foundation
import Model
import Query
import TestSupport
import Testing

struct PrintingTests {
    @Test func `a filter after a descriptor has no text, but its stages have`() throws {
        let (first, _) = try RQL.parse("n > 1")
        let (second, descriptors) = try RQL.parse("n < 5 SORT(n ASC) DISTINCT(n)")
        let query = ClassQuery("P", first, descriptors + [.filter(second), .limit(3)])
        #expect(throws: QueryError.self) { try RQL.print(query.condition, query.descriptors) }
        #expect(query.stages == [ClassQuery("P", first, descriptors), ClassQuery("P", second, [.limit(3)])])
        #expect(ClassQuery("P", first, descriptors).stages == [ClassQuery("P", first, descriptors)])
    }

    private func text(_ condition: Condition) throws -> String { try RQL.print(condition).text }

    @Test func `random trees read back as they were printed (Q-134)`() throws {
        var random = RandomQueries(seed: randomSeed)
        for round in 0..<3_000 * soakFactor {
            let condition = random.condition()
            let descriptors = random.descriptors()
            let printed = try RQL.print(condition, descriptors)
            do throws(QueryError) {
                let parsed = try RQL.parse(
                    printed.text, arguments: printed.arguments, extensions: .predicateFormat)
                guard parsed.condition == condition, parsed.descriptors == descriptors else {
                    Issue.record(
                        "seed \(randomSeed), round \(round): \(printed.text)\n\(parsed.condition)\n\(condition)")
                    return
                }
            } catch {
                Issue.record("seed \(randomSeed), round \(round): \(error) in \(printed.text)")
                return
            }
        }
    }

    @Test(arguments: [
        ("n == 5 AND s != nil OR n == -1", "(n == 5 and s != NULL or n == -1)"),
        ("NOT (a == 1 || b == 2)", "!((a == 1 or b == 2))"),
        ("n in {10, 5}", "n IN {10, 5}"), ("n between {0,5}", "n BETWEEN {0, 5}"),
        ("s ==[c] 'x'", "s ==[c] \"x\"")
    ])
    func `canonical forms (Q-133)`(query: String, expected: String) throws {
        #expect(try text(RQL.parse(query).condition) == expected)
    }

    @Test func `what has no literal becomes an argument, or a number beside a Decimal in standalone texts`() throws {
        let decimal = Value.decimal(try #require(Decimal128("1.10")))
        let condition = Condition.comparison(
            Comparison(.path(PropertyPath(names: ["dec"]), quantifier: nil), .equal, .constant(decimal)))
        #expect(try RQL.print(condition) == PrintedQuery(text: "dec == $0", arguments: [.value(decimal)]))
        #expect(try RQL.print(condition, standalone: true) == PrintedQuery(text: "dec == 1.10", arguments: []))
    }

    @Test func `infinite Floats are written as literals that are too large (Q-133)`() throws {
        let condition = try RQL.parse("n == \(String(repeating: "9", count: 50)).5f OR n > -1e50f").condition
        let printed = try RQL.print(condition)
        #expect(printed == PrintedQuery(text: "(n == 1e99f or n > -1e99f)"))
        #expect(try RQL.parse(printed.text).condition == condition)
    }

    @Test func `names that can't be written travel as key paths (Q-51)`() throws {
        for name in ["and", "true", "O5", "a/b", "$0", "nan"] {
            let condition = Condition.comparison(
                Comparison(.path(PropertyPath(names: [name]), quantifier: nil), .equal, .constant(.int(1))))
            let printed = try RQL.print(condition)
            #expect(printed == PrintedQuery(text: "$K0 == 1", arguments: [.value(.string(name))]))
            #expect(try RQL.parse(printed.text, arguments: printed.arguments).condition == condition)
        }
    }
}
