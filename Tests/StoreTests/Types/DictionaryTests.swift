import Foundation
import Model
import Query
import Testing

@testable import Store

@Suite struct DictionaryTests {
    static let schema = RealmSchema([
        ClassSchema(
            "Shop", primaryKey: "id",
            [
                PropertySchema("id", .int),
                PropertySchema("prices", .int, collection: .dictionary),
                PropertySchema("notes", .string, nullable: true, collection: .dictionary),
                PropertySchema("staff", .link, nullable: true, collection: .dictionary, target: "Shop"),
                PropertySchema("tags", .string, collection: .list)
            ])
    ])

    private let realm = TestRealm()
    private let file: RealmFile

    init() throws {
        file = try realm.open()
        try file.ensure(Self.schema)
        try file.write([.create("Shop", 1), .create("Shop", 2), .create("Shop", 3)])
    }

    private static func path(_ property: String, _ key: String? = nil, shop: Int64 = 1) -> InstructionPath {
        InstructionPath("Shop", .int(shop), property, key.map { [.name($0)] } ?? [])
    }

    private static func put(_ property: String, _ key: String, _ value: Value, shop: Int64 = 1) -> Instruction {
        .update(path(property, key, shop: shop), .value(value), isDefault: false)
    }

    private static func link(_ shop: Int64) -> Value { .link(Link(className: "Shop", key: .int(shop))) }

    private func dictionary(_ property: String, shop: Int64 = 1) throws -> [DictionaryEntry] {
        let snapshot = try file.snapshot()
        let table = try #require(snapshot.table(named: "Shop"))
        let column = try #require(table.stored.column(named: property))
        #expect(snapshot.checkInvariants() == [])
        return table.dictionary(try #require(table.find(.int(shop))), column).entries.map { DictionaryEntry($0, $1) }
    }

    @Test func entriesLieInTheOrderOfTheirKeysBytes() throws {
        try file.write(
            ["b", "a", "é", "", "a.b", "$x", "Z"].enumerated().map { Self.put("prices", $1, .int(Int64($0))) })
        #expect(try dictionary("prices").map(\.key) == ["", "$x", "Z", "a", "a.b", "b", "é"])
        try file.write([
            Self.put("prices", "a", .int(9)), .update(Self.path("prices", "b"), .erased, isDefault: false),
            .update(Self.path("prices", "none"), .erased, isDefault: false)
        ])
        #expect(
            try dictionary("prices").filter { ["a", "b"].contains($0.key) } == [DictionaryEntry("a", .int(9))])
        try file.write([.clear(Self.path("prices"), .dictionary)])
        #expect(try dictionary("prices").isEmpty)
    }

    @Test("keys that Unicode takes for equal are two keys")
    func keysAreBytes() throws {
        try file.write([Self.put("prices", "\u{e4}", .int(1)), Self.put("prices", "a\u{308}", .int(2))])
        #expect(try dictionary("prices").map(\.value) == [.int(2), .int(1)])
    }

