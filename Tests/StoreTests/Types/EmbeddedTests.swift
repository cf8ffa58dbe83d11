import Foundation
import Model
import Query
import Testing

@testable import Store

@Suite struct EmbeddedTests {
    static let schema = RealmSchema([
        ClassSchema(
            "Person", primaryKey: "id",
            [
                PropertySchema("id", .int),
                PropertySchema("home", .link, nullable: true, target: "Address"),
                PropertySchema("former", .link, collection: .list, target: "Address"),
                PropertySchema("other", .link, nullable: true, collection: .dictionary, target: "Address")
            ]),
        ClassSchema(
            "Address", kind: .embedded,
            [
                PropertySchema("street", .string, indexed: true),
                PropertySchema("text", .string, nullable: true),
                PropertySchema("owner", .link, nullable: true, target: "Person"),
                PropertySchema("parts", .link, collection: .list, target: "Part"),
                PropertySchema("floors", .int, collection: .list)
            ]),
        ClassSchema(
            "Part", kind: .embedded,
            [
                PropertySchema("name", .string), PropertySchema("tags", .string, collection: .set),
                PropertySchema("guests", .link, collection: .set, target: "Person")
            ])
    ])

    private let realm = TestRealm()
    private let file: RealmFile

    init() throws {
        file = try realm.open()
        try file.ensure(Self.schema)
        try file.write([.create("Person", 1), .create("Person", 2)])
    }

    private static func path(_ property: String, _ rest: PathElement..., person: Int64 = 1) -> InstructionPath {
        InstructionPath("Person", .int(person), property, rest)
    }

    private static func set(_ path: InstructionPath, _ value: Value) -> Instruction {
        .update(path, .value(value), isDefault: false)
    }

    private static func make(_ path: InstructionPath) -> Instruction {
        .update(path, .embeddedObject, isDefault: false)
    }

    /// A home with a part, an address in the list and one in the dictionary.
    private static let full: [Instruction] = [
        make(path("home")), set(path("home", .name("street")), .string("Main")),
        .arrayInsert(path("home", .name("floors"), .index(0)), .value(.int(3)), priorSize: 0),
        .arrayInsert(path("home", .name("parts"), .index(0)), .embeddedObject, priorSize: 0),
        set(path("home", .name("parts"), .index(0), .name("name")), .string("attic")),
        .setInsert(path("home", .name("parts"), .index(0), .name("tags")), .value(.string("dark"))),
        .setInsert(
            path("home", .name("parts"), .index(0), .name("guests")),
            .value(.link(Link(className: "Person", key: .int(2))))),
        .arrayInsert(path("former", .index(0)), .embeddedObject, priorSize: 0),
        set(path("former", .index(0), .name("street")), .string("Old")),
        set(path("former", .index(0), .name("text")), .string(String(repeating: "long ", count: 200))),
        make(path("other", .name("work"))), set(path("other", .name("work"), .name("street")), .string("Mill"))
    ]

    private func streets() throws -> [String] {
        let snapshot = try file.snapshot()
        #expect(snapshot.checkInvariants() == [])
        let table = try #require(snapshot.table(named: "Address"))
        let column = try #require(table.stored.column(named: "street"))
        return (0..<table.count).compactMap {
            if case .string(let street) = table.value(table.key(at: $0), column) { street } else { nil }
        }
    }

