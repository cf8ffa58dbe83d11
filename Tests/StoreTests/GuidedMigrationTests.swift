import Foundation
import Model
import Testing

@testable import Store

/// Migrations in which an app's block takes part: the old and the new side by side, then the new alone.
@Suite struct GuidedMigrationTests {
    private let realm = TestRealm()
    private let file: RealmFile

    private static let old = RealmSchema([
        ClassSchema(
            "Dog", primaryKey: "id",
            [
                PropertySchema("id", .int), PropertySchema("name", .string, indexed: true),
                PropertySchema("age", .int), PropertySchema("weight", .double, nullable: true),
                PropertySchema("tags", .string, collection: .list)
            ]),
        ClassSchema("Gone", [PropertySchema("text", .string)])
    ])

    init() throws {
        file = try realm.open()
        try file.ensure(Self.old)
        try file.write([
            .create("Dog", 1), .set("Dog", 1, "name", .string("Rex")), .set("Dog", 1, "age", .int(7)),
            .insert("Dog", 1, "tags", 0, .string("big"), prior: 0), .create("Dog", 2),
            .set("Dog", 2, "name", .string("Ada")), .set("Dog", 2, "weight", .double(3)),
            .createObject(className: "Gone", key: .global(high: 0, low: 0))
        ])
    }

    /// Migrates, with `block` between the beginning and the end.
    private func migrate(
        _ wanted: RealmSchema, version: UInt64 = 1, _ renames: [PropertyRename] = [], removed: [String] = [],
        _ block: (StoredSchema) throws -> [Instruction] = { _ in [] }
    ) throws {
        let transaction = try file.beginWrite()
        do {
            let schema = try transaction.beginMigration(wanted, schemaVersion: version)
            let bytes = try Changeset.encode(try block(schema))
            if !bytes.isEmpty { try bytes.withUnsafeBytes { try transaction.apply($0) } }
            try transaction.endMigration(wanted, schemaVersion: version, renames: renames, removed: removed)
            try transaction.commit(uid: nil)
        } catch {
            transaction.rollback()
            throw error
        }
        let snapshot = try file.snapshot()
        #expect(snapshot.checkInvariants() == [])
        #expect(snapshot.schema.version == version)
        for wanted in wanted.classes {
            #expect(snapshot.schema.table(named: wanted.name)?.classSchema == wanted)
        }
    }

    private func value(_ name: String, _ key: PrimaryKey, _ property: String) throws -> Value {
        let table = try #require(try file.snapshot().table(named: name))
        let object = try #require(table.find(key))
        return table.value(object, try #require(table.stored.column(named: property)))
    }

    @Test("MI-10 MI-14 properties of another type or nullability, added and removed ones")
    func properties() throws {
        let wanted = RealmSchema([
            ClassSchema(
                "Dog", primaryKey: "id",
                [
                    PropertySchema("id", .int), PropertySchema("name", .string, nullable: true, indexed: true),
                    PropertySchema("age", .string, indexed: true), PropertySchema("weight", .double),
                    PropertySchema("colour", .string)
                ])
        ])
        try migrate(wanted) { schema in
            let dog = try #require(schema.table(named: "Dog"))
            // Both kinds of age are there; tags, too.
            #expect(dog.column(named: "age")?.property.type == .int)
            #expect(dog.columnDuringMigration(wanted.classes[0], at: 2)?.property.type == .string)
            #expect(dog.column(named: "tags") != nil)
            return [
                .set("Dog", 1, "__migrating_2", .string("seven")), .set("Dog", 1, "colour", .string("brown")),
                .set("Dog", 1, "name", .null), .create("Dog", 3), .set("Dog", 3, "__migrating_2", .string("new"))
            ]
        }
        #expect(try value("Dog", .int(1), "age") == .string("seven"))
        #expect(try value("Dog", .int(2), "age") == .string(""))
        #expect(try value("Dog", .int(3), "age") == .string("new"))
        #expect(try value("Dog", .int(1), "name") == .null)
        #expect(try value("Dog", .int(2), "name") == .string("Ada"))
        #expect(try value("Dog", .int(1), "weight") == .double(0))
        #expect(try value("Dog", .int(2), "weight") == .double(3))
        #expect(try value("Dog", .int(1), "colour") == .string("brown"))
    }

    @Test("MI-08 renamed properties keep their values, also as primary keys and in place of others")
    func renames() throws {
        let wanted = RealmSchema([
            ClassSchema(
                "Dog", primaryKey: "number",
                [
                    PropertySchema("number", .int), PropertySchema("age", .string),
                    PropertySchema("labels", .string, collection: .list)
                ])
        ])
        try migrate(
            wanted,
            [
                PropertyRename(className: "Dog", from: "id", to: "number"),
                PropertyRename(className: "Dog", from: "name", to: "age"),
                PropertyRename(className: "Dog", from: "tags", to: "labels")
            ]
        ) { _ in [.set("Dog", 2, "name", .string("changed"))] }
        #expect(try value("Dog", .int(1), "age") == .string("Rex"))
        #expect(try value("Dog", .int(2), "age") == .string("changed"))
        let dogs = try #require(try file.snapshot().table(named: "Dog"))
        let labels = dogs.list(try #require(dogs.find(.int(1))), try #require(dogs.stored.column(named: "labels")))
        #expect(labels.count == 1)
    }

    @Test("MI-13 other primary keys: of another type, another property, none, and duplicates")
    func primaryKeys() throws {
        func dog(_ key: String?, _ properties: PropertySchema...) -> RealmSchema {
            RealmSchema([ClassSchema("Dog", primaryKey: key, properties + [PropertySchema("name", .string)])])
        }
        try migrate(dog("id", PropertySchema("id", .string))) { _ in
            [.set("Dog", 1, "__migrating_0", .string("one")), .set("Dog", 2, "__migrating_0", .string("two"))]
        }
        #expect(try value("Dog", .string("two"), "name") == .string("Ada"))
        try migrate(dog(nil), version: 2)
        #expect(try value("Dog", .global(high: 0, low: 0), "name") == .string("Rex"))
        try migrate(dog("name"), version: 3)
        #expect(try value("Dog", .string("Rex"), "name") == .string("Rex"))
        let before = try file.snapshot().version
        let error = #expect(throws: StoreError.self) {
            try migrate(dog("number", PropertySchema("number", .int)), version: 4)
        }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("'Dog.number' has duplicate values after migration: 0") == true)
        #expect(try file.snapshot().version == before)
        #expect(try value("Dog", .string("Ada"), "name") == .string("Ada"))
    }

