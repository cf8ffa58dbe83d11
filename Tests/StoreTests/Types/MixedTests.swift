import Foundation
import Model
import Testing

@testable import Store

@Suite struct MixedTests {
    static let schema = RealmSchema([
        ClassSchema(
            "Note", primaryKey: "id",
            [
                PropertySchema("id", .int), PropertySchema("any", .mixed, nullable: true),
                PropertySchema("list", .mixed, nullable: true, collection: .list),
                PropertySchema("set", .mixed, nullable: true, collection: .set),
                PropertySchema("map", .mixed, nullable: true, collection: .dictionary),
                PropertySchema("part", .link, nullable: true, target: "Part")
            ]),
        ClassSchema("Part", kind: .embedded, [PropertySchema("any", .mixed, nullable: true)]),
        ClassSchema("Other", primaryKey: "name", [PropertySchema("name", .string)])
    ])

    private let realm = TestRealm()
    private let file: RealmFile

    init() throws {
        file = try realm.open()
        try file.ensure(Self.schema)
        try file.write([.create("Note", 1), .create("Note", 2), .createObject(className: "Other", key: .string("x"))])
    }

    private static func path(_ property: String, _ rest: PathElement...) -> InstructionPath {
        InstructionPath("Note", .int(1), property, rest)
    }

    private static func set(_ path: InstructionPath, _ payload: Payload) -> Instruction {
        if case .index? = path.rest.last { return .updateElement(path, payload, priorSize: 0) }
        return .update(path, payload, isDefault: false)
    }

    private static func insert(_ path: InstructionPath, _ payload: Payload, _ prior: UInt32) -> Instruction {
        .arrayInsert(path, payload, priorSize: prior)
    }

    private static let other = Value.link(Link(className: "Other", key: .string("x")))

    /// The property of object 1 as nested Swift values.
    private func read(_ property: String) throws -> Node {
        let snapshot = try file.snapshot()
        #expect(snapshot.checkInvariants() == [])
        let table = try #require(snapshot.table(named: "Note"))
        return try #require(snapshot.node(table, ObjectKey(0))[property])
    }

