import Model
import Query
import TestSupport
import Testing

@testable import Store

/// The worked examples on their data: RQL (Q-136), then predicate formats (Q-169).
struct WorkedResultTests {
    /// Text, primary keys of the objects selected, rules.
    typealias Example = (text: String, keys: [Int64], rules: String)

    @Test func `each query selects what the language's description says (Q-136)`() throws {
        try run(Self.queries, "worked queries") { text in
            { (schema) throws(QueryError) in
                let parsed = try RQL.parse(text, arguments: WorkedExamples.arguments)
                return try ClassQuery("P", parsed.condition, parsed.descriptors).checked(in: schema)
            }
        }
    }

    @Test func `each predicate selects what the dialect's description says (Q-169)`() throws {
        try run(Self.predicates, "worked predicates") { text in
            { (schema) throws(QueryError) in
                let condition = try PredicateFormat.parse(text, Self.formatArguments[text] ?? [])
                return ClassQuery("P", try condition.checkedAsPredicate(for: "P", in: schema))
            }
        }
    }

    private func run(_ examples: [Example], _ what: String, _ query: (String) -> RecordedRealm.Query) throws {
        let data = RecordedData(schema: WorkedExamples.schema, instructions: WorkedExamples.instructions)
        let realm = try RecordedRealm(data)
        var waiting: [String] = []
        for example in examples {
            let query = query(example.text)
            guard try realm.kindsMissing(for: query).isEmpty else {
                waiting.append(example.text)
                continue
            }
            let expected = QueryVectors.Outcome.keys(example.keys.map { .int($0) })
            #expect(realm.outcome(query) == expected, "Q-\(example.rules): \(example.text)")
        }
        let kinds = realm.missing.map(\.description).sorted().joined(separator: ", ")
        print("\(what): \(examples.count), \(waiting.count) wait for types that the store doesn't have (\(kinds))")
        #expect(waiting.count < examples.count / 2)
    }

    private static let formatArguments: [String: [QueryArgument]] = [
        "n == %@": [.value(.int(5))], "%K == %d": [.value(.string("n")), .value(.int(10))],
        "dog == %@": [.value(WorkedExamples.fido)]
    ]

    private static let predicates: [Example] = [
        ("n > 4 AND s != NIL", [1], "145"), ("n == %@", [1], "143"), ("%K == %d", [3], "143"),
        ("ANY dogs.age > 3", [1, 2], "151"), ("NONE dogs.age > 3", [3], "146"), ("n == 010", [3], "141"),
        ("b == 1", [1], "153"), ("s CONTAINS ''", [], "155"), ("s CONTAINS NULL", [], "155"),
        ("s ==[c] 'abc'", [1, 2], "156"), ("5 < n", [3], "150"), ("n IN {5, 10}", [1, 3], "158"),
        ("n IN {}", [], "158"), ("NOT n IN {5}", [2, 3], "158"), ("1 IN l", [1], "158"),
        ("n BETWEEN {0, 5}", [1], "159"), ("ANY dogs.age BETWEEN {4,4}", [], "159"), ("dogs.@count == 2", [1], "161"),
        ("dogs.@max.age == 5", [1, 2], "161"), ("dogs.@min.age == NULL", [3], "161"),
        ("ANY dii.@allKeys == 'a'", [1], "161"), ("dii['a'] == 1", [1], "162"), ("m['list'][0] == 7", [1], "162"),
        ("m[#any] == 1", [1, 2], "162"), ("SUBQUERY(dogs, $d, $d.age > 3).@count > 0", [1, 2], "164"),
        ("dog == %@", [1], "153"), ("dog == NIL", [2], "153"), ("TRUEPREDICATE", [1, 2, 3], "145")
    ]

