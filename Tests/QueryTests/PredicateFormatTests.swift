import Foundation
import Model
import Query
import Testing

struct PredicateFormatTests {
    private func name(_ name: String, any: Bool = false) -> Operand {
        .path(PropertyPath(names: [name]), quantifier: any ? .any : nil)
    }

    private func refusal(_ format: String, _ arguments: QueryArgument...) -> QueryError.Kind? {
        do throws(QueryError) {
            _ = try PredicateFormat.parse(format, arguments)
            return nil
        } catch {
            return error.kind
        }
    }

    @Test func `keywords in any casing, NOT before AND before OR (Q-146)`() throws {
        let n = Condition.comparison(Comparison(name("n"), .greater, .constant(.int(4))))
        let s = Condition.comparison(Comparison(name("s"), .notEqual, .constant(.null)))
        let b = Condition.comparison(Comparison(name("b"), .equal, .constant(.bool(true))))
        #expect(try PredicateFormat.parse("n > 4 And s != NIL") == .and([n, s]))
        #expect(try PredicateFormat.parse("not n > 4 && s <> null || b == yes") == .or([.and([.not(n), s]), b]))
        #expect(try PredicateFormat.parse("!(n > 4 or (s != nil))") == .not(.or([n, s])))
        #expect(try PredicateFormat.parse("truePredicate") == .constant(true))
    }