    private func links(_ name: String, _ key: Int64 = 0) throws -> Int {
        try #require(try file.snapshot().table(named: name)).incomingLinks(to: ObjectKey(key)).reduce(0) {
            $0 + $1.count
        }
    }

    @Test func aMixedKeepsItsValuesType() throws {
        let values: [Value] = [
            .null, .int(1), .int(-129), .int(40_000), .int(1 << 40), .int(.min), .bool(true), .string(""), .string("é"),
            .string(String(repeating: "long ", count: 300)), .binary(Data()), .binary(Data([1, 2])), .double(1),
            .float(-.infinity), .timestamp(Timestamp(seconds: -5, nanoseconds: -7)),
            .decimal(try #require(Decimal128("1.50"))),
            .objectId(ObjectId(high: 1, low: 2)), .uuid(UUID()), Self.other,
            .link(Link(className: "Note", key: .int(2)))
        ]
        for value in values + values.reversed() {
            try file.write([Self.set(Self.path("any"), .value(value))])
            #expect(try read("any") == .value(value))
        }
        try file.write(
            values.enumerated().map { Self.insert(Self.path("list", .index(UInt32($0))), .value($1), UInt32($0)) })
        #expect(try read("list") == .list(values.map { .value($0) }))
        #expect(try links("Other") == 1 && links("Note", 1) == 1)
        try file.write([.erase("Note", 1)])
        #expect(try links("Other") == 0 && links("Note", 1) == 0)
        #expect(try file.snapshot().checkInvariants() == [])
    }

    @Test("C-119, C-151: collections inside a Mixed, and what replaces them")
    func nesting() throws {
        let any = { (rest: PathElement...) in InstructionPath("Note", .int(1), "any", rest) }
        try file.write([
            Self.set(any(), .dictionary), Self.set(any(.name("k")), .value(.int(1))), Self.set(any(.name("l")), .list),
            Self.insert(any(.name("l"), .index(0)), .value(Self.other), 0),
            Self.insert(any(.name("l"), .index(1)), .dictionary, 1),
            Self.set(any(.name("l"), .index(1), .name("z")), .value(.bool(true)))
        ])
        let inner = Node.dictionary([Node.Entry(key: Array("z".utf8), node: .value(.bool(true)))])
        func entries(_ list: Node) -> Node {
            .dictionary([
                Node.Entry(key: Array("k".utf8), node: .value(.int(1))), Node.Entry(key: Array("l".utf8), node: list)
            ])
        }
        #expect(try read("any") == entries(.list([.value(Self.other), inner])))
        // Asking for what is there changes nothing; moving takes the contents along.
        try file.write([
            Self.set(any(), .dictionary), Self.set(any(.name("l")), .list),
            Self.set(any(.name("l"), .index(1)), .dictionary),
            .arrayMove(any(.name("l"), .index(1)), to: 0, priorSize: 2)
        ])
        #expect(try read("any") == entries(.list([inner, .value(Self.other)])))
        #expect(try links("Other") == 1)
        try file.write([Self.set(any(.name("l")), .dictionary)])
        #expect(try read("any") == entries(.dictionary([])) && links("Other") == 0)
        try file.write([Self.set(any(.name("l")), .value(.int(3))), .clear(any(.name("l")), .list)])
        #expect(try read("any") == entries(.list([])))
        try file.write([.clear(any(), .list)])
        #expect(try read("any") == .list([]))
        try file.write([Self.insert(any(.index(0)), .list, 0), .clear(any(.index(0)), .dictionary)])
        #expect(try read("any") == .list([.dictionary([])]))
        try file.write([.clear(any(.index(0), .name("missing")), .list)])
        #expect(try read("any") == .list([.dictionary([Node.Entry(key: Array("missing".utf8), node: .list([]))])]))
        try file.write([.erase("Note", 1)])
        #expect(try file.snapshot().checkInvariants() == [])
    }

    @Test func setsTellNumbersByValueAndKeepTheirOrder() throws {
        let values: [Value] = [
            .string("1"), .int(1), .double(1), .decimal(try #require(Decimal128("1.00"))), .bool(true), .null,
            .binary(Data("1".utf8)), Self.other, .float(0.5), .double(.nan), .timestamp(Timestamp(seconds: 1)),
            .link(Link(className: "Note", key: .int(2)))
        ]
        try file.write(values.map { .setInsert(Self.path("set"), .value($0)) })
        let snapshot = try file.snapshot()
        let table = try #require(snapshot.table(named: "Note"))
        let set = table.set(ObjectKey(0), try #require(table.stored.column(named: "set")))
        #expect(
            set.elements.values == [
                .null, .bool(true), .double(.nan), .float(0.5), .decimal(try #require(Decimal128("1.00"))),
                .string("1"), .binary(Data("1".utf8)), .timestamp(Timestamp(seconds: 1)),
                .link(Link(className: "Note", key: .int(2))), Self.other
            ])
        #expect(
            set.index(of: Value.int(1)) == 4 && set.index(of: Self.other) == 9 && set.index(of: Value.int(2)) == nil)
        try file.write([.setErase(Self.path("set"), .value(.int(1))), .setErase(Self.path("set"), .value(Self.other))])
        #expect(try links("Other") == 0)
        #expect(try file.snapshot().checkInvariants() == [])
    }

    @Test("C-140: adding to a Mixed")
    func adding() throws {
        try file.write([.addInteger(Self.path("any"), 5)])
        #expect(try read("any") == .value(.null))
        try file.write([Self.set(Self.path("any"), .value(.int(.max))), .addInteger(Self.path("any"), 2)])
        #expect(try read("any") == .value(.int(.min + 1)))
        try file.write([Self.set(Self.path("any"), .value(.double(1)))])
        #expect(throws: StoreError.self) { try file.write([.addInteger(Self.path("any"), 2)]) }
    }

    @Test("C-13, C-132: links to what isn't there read as null")
    func unresolved() throws {
        let later = Value.link(Link(className: "Other", key: .string("later")))
        try file.write([
            Self.set(Self.path("any"), .value(later)), Self.insert(Self.path("list", .index(0)), .value(later), 0),
            Self.set(Self.path("map", .name("k")), .value(Self.other))
        ])
        #expect(try read("any") == .value(.null) && read("list") == .list([.value(.null)]))
        try file.write([.createObject(className: "Other", key: .string("later"))])
        #expect(try read("any") == .value(later) && read("list") == .list([.value(later)]))
        try file.write([.eraseTable(className: "Other")])
        #expect(try read("any") == .value(.null))
        #expect(try read("map") == .dictionary([Node.Entry(key: Array("k".utf8), node: .value(.null))]))
        try file.write([
            Self.set(Self.path("any"), .value(.int(1))), .clear(Self.path("list"), .list), .erase("Note", 1)
        ])
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
        Case("C-130 into a scalar", set(path("list", .index(0), .name("x")), .value(.int(1)))),
        Case("C-130 key of a list", set(path("any", .name("x")), .value(.int(1)))),
        Case("C-130 beyond the list", set(path("any", .index(5), .name("x")), .value(.int(1)))),
        Case("C-138 beyond the list", set(path("any", .index(5)), .list)),
        Case("C-130 set inside a Mixed", .setInsert(path("any"), .value(.int(1)))),
        Case("C-148 set", set(path("any"), .set)),
        Case("C-148 embedded object", set(path("any"), .embeddedObject)),
        Case("C-148 erased", set(path("any"), .erased)),
        Case("C-148 link to an unknown class", set(path("any"), .value(.link(Link(className: "Cat", key: .int(1)))))),
        Case(
            "C-148 link to an embedded class",
            set(path("any"), .value(.link(Link(className: "Part", key: .global(high: 0, low: 0)))))),
        Case("C-128 key of another type", set(path("any"), .value(.link(Link(className: "Other", key: .int(1)))))),
        Case("C-41", set(path("any"), .value(.timestamp(Timestamp(seconds: 1, nanoseconds: -1))))),
        Case("C-26", set(path("any"), .value(.malformedString([0xFF])))),
        Case("C-150 kind none", .clear(path("any"), .single)),
        Case("C-150 kind set", .clear(path("any"), .set)),
        Case("C-150 beyond the list", .clear(path("list", .index(1)), .list)),
        Case("C-54 prior size", insert(path("any", .index(0)), .value(.int(1)), 0))
    ]

    @Test(arguments: refused) func refuses(_ test: Case) throws {
        try file.write([
            Self.set(Self.path("any"), .list), Self.insert(Self.path("any", .index(0)), .value(.int(1)), 0),
            Self.insert(Self.path("list", .index(0)), .value(.int(1)), 0)
        ])
        let error = #expect(throws: StoreError.self) { try file.write([test.instruction]) }
        #expect(error?.code == .badChangeset, "\(String(describing: error))")
        #expect(try read("any") == .list([.value(.int(1))]))
    }

    @Test("C-14: a hundred collections in one another, and no more")
    func deepest() throws {
        var instructions = [Self.set(Self.path("any"), .list)]
        var rest: [PathElement] = []
        for _ in 1..<100 {
            rest.append(.index(0))
            instructions.append(.arrayInsert(InstructionPath("Note", .int(1), "any", rest), .list, priorSize: 0))
        }
        try file.write(instructions)
        #expect(try file.snapshot().checkInvariants() == [])
        rest.append(.index(0))
        let deepest = InstructionPath("Note", .int(1), "any", rest)
        #expect(throws: StoreError.self) { try file.write([.arrayInsert(deepest, .list, priorSize: 0)]) }
        try file.write([.arrayInsert(deepest, .value(.int(1)), priorSize: 0)])
        let endless = InstructionPath("Note", .int(1), "any", Array(repeating: .index(0), count: 5_000))
        #expect(throws: StoreError.self) { try file.write([.arrayInsert(endless, .list, priorSize: 0)]) }
        try file.write([Self.set(Self.path("any"), .value(.null))])
        #expect(try file.snapshot().checkInvariants() == [])
    }

    @Test func aDroppedPropertyLeavesNothing() throws {
        try file.write([
            Self.set(Self.path("any"), .list), Self.insert(Self.path("any", .index(0)), .list, 0),
            Self.insert(Self.path("any", .index(0), .index(0)), .value(Self.other), 0),
            Self.set(Self.path("map", .name("k")), .dictionary),
            Self.set(Self.path("map", .name("k"), .name("o")), .value(Self.other)),
            Self.set(Self.path("part"), .embeddedObject),
            Self.set(Self.path("part", .name("any")), .list),
            Self.insert(Self.path("part", .name("any"), .index(0)), .value(Self.other), 0)
        ])
        #expect(try links("Other") == 3)
        for (property, left) in [("any", 2), ("map", 1), ("part", 0)] {
            try file.write([.eraseColumn(className: "Note", property: property)])
            #expect(try links("Other") == left)
            #expect(try file.snapshot().checkInvariants() == [])
        }
    }

    @Test("C-120: deleting takes links out of nested collections")
    func deletion() throws {
        try file.write([
            Self.set(Self.path("any"), .list), Self.insert(Self.path("any", .index(0)), .value(Self.other), 0),
            Self.insert(Self.path("any", .index(1)), .dictionary, 1),
            Self.set(Self.path("any", .index(1), .name("o")), .value(Self.other)),
            Self.insert(Self.path("any", .index(2)), .value(Self.other), 2),
            Self.insert(Self.path("list", .index(0)), .value(Self.other), 0),
            .setInsert(Self.path("set"), .value(Self.other)), .setInsert(Self.path("set"), .value(.int(1))),
            Self.set(Self.path("map", .name("o")), .value(Self.other))
        ])
        let snapshot = try file.snapshot()
        let others = try #require(snapshot.table(named: "Other"))
        try file.write(snapshot.deletion(of: [ObjectKey(0)], in: others))
        let null = Node.Entry(key: Array("o".utf8), node: .value(.null))
        #expect(try read("any") == .list([.dictionary([null])]))
        #expect(try read("list") == .list([]) && read("set") == .set([.int(1)]) && read("map") == .dictionary([null]))
        #expect(try #require(try file.snapshot().table(named: "Other")).record.tombstones == 0)
    }
}
