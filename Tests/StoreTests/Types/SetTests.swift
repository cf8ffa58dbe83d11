import Foundation
import Model
import Query
import Testing

@testable import Store

@Suite struct SetTests {
    static let schema = RealmSchema([
        ClassSchema(
            "Shop", primaryKey: "id",
            [
                PropertySchema("id", .int),
                PropertySchema("sizes", .double, nullable: true, collection: .set),
                PropertySchema("prices", .decimal, collection: .set),
                PropertySchema("tags", .string, collection: .set),
                PropertySchema("partners", .link, collection: .set, target: "Shop")
            ])
    ])

    private let realm = TestRealm()
    private let file: RealmFile

    init() throws {
        file = try realm.open()
        try file.ensure(Self.schema)
        try file.write([.create("Shop", 1), .create("Shop", 2), .create("Shop", 3)])
    }

    private static func path(_ property: String, shop: Int64 = 1) -> InstructionPath {
        InstructionPath("Shop", .int(shop), property)
    }

    private static func insert(_ property: String, _ value: Value, shop: Int64 = 1) -> Instruction {
        .setInsert(path(property, shop: shop), .value(value))
    }

    private static func erase(_ property: String, _ value: Value) -> Instruction {
        .setErase(path(property), .value(value))
    }

    private static func link(_ shop: Int64) -> Value { .link(Link(className: "Shop", key: .int(shop))) }

    private func set(_ property: String, shop: Int64 = 1) throws -> [Value] {
        let snapshot = try file.snapshot()
        let table = try #require(snapshot.table(named: "Shop"))
        let column = try #require(table.stored.column(named: property))
        #expect(snapshot.checkInvariants() == [])
        return table.set(try #require(table.find(.int(shop))), column).elements.values
    }

    @Test func elementsLieInTheOrderOfSets() throws {
        let values: [Value] = [.double(2), .double(-1), .null, .double(.nan), .double(.infinity), .double(0.5)]
        try file.write(values.map { Self.insert("sizes", $0) } + values.map { Self.insert("sizes", $0) })
        #expect(
            try set("sizes") == [.null, .double(.nan), .double(-1), .double(0.5), .double(2), .double(.infinity)])
        try file.write([
            Self.erase("sizes", .null), Self.erase("sizes", .double(.nan)), Self.erase("sizes", .double(7)),
            Self.erase("sizes", .double(-1))
        ])
        #expect(try set("sizes") == [.double(0.5), .double(2), .double(.infinity)])
        try file.write([.clear(Self.path("sizes"), .set)])
        #expect(try set("sizes").isEmpty)
    }

    @Test("C-168: an equal element is spelt anew")
    func newSpelling() throws {
        let one = try #require(Decimal128("1.0"))
        let other = try #require(Decimal128("1.00"))
        try file.write([Self.insert("prices", .decimal(one)), Self.insert("prices", .decimal(other))])
        #expect(try set("prices") == [.decimal(other)])
        try file.write([Self.insert("sizes", .double(0)), Self.insert("sizes", .double(-0.0))])
        #expect(try set("sizes") == [.double(-0.0)])
        try file.write([Self.erase("prices", .decimal(one)), Self.erase("sizes", .double(0))])
        #expect(try set("prices").isEmpty && set("sizes").isEmpty)
    }

    @Test func manyElementsAreFoundInTheFile() throws {
        let words = (0..<5_000).map { "word \(String(format: "%05d", $0 * 11 % 5_000))" }
        try file.write(words.map { Self.insert("tags", .string($0)) })
        #expect(try set("tags") == words.sorted().map { .string($0) })
        let snapshot = try file.snapshot()
        let table = try #require(snapshot.table(named: "Shop"))
        let view = table.set(ObjectKey(0), try #require(table.stored.column(named: "tags")))
        for (index, word) in words.sorted().enumerated() { #expect(view.index(of: Value.string(word)) == index) }
        #expect(view.index(of: Value.string("word")) == nil && view.index(of: Value.int(1)) == nil)
        try file.write(words.filter { $0.hasSuffix("7") }.map { Self.erase("tags", .string($0)) })
        #expect(try set("tags").count == 4_500)
    }

    @Test func linksAreKnownAtTheirTargets() throws {
        try file.write([3, 2, 9, 2].map { Self.insert("partners", Self.link($0)) })
        let snapshot = try file.snapshot()
        let table = try #require(snapshot.table(named: "Shop"))
        #expect(try set("partners") == [Self.link(2), Self.link(3), .null])
        #expect(table.incomingLinks(to: ObjectKey(1)).map(\.count) == [1])
        let column = try #require(table.stored.column(named: "partners"))
        #expect(table.set(ObjectKey(0), column).index(of: Self.link(3)) == 1)
        #expect(table.set(ObjectKey(0), column).index(of: Self.link(9)) == nil)
        // A link to an object that isn't there is erased like others; one to an object never heard of isn't there.
        try file.write([Self.erase("partners", Self.link(9)), Self.erase("partners", Self.link(77))])
        #expect(try set("partners") == [Self.link(2), Self.link(3)])
        #expect(try #require(try file.snapshot().table(named: "Shop")).record.tombstones == 1)
        try file.write([.erase("Shop", 1)])
        #expect(try #require(try file.snapshot().table(named: "Shop")).incomingLinks(to: ObjectKey(1)) == [])
        #expect(try file.snapshot().checkInvariants() == [])
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
        Case("C-148 another type", insert("sizes", .int(1))),
        Case("C-148 null in a set of required values", insert("tags", .null)),
        Case("C-171 null erased from a set of required values", erase("tags", .null)),
        Case("C-148 null in a set of links", insert("partners", .null)),
        Case("C-148 link to another class", insert("partners", .link(Link(className: "Cat", key: .int(1))))),
        Case("C-148 assignment to the set", .update(path("tags"), .value(.string("x")), isDefault: false)),
        Case(
            "C-130 element by index",
            .updateElement(
                InstructionPath("Shop", .int(1), "tags", [.index(0)]), .value(.string("x")), priorSize: 1)),
        Case(
            "C-130 inserting by index",
            .arrayInsert(
                InstructionPath("Shop", .int(1), "tags", [.index(0)]), .value(.string("x")), priorSize: 1)),
        Case("C-144 kind of another collection", .clear(path("tags"), .list)),
        Case("C-130 property with one value", insert("id", .int(1)))
    ]

    @Test(arguments: refused) func refuses(_ test: Case) throws {
        try file.write([Self.insert("tags", .string("a"))])
        let error = #expect(throws: StoreError.self) { try file.write([test.instruction]) }
        #expect(error?.code == .badChangeset, "\(String(describing: error))")
        #expect(try set("tags") == [.string("a")])
    }

    @Test func becomingRequiredKeepsElementsApart() throws {
        try file.write([
            Self.insert("sizes", .null), Self.insert("sizes", .double(0)), Self.insert("sizes", .double(-1)),
            Self.insert("sizes", .null, shop: 2), Self.insert("sizes", .double(-1), shop: 2)
        ])
        var schema = Self.schema
        schema.classes[0].properties[1].isNullable = false
        try file.ensure(schema, version: 1)
        #expect(try set("sizes") == [.double(-1), .double(0)])
        #expect(try set("sizes", shop: 2) == [.double(-1), .double(0)])
    }
}