    @Test("MI-03 MI-09 classes that are no longer listed stay, unless they are removed")
    func classes() throws {
        let dogs = RealmSchema([Self.old.classes[0]])
        try migrate(dogs)
        #expect(try file.snapshot().table(named: "Gone")?.count == 1)
        try migrate(dogs, version: 2, removed: ["Gone"])
        #expect(try file.snapshot().table(named: "Gone") == nil)
    }

    @Test("a version that isn't higher is refused")
    func version() throws {
        try migrate(Self.old, version: 5)
        let error = #expect(throws: StoreError.self) { try migrate(Self.old, version: 5) }
        #expect(error?.code == .schemaVersionTooLow)
    }

    // MARK: Kinds of classes

    private static func family(_ kind: ClassKind, key: String? = nil) -> RealmSchema {
        RealmSchema([
            ClassSchema(
                "Parent", primaryKey: "id",
                [
                    PropertySchema("id", .int), PropertySchema("child", .link, nullable: true, target: "Child"),
                    PropertySchema("children", .link, collection: .list, target: "Child")
                ]),
            ClassSchema(
                "Child", kind: kind, primaryKey: key,
                [
                    PropertySchema("id", .int), PropertySchema("name", .string, indexed: true),
                    PropertySchema("text", .string, nullable: true), PropertySchema("any", .mixed, nullable: true),
                    PropertySchema("scores", .int, collection: .list),
                    PropertySchema("friend", .link, nullable: true, target: "Parent")
                ])
        ])
    }

    /// Child 1 has two owners and is twice in a list, 2 has one, 3 none.
    private func makeFamily() throws {
        func child(_ key: Int64) -> Value { .link(Link(className: "Child", key: .int(key))) }
        let long = String(repeating: "long ", count: 2_000)
        try file.ensure(Self.family(.topLevel, key: "id"), version: 0)
        try file.write([
            .create("Parent", 1), .create("Parent", 2), .create("Parent", 3), .create("Child", 1), .create("Child", 2),
            .create("Child", 3), .set("Child", 1, "name", .string("shared")), .set("Child", 2, "name", .string("own")),
            .set("Child", 3, "name", .string("orphan")), .set("Child", 1, "text", .string(long)),
            .set("Child", 1, "any", .link(Link(className: "Parent", key: .int(3)))),
            .insert("Child", 1, "scores", 0, .int(5), prior: 0), .insert("Child", 1, "scores", 1, .int(6), prior: 1),
            .set("Child", 1, "friend", .link(Link(className: "Parent", key: .int(2)))),
            .set("Parent", 1, "child", child(1)), .set("Parent", 2, "child", child(1)),
            .insert("Parent", 3, "children", 0, child(1), prior: 0),
            .insert("Parent", 3, "children", 1, child(2), prior: 1),
            .insert("Parent", 3, "children", 2, child(1), prior: 2)
        ])
    }

