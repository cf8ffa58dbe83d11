import Foundation
import Model
import Query
import TestSupport
import Testing

@testable import Store

/// Which plan a query gets: the shortest way to few candidates, cheap and selective conditions first.
struct QueryPlanTests {
    /// 2,000 dogs of 50 ages and 100 names, each with the next one as its mother; 40 people with 50 dogs each.
    private final class Kennel {
        let realm = TestRealm()
        let file: RealmFile
        let snapshot: Snapshot

        init() throws {
            file = try realm.open()
            try file.ensure(dogs)
            var changes: [Instruction] = (0..<2_000).map { .create("Dog", $0) }
            for number in 0..<2_000 as Range<Int64> {
                changes.append(.set("Dog", number, "name", .string("n\(number % 100)")))
                changes.append(.set("Dog", number, "age", .int(number % 50)))
                changes.append(.set("Dog", number, "good", .bool(number % 2 == 0)))
                let mother = Link(className: "Dog", key: .int((number + 1) % 2_000))
                changes.append(.set("Dog", number, "mother", .link(mother)))
            }
            for person in 0..<40 as Range<Int64> {
                let key = PrimaryKey.string("p\(person)")
                changes.append(.createObject(className: "Person", key: key))
                for place in 0..<50 as Range<UInt32> {
                    let dog = Link(className: "Dog", key: .int(person * 50 + Int64(place)))
                    let path = InstructionPath("Person", key, "dogs", [.index(place)])
                    changes.append(.arrayInsert(path, .value(.link(dog)), priorSize: place))
                }
            }
            try file.write(changes)
            snapshot = try file.snapshot()
        }

        /// The plan; what it finds is what a scan finds.
        func plan(_ text: String, of className: String = "Dog") throws -> QueryPlan {
            let parsed = try RQL.parse(text)
            let query = ClassQuery(className, parsed.condition, parsed.descriptors)
            let all = try snapshot.objects(ClassQuery(className))
            #expect(try snapshot.objects(query) == snapshot.objects(query, among: all), "\(text)")
            return try snapshot.plan(query)
        }
    }

    @Test func `what narrows a query down`() throws {
        let kennel = try Kennel()
        let cases: [(text: String, className: String, access: String, candidates: Int)] = [
            ("id == 7 AND age < 30", "Dog", "primary key id", 1), ("5 == id", "Dog", "primary key id", 1),
            ("id IN {1, 2, 9999}", "Dog", "primary key id", 2),
            ("id == 1 OR id == 2 OR age == 3", "Dog", "primary key id or primary key id or index age", 42),
            ("age == 7", "Dog", "index age", 40), ("age IN {7, 8}", "Dog", "index age", 80),
            // Two conditions are one range.
            ("age >= 7 AND age < 9 AND good == true", "Dog", "index age", 120),
            ("(age > 7 AND good == true) AND 9 > age", "Dog", "index age", 120),
            ("age BETWEEN {7, 8}", "Dog", "index age", 80), ("age > 3 AND age < 2", "Dog", "index age", 0),
            ("age == nil", "Dog", "index age", 0), ("age < 2", "Dog", "index age", 120),
            // The fewest candidates count.
            ("age BETWEEN {7, 8} AND name == 'n7'", "Dog", "index name", 20),
            ("name BEGINSWITH 'n99'", "Dog", "index name", 20),
            ("name >= 'n98' AND name < 'n99'", "Dog", "index name", 40),
            // Back over links.
            ("mother.id == 5", "Dog", "primary key id of Dog, links from mother", 1),
            ("mother == obj('Dog', 5)", "Dog", "links from mother", 1),
            ("mother.mother.name == 'n5'", "Dog", "index name of Dog, links from mother of Dog, links from mother", 20),
            ("ANY dogs.id == 77", "Person", "primary key id of Dog, links from dogs", 1),
            ("dogs == obj('Dog', 77)", "Person", "links from dogs", 1),
            ("ANY dogs IN {obj('Dog', 1), obj('Dog', 2)}", "Person", "links from dogs", 1),
            ("dogs.age == 7", "Person", "index age of Dog, links from dogs", 40)
        ]
        for (text, className, access, candidates) in cases {
            let plan = try kennel.plan(text, of: className)
            #expect(plan.access == access && plan.candidateCount == candidates, "\(text): \(plan)")
        }
    }