    @Test func manyEntriesAreFoundInTheFile() throws {
        var keys = (0..<5_000).map { "key \(String(format: "%05d", $0 * 7 % 5_000))" }
        try file.write(keys.map { Self.put("notes", $0, .string("note of \($0)")) })
        keys.sort()
        #expect(try dictionary("notes").map(\.key) == keys)
        let snapshot = try file.snapshot()
        let table = try #require(snapshot.table(named: "Shop"))
        let column = try #require(table.stored.column(named: "notes"))
        let view = table.dictionary(ObjectKey(0), column)
        for (index, key) in keys.enumerated() { #expect(view.index(of: key) == index) }
        #expect(view["key 00017"] == .string("note of key 00017") && view["key 5"] == nil && view[""] == nil)
        try file.write(
            keys.filter { $0.hasSuffix("3") }.map { .update(Self.path("notes", $0), .erased, isDefault: false) })
        #expect(try dictionary("notes").count == 4_500)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var rule: String
        var instruction: Instruction
        var testDescription: String { rule }

        init(_ rule: String, _ instruction: Instruction) {
            self.rule = rule
            self.instruction = instruction
        }
    }

    static let refused: [Case] = [
        Case(
            "C-130 index into a dictionary",
            .updateElement(
                InstructionPath("Shop", .int(1), "prices", [.index(0)]), .value(.int(1)), priorSize: 1)),
        Case("C-130 key of a list", put("tags", "a", .string("x"))),
        Case(
            "C-130 step below a value",
            .update(
                InstructionPath("Shop", .int(1), "prices", [.name("a"), .name("b")]), .value(.int(1)), isDefault: false)
        ),
        Case(
            "C-130 step across a link",
            .update(
                InstructionPath("Shop", .int(1), "staff", [.name("a"), .name("prices")]), .value(.int(1)),
                isDefault: false)),
        Case("C-144 kind of another collection", .clear(path("prices"), .list)),
        Case("C-144 clear of a value", .clear(path("prices", "a"), .dictionary)),
        Case("C-147 adding to a value", .addInteger(path("prices", "a"), 1)),
        Case("C-148 value to the dictionary itself", .update(path("prices"), .value(.int(1)), isDefault: false)),
        Case("C-148 value of another type", put("prices", "a", .string("x"))),
        Case("C-148 null where there is none", put("prices", "a", .null)),
        Case("C-148 link to another class", put("staff", "a", .link(Link(className: "Cat", key: .int(1))))),
        Case("C-148 nested list", .update(path("prices", "a"), .list, isDefault: false)),
        Case("C-148 embedded object", .update(path("staff", "a"), .embeddedObject, isDefault: false)),
        Case("C-148 set", .update(path("prices", "a"), .set, isDefault: false)),
        Case("C-130 set of a dictionary", .setInsert(path("prices"), .value(.int(1))))
    ]

    @Test(arguments: refused) func refuses(_ test: Case) throws {
        try file.write([Self.put("prices", "a", .int(1)), Self.put("staff", "a", Self.link(2))])
        let error = #expect(throws: StoreError.self) { try file.write([test.instruction]) }
        #expect(error?.code == .badChangeset || error?.code == .unsupportedChange)
        #expect(try dictionary("prices") == [DictionaryEntry("a", .int(1))])
    }

    @Test func linksAreKnownAtTheirTargets() throws {
        try file.write([
            Self.put("staff", "boss", Self.link(2)), Self.put("staff", "deputy", Self.link(2)),
            Self.put("staff", "none", .null), Self.put("staff", "new", Self.link(9))
        ])
        let snapshot = try file.snapshot()
        let table = try #require(snapshot.table(named: "Shop"))
        #expect(table.incomingLinks(to: ObjectKey(1)).map(\.count) == [2])
        #expect(try dictionary("staff").map(\.value) == [Self.link(2), Self.link(2), .null, .null])
        // An object that comes makes its links visible; one that goes hides them (C-13).
        try file.write([.create("Shop", 9), .erase("Shop", 2)])
        #expect(try dictionary("staff").map(\.value) == [.null, .null, Self.link(9), .null])
        try file.write([.erase("Shop", 1), .create("Shop", 2)])
        #expect(try #require(try file.snapshot().table(named: "Shop")).incomingLinks(to: ObjectKey(1)) == [])
    }

    @Test func becomingRequiredFillsNulls() throws {
        try file.write([Self.put("notes", "a", .null), Self.put("notes", "b", .string("x"))])
        var schema = Self.schema
        schema.classes[0].properties[2].isNullable = false
        try file.ensure(schema, version: 1)
        #expect(try dictionary("notes").map(\.value) == [.string(""), .string("x")])
        schema.classes[0].properties.remove(at: 3)
        try file.ensure(schema, version: 2)
        #expect(try file.snapshot().checkInvariants() == [])
    }

    @Test("a file of format 1 becomes one of format 2 with its first dictionary")
    func raisesTheFormat() throws {
        let other = TestRealm()
        let stamp = FileStamp(format: 1, identity: UUID(), generation: 1)
        try RecordCopy.write(for: other.path, stamp: stamp, isDurable: true) { store in
            try store.put(store.databases.meta, .meta(MetaKey.format), [1, 0, 0, 0])
            try store.put(store.databases.meta, .meta(MetaKey.version), number: 1)
            try store.put(store.databases.meta, .meta(MetaKey.schema), StoredSchema.empty.encoded())
        }.place()
        func formats() throws -> [UInt32] {
            let descriptor = try FileSystem.openFile(other.path, O_RDONLY)
            defer { close(descriptor) }
            let snapshot = try FileReader(path: other.path).snapshot()
            let record = snapshot.transaction.get(
                snapshot.transaction.environment.databases.meta, .meta(MetaKey.format))
            return [try FileStamp.read(descriptor, path: other.path).format, UInt32(record?[0] ?? 0)]
        }
        let file = try other.open()
        try file.ensure(dogs)
        #expect(try formats() == [1, 1])
        try file.ensure(RealmSchema(dogs.classes + Self.schema.classes))
        #expect(try formats() == [2, 2])
        try file.compact()
        #expect(try formats() == [2, 2])
    }

    @Test(arguments: [
        ("prices['a'] == 1", [1]), ("prices['b'] == nil", [1, 3]), ("prices.@keys == 'b'", [2]),
        ("ANY prices.@values > 5", [2]), ("prices > 5", [2]), ("ALL prices < 9", [1, 3]),
        ("NONE prices == 1", [2, 3]), ("prices.@count == 0", [3]), ("prices.@sum == 17", [2]),
        ("staff['boss'].prices['b'] == 9", [1]), ("staff.prices.@count == 2", [1]), ("staff.@count == 1", [1]),
        ("staff['boss'] == nil", [2, 3]), ("staff.@keys == 'gone'", [1]), ("ANY staff.tags == 'x'", [1]),
        ("notes['n'] CONTAINS 'lo'", [2]), ("notes['n'].@size == 5", [2])
    ])
    func queries(_ text: String, _ expected: [Int64]) throws {
        try file.write([
            Self.put("prices", "a", .int(1)), Self.put("prices", "a", .int(8), shop: 2),
            Self.put("prices", "b", .int(9), shop: 2), Self.put("staff", "boss", Self.link(2)),
            Self.put("staff", "gone", .null), Self.put("notes", "n", .string("hello"), shop: 2),
            .insert("Shop", 2, "tags", 0, .string("x"), prior: 0)
        ])
        let snapshot = try file.snapshot()
        var query = ClassQuery("Shop")
        (query.condition, query.descriptors) = try RQL.parse(text, arguments: [])
        let found = try snapshot.objects(query.checked(in: snapshot.schema.realmSchema))
        let table = try #require(snapshot.table(named: "Shop"))
        #expect(found.compactMap { table.primaryKey(of: $0)?.value } == expected.map { .int($0) })
    }
}
