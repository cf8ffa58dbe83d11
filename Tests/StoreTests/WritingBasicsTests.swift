import Foundation
import Model
import Testing

@testable import Store

@Suite struct WritingBasicsTests {
    @Test func aNewFileHasVersionOneAndNoClasses() throws {
        let realm = TestRealm()
        let file = try realm.open()
        #expect(file.wasCreated && file.version == 1 && file.generation == 1)
        #expect(try file.snapshot().schema.tables.isEmpty)
    }

    @Test func valuesOfEveryTypeComeBack() throws {
        let realm = TestRealm()
        let file = try realm.open()
        try file.ensure(dogs)
        let values: [(String, Value)] = [
            ("name", .string("Rex")), ("nick", .string("R")), ("age", .int(-7)), ("good", .bool(true)),
            ("weight", .double(12.5)), ("height", .float(0.25)),
            ("born", .timestamp(Timestamp(seconds: -5, nanoseconds: -7))),
            ("tag", .objectId(ObjectId(high: 1 << 63 | 5, low: 0xFFFF_FFFF))), ("chip", .uuid(UUID())),
            ("price", .decimal(Decimal128(low: 1050, high: 0x303C_0000_0000_0000))),
            ("photo", .binary(Data([0, 1, 255]))),
            ("mother", .link(Link(className: "Dog", key: .int(1))))
        ]
        try file.write([.create("Dog", 1)] + values.map { .set("Dog", 1, $0.0, $0.1) })
        let snapshot = try file.snapshot()
        let table = try #require(snapshot.table(named: "Dog"))
        let key = try #require(table.find(.int(1)))
        #expect(table.count == 1 && key.raw == 0)
        for (name, value) in values {
            #expect(table.value(key, try #require(table.stored.column(named: name))) == value, "\(name)")
        }
        let mother = try #require(table.stored.column(named: "mother"))
        #expect(table.backlinks(to: key, from: table.stored.id, mother.id) == [key])
    }

    @Test func newObjectsShowDefaults() throws {
        let realm = TestRealm()
        let file = try realm.open()
        try file.ensure(dogs)
        try file.write([.create("Dog", 1), .create("Dog", 2), .set("Dog", 2, "age", .int(3))])
        let snapshot = try file.snapshot()
        let table = try #require(snapshot.table(named: "Dog"))
        func value(_ key: Int64, _ name: String) throws -> Value {
            table.value(ObjectKey(key), try #require(table.stored.column(named: name)))
        }
        #expect(try value(0, "name") == .string(""))
        #expect(try value(0, "nick") == .null)
        #expect(try value(0, "age") == .null)
        #expect(try value(1, "age") == .int(3))
        #expect(try value(0, "good") == .bool(false))
        #expect(try value(0, "born") == .null)
    }

    @Test func aBadInstructionLeavesNothingOfTheTransaction() throws {
        let realm = TestRealm()
        let file = try realm.open()
        try file.ensure(dogs)
        let before = file.version
        let error = #expect(throws: StoreError.self) {
            try file.write([.create("Dog", 1), .set("Dog", 1, "age", .string("old"))])
        }
        #expect(error?.code == .badChangeset)
        #expect(file.version == before)
        #expect(try file.snapshot().table(named: "Dog")?.count == 0)
    }

    @Test func whatWasCommittedIsThereAfterReopening() throws {
        let realm = TestRealm()
        do {
            let file = try realm.open()
            try file.ensure(dogs)
            let version = try file.write((0..<2_500).map { .create("Dog", $0) })
            try file.makeDurable(through: version)
            try file.close()
        }
        let file = try realm.open()
        let table = try #require(try file.snapshot().table(named: "Dog"))
        #expect(table.count == 2_500)
    }
}