    private func count(_ name: String) throws -> Int { try #require(try file.snapshot().table(named: name)).count }

    @Test func objectsBelongToTheirSlots() throws {
        try file.write(Self.full)
        #expect(try streets() == ["Main", "Old", "Mill"])
        let snapshot = try file.snapshot()
        let addresses = try #require(snapshot.table(named: "Address"))
        let parts = try #require(snapshot.table(named: "Part"))
        let people = try #require(snapshot.table(named: "Person"))
        #expect(people.linkKey(ObjectKey(0), try #require(people.stored.column(named: "home"))) == ObjectKey(0))
        #expect(addresses.parent(of: ObjectKey(1))?.table == people.stored.id)
        #expect(parts.parent(of: ObjectKey(0))?.object == ObjectKey(0))
        #expect(
            snapshot.instructionPath(parts, ObjectKey(0), "name")
                == Self.path("home", .name("parts"), .index(0), .name("name")))
        #expect(
            snapshot.instructionPath(addresses, ObjectKey(2), "street")
                == Self.path("other", .name("work"), .name("street")))
        #expect(snapshot.root(parts, ObjectKey(0))?.key == ObjectKey(0))
        #expect(people.incomingLinks(to: ObjectKey(1)).map(\.table) == [parts.stored.id])
        let summary = try #require(snapshot.changes(after: snapshot.version - 1))
        #expect(summary.tables[addresses.stored.id]?.insertions.keys.count == 3)
    }

    @Test("C-149: what an object payload does depends on the slot")
    func occupiedSlots() throws {
        try file.write(Self.full)
        try file.write([
            Self.make(Self.path("home")),
            .updateElement(Self.path("former", .index(0)), .embeddedObject, priorSize: 1),
            Self.make(Self.path("other", .name("work")))
        ])
        #expect(try streets() == ["Main", "Old", ""])
    }

    @Test func theObjectGoesWithItsSlot() throws {
        try file.write(Self.full)
        try file.write([Self.set(Self.path("home"), .null)])
        #expect(try streets() == ["Old", "Mill"] && count("Part") == 0)
        try file.write([.arrayErase(Self.path("former", .index(0)), priorSize: 1)])
        try file.write([.update(Self.path("other", .name("work")), .erased, isDefault: false)])
        #expect(try streets().isEmpty)
        try file.write(Self.full)
        try file.write([.clear(Self.path("former"), .list), .clear(Self.path("other"), .dictionary)])
        #expect(try streets() == ["Main"])
        try file.write([.erase("Person", 1)])
        #expect(try streets().isEmpty && count("Part") == 0 && count("Person") == 1)
        try file.write([.create("Person", 1)] + Self.full + [.erase("Person", 1), .erase("Person", 2)])
        #expect(try streets().isEmpty)
    }

    @Test func droppingAPropertyDropsItsObjects() throws {
        try file.write(Self.full)
        try file.write([.eraseColumn(className: "Person", property: "former")])
        #expect(try streets() == ["Main", "Mill"])
        try file.write([.eraseColumn(className: "Address", property: "parts")])
        #expect(try count("Part") == 0)
        try file.write([.eraseTable(className: "Part")])
        #expect(throws: StoreError.self) { try file.write([.eraseTable(className: "Address")]) }
        try file.write([
            .eraseColumn(className: "Address", property: "owner"), .eraseTable(className: "Person")
        ])
        #expect(try streets().isEmpty)
        var schema = Self.schema
        schema.classes[0].properties.removeLast(2)
        try file.ensure(schema, version: 2)
        #expect(try file.snapshot().checkInvariants() == [])
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var rule: String
        var instructions: [Instruction]
        var testDescription: String { rule }

        init(_ rule: String, _ instructions: Instruction...) {
            self.rule = rule
            self.instructions = instructions
        }
    }

    static let refused: [Case] = [
        Case("C-128 creating one directly", .createObject(className: "Address", key: .global(high: 0, low: 9))),
        Case("C-128 erasing one directly", .eraseObject(className: "Address", key: .global(high: 0, low: 0))),
        Case(
            "C-148 link to one",
            set(path("home"), .link(Link(className: "Address", key: .global(high: 0, low: 0))))),
        Case("C-130 through a null slot", set(path("home", .name("street"), person: 2), .string("x"))),
        Case("C-130 through a missing key", set(path("other", .name("x"), .name("street")), .string("x"))),
        Case("C-130 beyond the list", set(path("former", .index(1), .name("street")), .string("x"))),
        Case("C-130 unknown property", set(path("home", .name("city")), .string("x"))),
        Case("C-130 index into one", .updateElement(path("home", .index(0)), .value(.null), priorSize: 1)),
        Case("C-130 across a link", set(path("home", .name("owner"), .name("id")), .int(1))),
        Case("C-148 null in a list", .arrayInsert(path("former", .index(0)), .value(.null), priorSize: 1)),
        Case("C-148 value", set(path("home"), .int(1))),
        Case("C-148 list", .update(path("home"), .list, isDefault: false)),
        Case(
            "C-133 set of them",
            .addColumn(
                className: "Person", property: "all",
                ColumnDeclaration(type: 9, isNullable: false, collection: .set, target: "Address", keyType: nil))),
        Case(
            "C-133 circle",
            .addColumn(
                className: "Part", property: "whole",
                ColumnDeclaration(type: 9, isNullable: true, collection: .single, target: "Address", keyType: nil))),
        Case("C-131 class of another kind", .addTable(className: "Person", kind: .embedded, key: nil))
    ]

    @Test(arguments: refused) func refuses(_ test: Case) throws {
        try file.write(Self.full)
        let error = #expect(throws: StoreError.self) { try file.write(test.instructions) }
        #expect(error?.code == .badChangeset, "\(String(describing: error))")
        #expect(try streets() == ["Main", "Old", "Mill"])
    }

    @Test func circlesOfEmbeddedClassesAreRefused() throws {
        let circle = RealmSchema([
            ClassSchema("A", kind: .embedded, [PropertySchema("a", .link, nullable: true, target: "A")])
        ])
        let error = #expect(throws: StoreError.self) { try file.ensure(circle, version: 1) }
        #expect(error?.code == .schemaMismatch && error?.details.count == 1)
    }

    @Test("C-120: deleting makes links null, or takes them out of their collections")
    func deletion() throws {
        let link = Value.link(Link(className: "Person", key: .int(2)))
        try file.ensure(
            RealmSchema([
                ClassSchema(
                    "Club", primaryKey: "id",
                    [
                        PropertySchema("id", .int),
                        PropertySchema("chair", .link, nullable: true, target: "Person"),
                        PropertySchema("members", .link, collection: .list, target: "Person"),
                        PropertySchema("guests", .link, collection: .set, target: "Person"),
                        PropertySchema("roles", .link, nullable: true, collection: .dictionary, target: "Person")
                    ])
            ]), .additive)
        let club = { (property: String, rest: [PathElement]) in
            InstructionPath("Club", .int(1), property, rest)
        }
        try file.write(
            Self.full + [
                .create("Club", 1), .create("Person", 3), Self.set(Self.path("home", .name("owner")), link),
                .set("Club", 1, "chair", link), .setInsert(club("guests", []), .value(link)),
                .setInsert(club("guests", []), .value(.link(Link(className: "Person", key: .int(3))))),
                Self.set(club("roles", [.name("cook")]), link)
            ]
                + [2, 3, 1, 2, 2].enumerated().map { index, key in
                    .arrayInsert(
                        club("members", [.index(UInt32(index))]),
                        .value(.link(Link(className: "Person", key: .int(key)))), priorSize: UInt32(index))
                })
        let snapshot = try file.snapshot()
        let people = try #require(snapshot.table(named: "Person"))
        try file.write(snapshot.deletion(of: [ObjectKey(1), ObjectKey(2), ObjectKey(99)], in: people))
        let after = try file.snapshot()
        #expect(after.checkInvariants() == [])
        let clubs = try #require(after.table(named: "Club"))
        func list(_ name: String) throws -> [Value] {
            clubs.list(ObjectKey(0), try #require(clubs.stored.column(named: name))).values
        }
        #expect(try list("members") == [.link(Link(className: "Person", key: .int(1)))])
        #expect(try list("guests").isEmpty && list("roles") == [.null])
        #expect(clubs.value(ObjectKey(0), try #require(clubs.stored.column(named: "chair"))) == .null)
        #expect(after.table(named: "Person")?.record.tombstones == 0 && after.table(named: "Person")?.count == 1)
    }

    @Test(arguments: [
        ("home.street == 'Main'", [1]), ("home == nil", [2]), ("home.parts.name == 'attic'", [1]),
        ("ANY former.street BEGINSWITH 'O'", [1]), ("other['work'].street == 'Mill'", [1]),
        ("other.street == 'Mill'", [1]), ("home.parts.tags == 'dark'", [1]), ("home.parts.@count == 1", [1]),
        ("home.floors.@max == 3", [1]), ("NONE home.parts.guests.id == 2", [2]), ("former.@count == 0", [2]),
        ("@links.Part.guests.@count == 1", [2])
    ])
    func queries(_ text: String, _ expected: [Int64]) throws {
        try file.write(Self.full)
        let snapshot = try file.snapshot()
        var query = ClassQuery("Person")
        (query.condition, query.descriptors) = try RQL.parse(text, arguments: [])
        let found = try snapshot.objects(query.checked(in: snapshot.schema.realmSchema))
        let table = try #require(snapshot.table(named: "Person"))
        #expect(found.compactMap { table.primaryKey(of: $0)?.value } == expected.map { .int($0) })
    }
}
