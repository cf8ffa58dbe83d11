import Model
import Query
import Testing

@Suite struct RQLBasicsTests {
    private func condition(_ text: String, _ arguments: QueryArgument...) throws -> Condition {
        try RQL.parse(text, arguments: arguments).condition
    }

    private func age(_ op: Comparison.Operator, _ value: Int64) -> Condition {
        .comparison(Comparison(.path(PropertyPath(names: ["age"]), quantifier: nil), op, .constant(.int(value))))
    }

    @Test func comparisonsAndJunctions() throws {
        #expect(try condition("age > 3") == age(.greater, 3))
        #expect(try condition("age > 3 AND age < 9") == .and([age(.greater, 3), age(.less, 9)]))
        #expect(try condition("age == 1 || age == 2") == .or([age(.equal, 1), age(.equal, 2)]))
        #expect(try condition("NOT age == 1") == .not(age(.equal, 1)))
    }

    @Test func textOperatorsPathsAndLists() throws {
        guard case .comparison(let begins) = try condition("owner.name BEGINSWITH[c] 'Ada'") else {
            Issue.record("not a comparison")
            return
        }
        #expect(begins.op == .beginsWith && begins.options == .caseInsensitive)
        #expect(begins.left == .path(PropertyPath(names: ["owner", "name"]), quantifier: nil))
        guard case .comparison(let isIn) = try condition("age IN {1, 2}") else {
            Issue.record("not a comparison")
            return
        }
        #expect(isIn.right == .list([.int(1), .int(2)], quantifier: nil))
    }

    @Test func descriptorsFollow() throws {
        let parsed = try RQL.parse("age > 3 SORT(name ASC, age DESC) LIMIT(2)")
        #expect(parsed.descriptors.count == 2)
        #expect(parsed.descriptors.last == .limit(2))
    }

    @Test(arguments: ["", "age >", "age = = 3", "(age == 1", "age == 1)", "age == 'x", "== 3", "age ~ 3", "a == b == c"]
    )
    func whatIsNoQueryIsRefused(text: String) {
        #expect(throws: QueryError.self) { try RQL.parse(text) }
    }

    @Test func deepNestingIsRefusedInsteadOfOverflowing() {
        let text = String(repeating: "(", count: 100_000) + "age == 1" + String(repeating: ")", count: 100_000)
        #expect(throws: QueryError.self) { try RQL.parse(text) }
        #expect(throws: QueryError.self) { try RQL.parse(String(repeating: "NOT ", count: 100_000) + "age == 1") }
    }

    @Test func `the prefix of a class's name is dropped by bytes (Q-34)`() throws {
        // The name begins with a combining mark.
        let (condition, _) = try RQL.parse("dog == obj('class_\u{711}t', 1)")
        let link = Value.link(Link(className: "\u{711}t", key: .int(1)))
        let expected = Comparison(
            .path(PropertyPath(names: ["dog"]), quantifier: nil), .equal, .constant(link))
        #expect(condition == .comparison(expected))
        #expect(try RQL.parse(RQL.print(condition).text).condition == condition)
    }

    @Test func `a name that no class can have is refused, as it has no form to be printed in (Q-34, Q-133)`() {
        for name in ["It\\'s", "a\\\\b", "\0P", "\u{7F}"] {
            #expect(throws: QueryError.self) { try RQL.parse("dog == obj('\(name)', 2)") }
        }
    }
}
