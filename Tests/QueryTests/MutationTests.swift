import Foundation
import Model
import Query
import TestSupport
import Testing

/// Texts with damage: parsers refuse them or don't, but they come back.
struct MutationTests {
    private static let texts = [
        "n == 5 AND NOT (s BEGINSWITH[c] 'a\\'b' OR ANY dogs.age IN {1, -2.5e3f, nil}) SORT(a ASC) DISTINCT(b.c) LIMIT(3)",
        "SUBQUERY(dogs, $x, $x.age > $0 && $x.n[FIRST] != B64\"YQ==\").@count >= 1 + n * 2",
        "t == T-10:-5 || t < 2020-01-01@00:00:00:5 || oid == oid(5f9b1c2d3e4f5a6b7c8d9e0f)",
        "u == uuid(3b241101-e2bb-4255-8caf-4136c566a962) and @links.Dog.owner.@max.age == $K1",
        "loc GEOWITHIN geoPolygon({[0.0,0.0],[1,0],[-1.0,1.0],[0,0]}) && d['k'].@type == 'int' && m[*].@keys == O5"
    ]

    private static let formats = [
        "ANY dogs.age BETWEEN {%@, %@} AND NOT s LIKE[c] 'a\\u00e9*' OR %K == -0x1F",
        "SUBQUERY(dogs, $d, $d.age > %d).@count == 2 && m['a'][0][#any] == YES",
        "SELF == %@ || #size IN {1, 2.5, NIL, \"x\"} || NONE map.@allKeys ENDSWITH[cd] 'é'"
    ]

    private static let arguments: [QueryArgument] = [
        .value(.int(5)), .value(.string("a.b")), .list([.int(1), .null]), .value(.null)
    ]

    private func mutated(_ text: String, _ generator: inout SeededGenerator) -> String {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let at = Int.random(in: 0..<max(1, bytes.count), using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0 where !bytes.isEmpty: bytes.remove(at: at)
            case 1: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: min(at, bytes.count))
            case 2: bytes.insert("()[]{}.,'\"$@%#+-*/=<>!&|:\\ \n0e".utf8.randomElement(using: &generator) ?? 0, at: at)
            case 3: bytes.removeSubrange(at...)
            default:
                let end = Int.random(in: at...bytes.count, using: &generator)
                bytes.insert(contentsOf: bytes[at..<end], at: at)
            }
            if bytes.isEmpty { bytes = [0x28] }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let schema = RealmSchema([
        ClassSchema(
            "P", primaryKey: "_id",
            [
                PropertySchema("_id", .int), PropertySchema("n", .int), PropertySchema("s", .string, nullable: true),
                PropertySchema("dogs", .link, collection: .list, target: "Dog"),
                PropertySchema("m", .mixed, nullable: true),
                PropertySchema("d", .mixed, nullable: true, collection: .dictionary)
            ]),
        ClassSchema(
            "Dog", primaryKey: "_id",
            [
                PropertySchema("_id", .string), PropertySchema("age", .int),
                PropertySchema("n", .int, collection: .list),
                PropertySchema("owner", .link, nullable: true, target: "P")
            ])
    ])

    @Test func `damaged texts don't crash parser, check and printer`() {
        var generator = SeededGenerator(seed: randomSeed)
        var accepted = 0
        for _ in 0..<10_000 * soakFactor {
            let text = mutated(Self.texts.randomElement(using: &generator) ?? "", &generator)
            guard let parsed = try? RQL.parse(text, arguments: Self.arguments, extensions: .predicateFormat) else {
                continue
            }
            accepted += 1
            let query = ClassQuery("P", parsed.condition, parsed.descriptors)
            if let checked = try? query.checked(in: Self.schema) {
                #expect((try? checked.checked(in: Self.schema)) == checked, "seed \(randomSeed): \(text)")
            }
            if let printed = try? RQL.print(parsed.condition, parsed.descriptors) {
                let again = try? RQL.parse(printed.text, arguments: printed.arguments, extensions: .predicateFormat)
                #expect(again?.condition == parsed.condition, "seed \(randomSeed): \(text) printed \(printed.text)")
            }
        }
        #expect(accepted > 0)
    }

    @Test func `damaged formats don't crash the parser of predicates`() {
        var generator = SeededGenerator(seed: randomSeed)
        var accepted = 0
        for _ in 0..<10_000 * soakFactor {
            let format = mutated(Self.formats.randomElement(using: &generator) ?? "", &generator)
            let count = Int.random(in: 0...3, using: &generator)
            if (try? PredicateFormat.parse(format, Array(Self.arguments.shuffled(using: &generator).prefix(count))))
                != nil
            {
                accepted += 1
            }
        }
        #expect(accepted > 0)
    }

    @Test(arguments: ["(", "NOT ", "n == 1 + ", "SUBQUERY(a, $x, ", "{", "ANY ", "!"])
    func `repetition runs into a limit, not out of stack (Q-174)`(piece: String) {
        let text = String(repeating: piece, count: 20_000)
        #expect(throws: QueryError.self) { try RQL.parse(text) }
        #expect(throws: QueryError.self) { try PredicateFormat.parse(text) }
    }

    @Test func `paths have a limit of steps, in conditions and in descriptors (Q-174)`() throws {
        func path(_ steps: Int) -> String { String(repeating: "owner.dogs.", count: steps / 2) + "age" }
        let fits = try RQL.parse("ANY \(path(QueryLimits.steps - 2)) > 1")
        _ = try ClassQuery("Dog", fits.condition).checked(in: Self.schema)
        let beyond = try RQL.parse("ANY \(path(QueryLimits.steps)) > 1")
        #expect(throws: QueryError.self) { try ClassQuery("Dog", beyond.condition).checked(in: Self.schema) }
        let sorted = try RQL.parse("TRUEPREDICATE SORT(\(path(20_000)) ASC)")
        #expect(throws: QueryError.self) {
            try ClassQuery("Dog", sorted.condition, sorted.descriptors).checked(in: Self.schema)
        }
    }

    @Test func `the deepest trees allowed are checked and printed on an ordinary stack`() throws {
        let depth = QueryLimits.depth - 1
        let texts = [
            String(repeating: "NOT ", count: depth) + "n == 1",
            String(repeating: "(", count: depth) + "n == 1" + String(repeating: ")", count: depth),
            "n == 1" + String(repeating: " + n", count: depth),
            (0..<depth / 2).map { "SUBQUERY(owner.dogs, $x\($0), " }.joined() + "age > 1"
                + String(repeating: ").@count > 0", count: depth / 2)
        ]
        let failures = Failures()
        let thread = Thread {
            for text in texts {
                do {
                    let parsed = try RQL.parse(text)
                    _ = try? ClassQuery("Dog", parsed.condition).checked(in: Self.schema)
                    _ = try RQL.print(parsed.condition)
                } catch {
                    failures.note("\(error)")
                }
            }
            failures.finish()
        }
        thread.stackSize = 8 << 20
        thread.start()
        #expect(eventually { failures.isFinished })
        #expect(failures.texts.isEmpty)
    }
}

/// What a thread has to tell.
private final class Failures: @unchecked Sendable {
    private let lock = NSLock()
    private var collected: [String] = []
    private var finished = false

    func note(_ text: String) { lock.withLock { collected.append(text) } }
    func finish() { lock.withLock { finished = true } }
    var isFinished: Bool { lock.withLock { finished } }
    var texts: [String] { lock.withLock { collected } }
}
