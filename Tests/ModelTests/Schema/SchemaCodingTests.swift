import Foundation
import TestSupport
import Testing

@testable import Model

struct SchemaCodingTests {
    static let example = RealmSchema([
        ClassSchema(
            "Dog", primaryKey: "_id",
            [
                PropertySchema("_id", .objectId), PropertySchema("name", .string, nullable: true, indexed: true),
                PropertySchema("owner", .link, nullable: true, target: "Person"),
                PropertySchema("toys", .link, collection: .list, target: "Toy")
            ]),
        ClassSchema("Person", [PropertySchema("any", .mixed, nullable: true, collection: .dictionary)]),
        ClassSchema("Toy", kind: .embedded, [PropertySchema("weights", .double, collection: .set)])
    ])

    @Test func `the bytes are these`() {
        let golden = """
            01 03
            03 44 6f 67 00 01 03 5f 69 64 04
              03 5f 69 64 0a 00 00
              04 6e 61 6d 65 03 03 00
              05 6f 77 6e 65 72 09 05 00 06 50 65 72 73 6f 6e
              04 74 6f 79 73 09 04 01 03 54 6f 79
            06 50 65 72 73 6f 6e 00 00 01
              03 61 6e 79 00 01 02
            03 54 6f 79 01 00 01
              07 77 65 69 67 68 74 73 07 00 03
            """
        #expect(Self.example.encoded.hex == golden.filter { !$0.isWhitespace })
    }

    @Test func `what was encoded decodes to the same`() throws {
        #expect(try RealmSchema(decoding: Self.example.encoded) == Self.example)
        #expect(try RealmSchema(decoding: RealmSchema([]).encoded) == RealmSchema([]))
        var large = RealmSchema([])
        for number in 0..<300 {
            large.classes.append(
                ClassSchema("C\(number)", (0..<70).map { PropertySchema("p\($0)", ValueType.allCases[$0 % 12]) }))
        }
        #expect(try RealmSchema(decoding: large.encoded) == large)
    }

    @Test func `a newer format is refused by name`() {
        #expect {
            _ = try RealmSchema(decoding: [2, 0])
        } throws: { error in
            (error as? SchemaCodingError)?.code == .unknownVersion && "\(error)".contains("format 2")
        }
    }

    @Test func `every prefix is refused`() {
        let bytes = Self.example.encoded
        for length in 0..<bytes.count {
            #expect(throws: SchemaCodingError.self) { try RealmSchema(decoding: Array(bytes[..<length])) }
        }
        #expect(throws: SchemaCodingError.self) { try RealmSchema(decoding: bytes + [0]) }
    }

    @Test func `damaged bytes are refused or decode to something that encodes`() {
        var generator = SeededGenerator(seed: randomSeed)
        let bytes = Self.example.encoded
        for _ in 0..<3_000 * soakFactor {
            var damaged = bytes
            for _ in 0...Int.random(in: 0..<3, using: &generator) {
                damaged[Int.random(in: 0..<damaged.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            guard let schema = try? RealmSchema(decoding: damaged) else { continue }
            #expect((try? RealmSchema(decoding: schema.encoded)) == schema, "seed \(randomSeed)")
        }
    }
}