    @Test func `arguments become nodes, never text (Q-143, Q-144)`() throws {
        let hostile = "' OR 1 == 1"
        #expect(
            try PredicateFormat.parse("%K == %@", [.value(.string("a.b")), .value(.string(hostile))])
                == .comparison(
                    Comparison(
                        .path(PropertyPath(names: ["a", "b"]), quantifier: nil), .equal, .constant(.string(hostile)))))
        #expect(
            try PredicateFormat.parse("n == %ld AND d < %f", [.value(.int(10)), .value(.double(1.5))])
                == .and([
                    .comparison(Comparison(name("n"), .equal, .constant(.int(10)))),
                    .comparison(Comparison(name("d"), .less, .constant(.double(1.5))))
                ]))
        #expect(
            try PredicateFormat.parse("s == '%@'")
                == .comparison(Comparison(name("s"), .equal, .constant(.string("%@")))))
        #expect(refusal("n == %@") == .invalidPredicate)
        #expect(refusal("n == 1", .value(.int(1))) == .invalidPredicate)
        #expect(refusal("n == %d", .value(.string("1"))) == .invalidValue)
        #expect(refusal("%K == 1", .value(.int(1))) == .invalidValue)
    }

    @Test func `escapes are decoded, integers keep decimal leading zeros (Q-141)`() throws {
        #expect(
            try PredicateFormat.parse(#"s == 'it\'s\n\u00e9\ud83d\ude00'"#)
                == .comparison(Comparison(name("s"), .equal, .constant(.string("it's\né😀")))))
        #expect(
            try PredicateFormat.parse("n == 010") == .comparison(Comparison(name("n"), .equal, .constant(.int(10)))))
        #expect(
            try PredicateFormat.parse("n IN {0x10, 0b11, 0o17, -5, -9223372036854775808}")
                == .comparison(
                    Comparison(
                        name("n"), .isIn,
                        .list([.int(16), .int(3), .int(15), .int(-5), .int(.min)], quantifier: nil))))
    }

    @Test func `the constant may stand on the left (Q-150)`() throws {
        #expect(try PredicateFormat.parse("5 < n") == PredicateFormat.parse("n > 5"))
        #expect(try PredicateFormat.parse("5 >= l.@count") == PredicateFormat.parse("l.@count <= 5"))
        #expect(
            try PredicateFormat.parse("1 IN l")
                == .comparison(Comparison(name("l", any: true), .equal, .constant(.int(1)))))
        #expect(refusal("'abcd' CONTAINS s") == .invalidPredicate)
        #expect(refusal("5 == 5") == .invalidPredicate)
    }

    @Test func `NONE is a negated ANY; ALL is refused (Q-146)`() throws {
        #expect(try PredicateFormat.parse("NONE dogs.age > 3") == .not(PredicateFormat.parse("ANY dogs.age > 3")))
        #expect(try PredicateFormat.parse("SOME dogs.age > 3") == PredicateFormat.parse("ANY dogs.age > 3"))
        #expect(refusal("ALL dogs.age > 3") == .unsupportedPredicate)
    }

    @Test func `modifiers (Q-156)`() throws {
        guard case .comparison(let comparison) = try PredicateFormat.parse("s BEGINSWITH[Cd] 'é'") else {
            Issue.record("no comparison")
            return
        }
        #expect(comparison.options == [.caseInsensitive, .diacriticInsensitive])
        #expect(refusal("s <[c] 'b'") == .invalidOperator)
        #expect(refusal("s LIKE[d] 'a*'") == .invalidOperator)
        #expect(refusal("s ==[n] 'a'") == .unsupportedPredicate)
        #expect(refusal("s ==[x] 'a'") == .invalidPredicate)
    }

    @Test(arguments: ["s CONTAINS ''", "s BEGINSWITH NULL", "s ENDSWITH ''"])
    func `nothing contains nothing (Q-155)`(format: String) throws {
        guard case .and(let parts) = try PredicateFormat.parse(format) else {
            Issue.record("not refused")
            return
        }
        #expect(parts.first == .constant(false))
    }

    @Test func `BETWEEN over several values wants one between both (Q-159)`() throws {
        guard case .comparison(let one) = try PredicateFormat.parse("n BETWEEN {0, 5}"),
            case .comparison(let many) = try PredicateFormat.parse(
                "ANY dogs.age BETWEEN %@", [.list([.int(4), .int(4)])])
        else {
            Issue.record("no comparison")
            return
        }
        #expect(one.options.isEmpty)
        #expect(many.options == .sameElement)
        #expect(many.right == .list([.int(4), .int(4)], quantifier: nil))
        #expect(refusal("n BETWEEN {1}") == .invalidPredicate)
        #expect(refusal("n BETWEEN 1") == .invalidPredicate)
    }

    @Test func `collection operators and subscripts (Q-161, Q-162)`() throws {
        #expect(
            try PredicateFormat.parse("dogs.@max.age == 5")
                == .comparison(
                    Comparison(
                        .aggregate(PropertyPath(names: ["dogs"]), .max, property: "age"), .equal, .constant(.int(5)))))
        #expect(
            try PredicateFormat.parse("m['list'][0][#any] == 7")
                == .comparison(
                    Comparison(
                        .path(PropertyPath([.name("m"), .key("list"), .index(0), .all]), quantifier: nil), .equal,
                        .constant(.int(7)))))
        #expect(
            try PredicateFormat.parse("m[%K] == 7", [.value(.string("#any"))])
                == .comparison(
                    Comparison(.path(PropertyPath([.name("m"), .all]), quantifier: nil), .equal, .constant(.int(7)))))
        #expect(
            try PredicateFormat.parse("ANY map.@allKeys == 'a'")
                == .comparison(
                    Comparison(
                        .path(PropertyPath([.name("map"), .keys]), quantifier: .any), .equal, .constant(.string("a")))))
        #expect(
            try PredicateFormat.parse("#size == 3") == .comparison(Comparison(name("size"), .equal, .constant(.int(3))))
        )
        #expect(refusal("dogs.@count == l.@count") == .invalidPredicate)
        #expect(refusal("dogs.@sum.age == NULL") == .invalidValue)
        #expect(refusal("l[FIRST] == 1") == .unsupportedPredicate)
        #expect(refusal("m['a'].b == 1") == .unsupportedPredicate)
    }

    @Test func `SUBQUERY counts elements of one collection (Q-164)`() throws {
        let inner = Condition.comparison(Comparison(name("age"), .greater, .constant(.int(3))))
        #expect(
            try PredicateFormat.parse("SUBQUERY(dogs, $d, $d.age > 3).@count > 0")
                == .comparison(
                    Comparison(
                        .subqueryCount(PropertyPath(names: ["dogs"]), variable: "$d", inner), .greater,
                        .constant(.int(0)))))
        #expect(refusal("SUBQUERY(dogs, $d, $d.age > 3)") == .unsupportedPredicate)
        #expect(refusal("SUBQUERY(dogs, $d, $e.age > 3).@count > 0") == .invalidPredicate)
    }

    @Test func `SELF is the object itself (Q-163)`() throws {
        let link = Value.link(Link(className: "Dog", key: .string("fido")))
        #expect(
            try PredicateFormat.parse("SELF == %@", [.value(link)])
                == .comparison(Comparison(.path(PropertyPath([]), quantifier: nil), .equal, .constant(link))))
        #expect(try PredicateFormat.parse("self.n == 1") == PredicateFormat.parse("n == 1"))
    }

    @Test(arguments: [
        "", "n", "n ==", "== 5", "(n == 5", "n == 5)", "n == 5 AND", "NOT", "n == 'x", "{1} == {2}", "n == 1 2",
        "n. == 1", "n..m == 1", "@count == 1", "n == %", "n == %y"
    ])
    func `bad syntax is refused`(format: String) {
        #expect(refusal(format) == .invalidPredicate)
    }

    @Test(arguments: ["n-1 == 4", "n + 1 == 4", "s MATCHES 'a.*'", "CAST(n, 'x') == 1", "f(n) == 1"])
    func `what is understood but not offered has an error of its own (Q-147)`(format: String) {
        #expect(refusal(format) == .unsupportedPredicate)
    }

    @Test func `deep nesting is refused instead of overflowing (Q-174)`() {
        let deep = String(repeating: "(", count: 5_000)
        #expect(refusal(deep + "n == 1" + String(repeating: ")", count: 5_000)) == .invalidPredicate)
        #expect(refusal(String(repeating: "NOT ", count: 5_000) + "n == 1") == .invalidPredicate)
    }
}