    static let queries: [Example] = [
        (#"n == 5 AND s != nil OR n == -1"#, [1, 2], "22"),
        (#"NOT n == 5 AND n == 10"#, [3], "22"),
        (#"n == 010"#, [], "29"),
        (#"n == 09"#, [], "29"),
        (#"n == 0xA"#, [3], "15"),
        (#"n == '5'"#, [1], "31"),
        (#"n == 5.0"#, [1], "31"),
        (#"n - 1 == 4"#, [1], "16"),
        (#"n == 3 / 2 + 9"#, [3], "100,102"),
        (#"n / 2.0 == 2.5"#, [1], "103"),
        (#"n / 2.5 == 2"#, [1], "103"),
        (#"n / 0 > 0"#, [1, 3], "102"),
        (#"on + 1 == nil"#, [1, 3], "60"),
        (#"(n + 1) IN {6, 11}"#, [1, 3], "24"),
        (#"on != 3"#, [1, 2, 3], "60"),
        (#"on <= nil"#, [1, 3], "60"),
        (#"on < nil"#, [], "60"),
        (#"d == NaN"#, [], "66"),
        (#"d < 0"#, [3], "66"),
        (#"d < 0.0"#, [3], "66"),
        (#"d < inf"#, [1, 3], "66"),
        (#"d == d"#, [1, 3], "66"),
        (#"dec == 1.10"#, [1], "64"),
        (#"f == 1.5f"#, [1], "65"),
        (#"f == 1.4999999999"#, [1], "31"),
        (#"b > false"#, [1], "67"),
        (#"b != true"#, [2, 3], "60"),
        (#"s == 'it\'s'"#, [], "13"),
        (#"s == 'ab\u0063'"#, [], "13"),
        (#"s ==[c] 'aBc'"#, [1, 2], "68"),
        (#"s IN[c] {'abc'}"#, [1, 2], "87"),
        (#"s CONTAINS nil"#, [1, 2, 3], "61"),
        (#"s CONTAINS ''"#, [1, 2], "61"),
        (#"s LIKE nil"#, [3], "61"),
        (#"s LIKE 'a?c'"#, [1], "74"),
        (#"s LIKE[c] 'A*'"#, [1, 2], "74"),
        (#"'abcd' CONTAINS s"#, [1], "61"),
        (#"'abcd' BEGINSWITH s"#, [1], "61"),
        (#"s BEGINSWITH {'a','A'}"#, [1, 2], "84"),
        (#"s BEGINSWITH ALL {'a','ab'}"#, [1], "84"),
        (#"sl CONTAINS {'x','y'}"#, [1], "81"),
        (#"sl CONTAINS {'y','x'}"#, [], "81"),
        (#"ALL sl CONTAINS {'y','x'}"#, [1, 3], "82"),
        (#"sl BEGINSWITH NONE {'y'}"#, [1, 2], "82"),
        (#"bin CONTAINS 'b'"#, [], "56"),
        (#"bin == binary(B64"YWJj")"#, [1], "31"),
        (#"t == 1969-12-31@23:59:50:5"#, [3], "33"),
        (#"t == T-10:-5"#, [3], "32"),
        (#"t < 1970-1-1T0:0:0"#, [3], "33"),
        (#"dog.age == nil"#, [2], "50"),
        (#"dog.age != 3"#, [2, 3], "50"),
        (#"dog.ns == nil"#, [], "50"),
        (#"selfs[1].l.@min == 1"#, [2], "50"),
        (#"selfs[1].l.@min != 1"#, [], "50"),
        (#"selfs.n == nil"#, [], "50"),
        (#"dog == obj('Dog','fido')"#, [1], "34"),
        (#"dog == obj('Dog','nobody')"#, [], "34"),
        (#"dogs == $2"#, [1], "90"),
        (#"dogs IN {$2}"#, [], "81,86"),
        (#"ANY dogs IN {$2}"#, [1], "86"),
        (#"ALL dogs.age > 3"#, [2, 3], "80"),
        (#"NONE dogs.age > 3"#, [3], "80"),
        (#"dogs.age == {3,5}"#, [1], "81"),
        (#"dogs.age == {5,3}"#, [], "81"),
        (#"selfs.dogs.age == {3,5,3,5}"#, [2], "52"),
        (#"dogs.ns == {1,4}"#, [1], "53"),
        (#"ALL dogs.ns > 3"#, [1, 2, 3], "53"),
        (#"NONE dogs.ns == 4"#, [1, 2, 3], "53"),
        (#"dogs == selfs"#, [3], "81"),
        (#"dogs[FIRST].age == 3"#, [1], "48"),
        (#"dogs[LAST].age == 5"#, [1, 2], "48"),
        (#"l[0] < l[1]"#, [1], "83"),
        (#"l == {2,1}"#, [], "81"),
        (#"l != {1,2}"#, [3], "81"),
        (#"l IN {1,2}"#, [1], "81"),
        (#"ANY l IN {1,2}"#, [1, 2], "82"),
        (#"l == NONE {1}"#, [1, 2], "82"),
        (#"l > {1,1}"#, [2], "81"),
        (#"l != 2"#, [1], "85"),
        (#"ALL l != 2"#, [3], "85"),
        (#"NOT l == 2"#, [3], "85"),
        (#"1 IN l"#, [1], "86"),
        (#"n > ALL l"#, [1, 3], "80"),
        (#"n != {5,10}"#, [1, 2, 3], "85"),
        (#"n == NONE {5,10}"#, [2], "85"),
        (#"NOT n IN {5,10}"#, [2], "85"),
        (#"n != ALL {5,10}"#, [2], "85"),
        (#"n IN {}"#, [], "88"),
        (#"n == ALL {}"#, [1, 2, 3], "88"),
        (#"l != {}"#, [1, 2, 3], "88"),
        (#"on IN {7, nil}"#, [1, 2, 3], "87"),
        (#"n IN {'x'}"#, [], "87"),
        (#"d IN {5}"#, [], "87"),
        (#"l == {1,2,'a'}"#, [], "87"),
        (#"ANY dog == nil"#, [2], "79"),
        (#"ALL l BETWEEN {0,5}"#, [1, 2, 3], "89"),
        (#"dogs.age BETWEEN {4, 4}"#, [1], "89"),
        (#"s BETWEEN {'a','b'}"#, [1], "89"),
        (#"dogs.ns.@count == 3"#, [], "92"),
        (#"selfs.dogs.@count == 2"#, [2], "92"),
        (#"selfs.dogs.@sum.age == 16"#, [2], "94"),
        (#"s.@count == nil"#, [3], "92"),
        (#"dog.@count == 1"#, [1, 3], "92"),
        (#"dog.ns.@count == 0"#, [2], "93"),
        (#"self.dogs.@count == 0"#, [1, 3], "93"),
        (#"dogs.@min.age == nil"#, [3], "95"),
        (#"self.dogs.@max.age == nil"#, [1, 3], "96"),
        (#"l.@avg == 1.5"#, [1], "95"),
        (#"ol.@min == 4"#, [2], "95"),
        (#"sl.length == 0"#, [2], "47"),
        (#"di['zz'] == nil"#, [1, 2, 3], "46"),
        (#"di.dog.age == 3"#, [3], "46,112"),
        (#"dii.@keys == 'a'"#, [1], "46"),
        (#"dii == 2"#, [1], "80"),
        (#"m == 5"#, [3], "70"),
        (#"m != 5"#, [1, 2], "70"),
        (#"m.list[0] == 7"#, [1], "112"),
        (#"m.list[*].q == 8"#, [1], "115"),
        (#"m.list == 7"#, [], "115"),
        (#"m[*] == 1"#, [1, 2], "115"),
        (#"m[*][*] == 3"#, [2], "115"),
        (#"m[LAST][0] == 3"#, [2], "112"),
        (#"m.nope == nil"#, [1], "113"),
        (#"m.nope != 5"#, [1], "113"),
        (#"m[99] == nil"#, [], "113"),
        (#"m[0] != 5"#, [2], "113"),
        (#"m.dog.age == 3"#, [1], "112"),
        (#"m.@values == 1"#, [1], "116"),
        (#"m.@count == 4"#, [1], "92"),
        (#"m.@type == 'object'"#, [1], "98"),
        (#"m.@type IN {'int','object'}"#, [1], "98"),
        (#"m[*].@type == 'string'"#, [1], "98"),
        (#"ALL ml.@type == 'numeric'"#, [2, 3], "98"),
        (#"ml != nil"#, [1], "80"),
        (#"@links.@count == 3"#, [1], "107"),
        (#"@links.P.selfs.@count == 2"#, [1], "105"),
        (#"dog.@links.P.dogs.n == 5"#, [1, 3], "105"),
        (#"TRUEPREDICATE SORT(n DESC) LIMIT(2)"#, [3, 1], "123"),
        (#"TRUEPREDICATE LIMIT(2) SORT(n DESC)"#, [1, 2], "128"),
        (#"TRUEPREDICATE SORT(b ASC) SORT(n ASC)"#, [2, 1, 3], "126"),
        (#"TRUEPREDICATE SORT(on ASC)"#, [1, 3, 2], "125"),
        (#"TRUEPREDICATE SORT(dog.age ASC)"#, [1, 3, 2], "125"),
        (#"TRUEPREDICATE SORT(di.k DESC)"#, [3, 1, 2], "124"),
        (#"TRUEPREDICATE SORT(m ASC)"#, [3, 2, 1], "71"),
        (#"TRUEPREDICATE SORT(d ASC)"#, [2, 3, 1], "71"),
        (#"TRUEPREDICATE DISTINCT(on)"#, [1, 2], "127"),
        (#"TRUEPREDICATE SORT(n ASC) DISTINCT(on)"#, [2, 1], "127"),
        (#"TRUEPREDICATE DISTINCT(dog.age)"#, [1, 3], "127"),
        (#"l[$0] == 2"#, [], "41"),
        (#"di[$1] == 1"#, [], "41"),
        (#"SUBQUERY(dset, $x, TRUEPREDICATE).@count == 0"#, [1, 2, 3], "109"),
        (#"SUBQUERY(selfs, $x, SUBQUERY($x.dogs, $y, $y.age > 3).@count > 0).@count == 2"#, [2], "109"),
        (#"SUBQUERY(selfs.dogs, $x, TRUEPREDICATE).@count == 4"#, [2], "109"),
        (#"n BEGINSWITH 'x'"#, [], "72"),
        (#"dii == '2'"#, [], "56"),
        (#"l[0] IN {1,2}"#, [1, 2], "83"),
        (#"l[9] != 1"#, [], "48"),
        (#"dogs[0] == $2"#, [1], "48"),
        (#"dog.@sum.age == 0"#, [2], "94"),
        (#"m.name.@count == 2"#, [1], "92"),
        (#"m['@keys'] == 'k'"#, [1], "116"),
        (#"NONE dii.@keys == 'zz'"#, [1, 2, 3], "46"),
        (#"s > nil"#, [], "60"),
        (#"s < 'a'"#, [2], "60"),
        (#"self.m.k == nil"#, [], "50"),
        (#"selfs.m.k == 1"#, [2], "53"),
        (#"NONE selfs.m.k == 1"#, [1, 3], "53"),
        (#"@links.P.self == obj('P',2)"#, [1], "105"),
        (#"t < 2100-1-1@0:0:0"#, [2, 3], "33"),
        (#"dec + 0.5 == 1.6"#, [1], "64"),
        (#"ALL l IN {2,2,1}"#, [1, 2, 3], "82"),
        (#"sl !=[c] {'x'}"#, [1, 2, 3], "81")
    ]
}
