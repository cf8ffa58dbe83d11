import Foundation
import Model
import TestSupport
import Testing

@testable import Store

/// Random instructions on every kind of property, against nested Swift values.
@Suite struct TypesRandomTests {
    private static let elementTypes: [(String, ValueType)] = [
        ("Int", .int), ("Bool", .bool), ("String", .string), ("Binary", .binary), ("Timestamp", .timestamp),
        ("Float", .float), ("Double", .double), ("Decimal", .decimal), ("ObjectId", .objectId), ("UUID", .uuid)
    ]

    /// Dictionaries of everything.
    static let dictionaries = RealmSchema([
        ClassSchema(
            "Box", primaryKey: "id",
            [PropertySchema("id", .int), PropertySchema("age", .int)]
                + elementTypes.enumerated().map { index, type in
                    PropertySchema("map\(type.0)", type.1, nullable: index % 2 == 0, collection: .dictionary)
                } + [
                    PropertySchema("boxes", .link, nullable: true, collection: .dictionary, target: "Box"),
                    PropertySchema("others", .link, nullable: true, collection: .dictionary, target: "Other")
                ]),
        ClassSchema(
            "Other", primaryKey: "id",
            [
                PropertySchema("id", .int),
                PropertySchema("box", .link, nullable: true, target: "Box"),
                PropertySchema("names", .string, collection: .dictionary)
            ])
    ])

    /// Sets of everything.
    static let sets = RealmSchema([
        ClassSchema(
            "Box", primaryKey: "id",
            [PropertySchema("id", .int)]
                + elementTypes.enumerated().map { index, type in
                    PropertySchema("set\(type.0)", type.1, nullable: index % 2 == 0, collection: .set)
                } + [
                    PropertySchema("boxes", .link, collection: .set, target: "Box"),
                    PropertySchema("others", .link, collection: .set, target: "Other")
                ]),
        ClassSchema(
            "Other", primaryKey: "id",
            [PropertySchema("id", .int), PropertySchema("names", .string, collection: .set)])
    ])

    /// Embedded objects in properties, lists and dictionaries, and in one another.
    static let embedded = RealmSchema([
        ClassSchema(
            "Box", primaryKey: "id",
            [
                PropertySchema("id", .int), PropertySchema("box", .link, nullable: true, target: "Box"),
                PropertySchema("label", .link, nullable: true, target: "Label"),
                PropertySchema("labels", .link, collection: .list, target: "Label"),
                PropertySchema("byName", .link, nullable: true, collection: .dictionary, target: "Label")
            ]),
        ClassSchema(
            "Label", kind: .embedded,
            [
                PropertySchema("text", .string, indexed: true), PropertySchema("count", .int),
                PropertySchema("box", .link, nullable: true, target: "Box"),
                PropertySchema("boxes", .link, collection: .list, target: "Box"),
                PropertySchema("names", .string, nullable: true, collection: .list),
                PropertySchema("tags", .int, collection: .set),
                PropertySchema("ink", .link, nullable: true, target: "Ink"),
                PropertySchema("inks", .link, collection: .list, target: "Ink")
            ]),
        ClassSchema(
            "Ink", kind: .embedded,
            [
                PropertySchema("color", .string, nullable: true), PropertySchema("photo", .binary),
                PropertySchema("parts", .double, collection: .dictionary),
                PropertySchema("friends", .link, collection: .set, target: "Box")
            ])
    ])

    /// Mixed values wherever they can be, with collections in one another.
    static let mixed = RealmSchema([
        ClassSchema(
            "Box", primaryKey: "id",
            [
                PropertySchema("id", .int), PropertySchema("any", .mixed, nullable: true),
                PropertySchema("list", .mixed, nullable: true, collection: .list),
                PropertySchema("set", .mixed, nullable: true, collection: .set),
                PropertySchema("map", .mixed, nullable: true, collection: .dictionary),
                PropertySchema("label", .link, nullable: true, target: "Label")
            ]),
        ClassSchema(
            "Other", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("any", .mixed, nullable: true)]),
        ClassSchema(
            "Label", kind: .embedded,
            [
                PropertySchema("any", .mixed, nullable: true),
                PropertySchema("map", .mixed, nullable: true, collection: .dictionary)
            ])
    ])

    @Test func mixedValuesAgreeWithThePlainModel() throws { try agree(Self.mixed) }
    @Test func embeddedObjectsAgreeWithThePlainModel() throws { try agree(Self.embedded) }
    @Test func dictionariesAgreeWithThePlainModel() throws { try agree(Self.dictionaries) }
    @Test func setsAgreeWithThePlainModel() throws { try agree(Self.sets) }

    private func agree(_ schema: RealmSchema) throws {
        let seed = randomSeed
        var maker = PlainInstructionMaker(seed: seed)
        let realm = TestRealm()
        var file = try realm.open { $0.checkpointFileBytes = 1 << 20 }
        try file.ensure(schema)
        var plain = PlainRealm(schema)
        for round in 0..<(25 * soakFactor) {
            let comment = Comment(rawValue: "seed \(seed), round \(round)")
            var next = plain
            var instructions: [Instruction] = []
            for _ in 0..<(maker.below(8) == 0 ? 600 : 1 + maker.below(80)) {
                let instruction = maker.instruction(next)
                next.apply(instruction)
                instructions.append(instruction)
            }
            switch maker.below(8) {
            case 0:
                let transaction = try file.beginWrite()
                try Changeset.encode(instructions).withUnsafeBytes { try transaction.apply($0) }
                #expect(next.difference(try transaction.reader()) == nil, comment)
                transaction.rollback()
            case 1:
                // Read between two parts of the stream.
                let transaction = try file.beginWrite()
                let half = instructions.count / 2
                try Changeset.encode(Array(instructions[..<half])).withUnsafeBytes { try transaction.apply($0) }
                #expect(try transaction.reader().checkInvariants() == [], comment)
                try transaction.seal(uid: nil)
                try Changeset.encode(Array(instructions[half...])).withUnsafeBytes { try transaction.apply($0) }
                try transaction.commit(uid: nil)
                plain = next
            default:
                try file.write(instructions)
                plain = next
            }
            do {
                let snapshot = try file.snapshot()
                try #require(snapshot.checkInvariants() == [], comment)
                try #require(plain.difference(snapshot) == nil, comment)
                try #require(snapshot.damage == [], comment)
            }
            switch maker.below(12) {
            case 0:
                // Opened again, closed before or not.
                if maker.below(2) == 0 { try file.close() }
                file = try TestRealm().open()
                file = try realm.open { $0.checkpointFileBytes = 1 << 20 }
            case 1: try file.compact()
            case 2: try file.checkpoint()
            default: break
            }
        }
        #expect(try file.verify().findings == [], "seed \(seed)")
        let copy = TestRealm()
        try RealmFile.writeCopy(of: try file.snapshot(), to: copy.path)
        #expect(plain.difference(try copy.open().snapshot()) == nil, "seed \(seed)")
    }
}