    @Test("MI-11 R74 objects become parts of others: orphans go, shared ones are copied")
    func objectToEmbedded() throws {
        try makeFamily()
        try migrate(Self.family(.embedded))
        let snapshot = try file.snapshot()
        let parents = try #require(snapshot.table(named: "Parent"))
        let children = try #require(snapshot.table(named: "Child"))
        let name = try #require(children.stored.column(named: "name"))
        #expect(children.count == 5)
        let child = try #require(parents.stored.column(named: "child"))
        let owners = (1...3).compactMap { parents.find(.int($0)) }
        try #require(owners.count == 3)
        let keys = owners.prefix(2).compactMap { parents.linkKey($0, child) }
        let list = parents.list(owners[2], try #require(parents.stored.column(named: "children")))
        let all = keys + (0..<list.count).compactMap { list.linkKey(at: $0) }
        #expect(Set(all).count == 5)
        let names = all.map { children.value($0, name) }
        #expect(names == ["shared", "shared", "shared", "own", "shared"].map { .string($0) })
        let text = try #require(children.stored.column(named: "text"))
        let scores = try #require(children.stored.column(named: "scores"))
        let any = try #require(children.stored.column(named: "any"))
        for key in all where children.value(key, name) == .string("shared") {
            #expect(children.value(key, text) == .string(String(repeating: "long ", count: 2_000)))
            #expect(children.list(key, scores).count == 2)
            #expect(children.value(key, any) == .link(Link(className: "Parent", key: .int(3))))
            #expect(children.parent(of: key)?.table == parents.stored.id)
        }
    }

    @Test("R74 5,000 parents, 4,950 with a child; 5,000 children, 100 orphans, 50 of them of two parents")
    func manyFamilies() throws {
        try file.ensure(Self.family(.topLevel, key: "id"))
        var instructions: [Instruction] = []
        for id in 0..<5_000 as Range<Int64> {
            instructions += [.create("Parent", id), .create("Child", id), .set("Child", id, "name", .string("\(id)"))]
        }
        // The parents 0 … 4,899 have one child each, 4,900 … 4,949 the first fifty of these once more.
        for id in 0..<4_950 as Range<Int64> {
            let child = Link(className: "Child", key: .int(id < 4_900 ? id : id - 4_900))
            instructions.append(.set("Parent", id, "child", .link(child)))
        }
        try file.write(instructions)
        try migrate(Self.family(.embedded))
        let snapshot = try file.snapshot()
        let parents = try #require(snapshot.table(named: "Parent"))
        let children = try #require(snapshot.table(named: "Child"))
        let column = try #require(parents.stored.column(named: "child"))
        #expect(parents.count == 5_000 && children.count == 4_950)
        let held = (0..<5_000).compactMap { parents.linkKey(parents.key(at: $0), column) }
        #expect(held.count == 4_950 && Set(held).count == 4_950)
    }

    @Test("MI-11 without a block, and back again with a primary key")
    func withoutBlock() throws {
        try makeFamily()
        #expect(try file.ensure(Self.family(.embedded), version: 1).isMigrated)
        #expect(try file.snapshot().checkInvariants() == [])
        #expect(try file.snapshot().table(named: "Child")?.count == 5)
        // The copies have the id of what they are copies of.
        let error = #expect(throws: StoreError.self) {
            try file.ensure(Self.family(.topLevel, key: "id"), version: 2)
        }
        #expect(error?.message.contains("'Child.id' has duplicate values after migration: 1") == true)
        #expect(try file.ensure(Self.family(.topLevel), version: 2).isMigrated)
        #expect(try file.snapshot().checkInvariants() == [])
        #expect(try value("Child", .global(high: 0, low: 0), "name") == .string("shared"))
    }

    @Test("MI-12 parts become objects, with the primary keys that the block gives them")
    func embeddedToObject() throws {
        try makeFamily()
        try file.ensure(Self.family(.embedded), version: 1)
        try migrate(Self.family(.topLevel, key: "id"), version: 2) { _ in
            func path(_ parent: Int64, _ rest: PathElement...) -> InstructionPath {
                InstructionPath("Parent", .int(parent), rest.count == 1 ? "child" : "children", rest)
            }
            return [
                .update(path(1, .name("id")), .value(.int(10)), isDefault: false),
                .update(path(2, .name("id")), .value(.int(20)), isDefault: false),
                .update(path(3, .index(2), .name("id")), .value(.int(30)), isDefault: false)
            ]
        }
        #expect(try value("Child", .int(20), "name") == .string("shared"))
        #expect(try value("Child", .int(2), "name") == .string("own"))
        #expect(try file.snapshot().table(named: "Child")?.count == 5)
    }
}