    @Test func `what can't narrow a query down is scanned`() throws {
        let kennel = try Kennel()
        for text in [
            "age > 3", "age != 7", "NOT age == 7", "good == true", "name ==[c] 'n7'", "name CONTAINS 'n99'",
            "age == 7 OR good == true", "age == nil OR good == true", "mother.age == nil", "mother != obj('Dog', 5)",
            "id == NONE {1, 2}", "ALL {} == id", "TRUEPREDICATE", "mother == nil"
        ] {
            #expect(try kennel.plan(text).candidateCount == nil, "\(text)")
        }
        for text in [
            "ALL dogs.id == 77", "NONE dogs.id == 77", "dogs.id == {1}", "dogs.id BETWEEN {7, 8}", "dogs[0].id == 50"
        ] {
            #expect(try kennel.plan(text, of: "Person").candidateCount == nil, "\(text)")
        }
    }

    @Test func `cheap and selective conditions come first`() throws {
        let kennel = try Kennel()
        func order(_ text: String) throws -> [String] {
            try kennel.plan(text).condition.filter { $0.depth == 1 }.map { String($0.text.prefix { $0 != " " }) }
        }
        #expect(try order("ANY names CONTAINS 'x' AND weight > 1 AND good == true").last == "ANY")
        #expect(try order("ANY names CONTAINS 'x' AND good == true").first == "good")
        #expect(try order("nick CONTAINS 'x' AND weight == 1").first == "weight")
        #expect(
            try order("SUBQUERY(mother.@links.Person.dogs, $p, $p.name == 'x').@count > 0 AND ANY names == 'x'").last?
                .hasPrefix("SUBQUERY") == true)
        #expect(try order("ANY names == 'x' OR good == true").first == "good")
    }

    @Test func `a plan as text`() throws {
        let kennel = try Kennel()
        #expect(
            try kennel.plan("age == 7 AND good == true AND ANY scores > 3 SORT(name ASC, id DESC) LIMIT(3)").lines == [
                "Dog: 2000 objects", "look up by index age: 40 candidates", "all of", "  age in {7}, whole columns",
                "  good in {1}, whole columns", "  ANY scores > 3, object by object", "then SORT(name ASC, id DESC)",
                "then LIMIT(3)"
            ])
        #expect(
            try kennel.plan("NOT mother.weight > 3").lines == [
                "Dog: 2000 objects", "scan \(kennel.snapshot.table(named: "Dog")?.clusterCount ?? 0) clusters", "not",
                "  mother among 0 of 2000 objects, each looked at once:", "    weight > 3.0, whole columns"
            ])
    }

    @Test func `sorting for the first few gives the first few of the sorted`() throws {
        let kennel = try Kennel()
        for text in [
            "TRUEPREDICATE SORT(age DESC, name ASC)", "age < 2 SORT(name DESC)", "TRUEPREDICATE SORT(good ASC)"
        ] {
            let parsed = try RQL.parse(text)
            let all = try kennel.snapshot.objects(ClassQuery("Dog", parsed.condition, parsed.descriptors))
            for count in [0, 1, 7, 100, 1_999, 2_000, 3_000] {
                let query = ClassQuery("Dog", parsed.condition, parsed.descriptors + [.limit(count)])
                #expect(try kennel.snapshot.objects(query) == Array(all.prefix(count)), "\(text), \(count)")
                #expect(try kennel.snapshot.count(query) == min(count, all.count), "\(text), \(count)")
            }
        }
    }

    @Test func `the first few of random numbers`() {
        var generator = SeededGenerator(seed: randomSeed)
        for _ in 0..<(200 * soakFactor) {
            let numbers = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
                Int.random(in: 0...30, using: &generator)
            }
            let count = Int.random(in: 0...70, using: &generator)
            #expect(
                FirstElements.of(numbers, count: count, by: <) == Array(numbers.sorted().prefix(count)),
                "seed \(randomSeed): \(count) of \(numbers)")
        }
    }
}
