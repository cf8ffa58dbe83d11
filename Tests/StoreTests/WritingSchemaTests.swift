import Foundation
import Model
import Testing

@testable import Store

@Suite struct WritingSchemaTests {
    private func schema(_ change: (inout [PropertySchema]) -> Void = { _ in }) -> RealmSchema {
        var properties = dogs.classes[0].properties
        change(&properties)
        return RealmSchema([ClassSchema("Dog", primaryKey: "id", properties), dogs.classes[1]])
    }

    private func prepared() throws -> (TestRealm, RealmFile) {
        let realm = TestRealm()
        let file = try realm.open()
        try file.ensure(schema())
        try file.write(
            (0..<1_200).flatMap { number -> [Instruction] in
                [.create("Dog", number), .set("Dog", number, "name", .string("d\(number)"))]
                    + (number % 3 == 0 ? [.set("Dog", number, "age", .int(number))] : [])
            })
        return (realm, file)
    }

    private func value(_ file: RealmFile, _ key: Int64, _ name: String) throws -> Value {
        let snapshot = try file.snapshot()
        defer { withExtendedLifetime(snapshot) {} }
        let table = try #require(snapshot.table(named: "Dog"))
        return table.value(try #require(table.find(.int(key))), try #require(table.stored.column(named: name)))
    }

    @Test func theSameSchemaAgainChangesNothing() throws {
        let (realm, file) = try prepared()
        defer { withExtendedLifetime(realm) {} }
        #expect(try !file.ensure(schema()).isChanged)
    }

    @Test func changesWithoutAHigherVersionAreListed() throws {
        // MI-04
        let (realm, file) = try prepared()
        defer { withExtendedLifetime(realm) {} }
        let error = #expect(throws: StoreError.self) {
            try file.ensure(
                schema {
                    $0.removeAll { $0.name == "nick" }
                    $0.append(PropertySchema("color", .string))
                    $0[2] = PropertySchema("age", .string)
                    $0[3] = PropertySchema("good", .bool, nullable: true)
                })
        }
        #expect(error?.code == .schemaMismatch)
        #expect(
            error?.details.sorted() == [
                "Property 'Dog.age' has been changed from 'int?' to 'string'.",
                "Property 'Dog.color' has been added.",
                "Property 'Dog.good' has been made optional.",
                "Property 'Dog.nick' has been removed."
            ])
        #expect(try value(file, 3, "age") == .int(3))
    }

    @Test func aLowerVersionIsRefusedNamingBoth() throws {
        // MI-05
        let (realm, file) = try prepared()
        defer { withExtendedLifetime(realm) {} }
        try file.ensure(schema(), version: 5)
        let error = #expect(throws: StoreError.self) { try file.ensure(schema(), version: 4) }
        #expect(error?.code == .schemaVersionTooLow)
        #expect(error?.message == "Provided schema version 4 is less than last set version 5.")
    }

    @Test func aHigherVersionPermitsEveryChange() throws {
        // MI-02, MI-10, MI-14
        let (realm, file) = try prepared()
        defer { withExtendedLifetime(realm) {} }
        let outcome = try file.ensure(
            schema {
                $0.removeAll { $0.name == "nick" || $0.name == "photo" }
                $0.append(PropertySchema("color", .string, indexed: true))
                $0[2] = PropertySchema("age", .int, indexed: true)
                $0[3] = PropertySchema("good", .bool, nullable: true)
                $0[4] = PropertySchema("weight", .string)
            }, version: 1)
        #expect(outcome.isMigrated && outcome.oldVersion == 0)
        #expect(try value(file, 3, "age") == .int(3))
        #expect(try value(file, 4, "age") == .int(0))
        #expect(try value(file, 4, "good") == .bool(false))
        #expect(try value(file, 4, "weight") == .string(""))
        #expect(try value(file, 4, "color") == .string(""))
        #expect(try value(file, 4, "name") == .string("d4"))
        let snapshot = try file.snapshot()
        #expect(snapshot.checkInvariants() == [])
        #expect(snapshot.schema.table(named: "Dog")?.column(named: "nick") == nil)
        #expect(snapshot.schema.version == 1)
    }

    @Test func newClassesAndIndexesNeedNoVersion() throws {
        // MI-03
        let (realm, file) = try prepared()
        defer { withExtendedLifetime(realm) {} }
        var wanted = schema {
            $0[1] = PropertySchema("name", .string)
            $0[5] = PropertySchema("weight", .double, indexed: true)
        }
        wanted.classes = [wanted.classes[0], ClassSchema("Cat", [PropertySchema("name", .string)])]
        let outcome = try file.ensure(wanted)
        #expect(outcome.isChanged && !outcome.isMigrated)
        let snapshot = try file.snapshot()
        #expect(snapshot.checkInvariants() == [])
        #expect(snapshot.schema.table(named: "Person") != nil && snapshot.schema.table(named: "Cat") != nil)
        #expect(snapshot.schema.table(named: "Dog")?.column(named: "weight")?.property.isIndexed == true)
        #expect(snapshot.schema.table(named: "Dog")?.column(named: "name")?.property.isIndexed == false)
    }

    @Test func additiveKeepsWhatIsNotListed() throws {
        // MI-06
        let (realm, file) = try prepared()
        defer { withExtendedLifetime(realm) {} }
        try file.ensure(
            schema {
                $0.removeAll { $0.name == "nick" }
                $0.append(PropertySchema("color", .string))
            }, .additive)
        let table = try #require(file.snapshot().schema.table(named: "Dog"))
        #expect(table.column(named: "nick") != nil && table.column(named: "color") != nil)
        let error = #expect(throws: StoreError.self) {
            try file.ensure(schema { $0[3] = PropertySchema("age", .string) }, version: 9, .additive)
        }
        #expect(error?.code == .schemaMismatch)
    }

    @Test func aPrimaryKeyThatChangesIsRebuilt() throws {
        // MI-13
        let (realm, file) = try prepared()
        defer { withExtendedLifetime(realm) {} }
        var wanted = schema()
        wanted.classes[0].primaryKey = "name"
        try file.ensure(wanted, version: 1)
        do {
            let snapshot = try file.snapshot()
            let table = try #require(snapshot.table(named: "Dog"))
            #expect(table.find(.string("d7")) == ObjectKey(7) && table.find(.int(7)) == nil)
            #expect(snapshot.checkInvariants() == [])
        }
        wanted.classes[0].primaryKey = nil
        try file.ensure(wanted, version: 2)
        #expect(try file.snapshot().checkInvariants() == [])
        #expect(try file.snapshot().table(named: "Dog")?.nextGlobalKey == 1_200)
        // "age" is null for most: no key for all.
        wanted.classes[0].primaryKey = "age"
        let error = #expect(throws: StoreError.self) { try file.ensure(wanted, version: 3) }
        #expect(error?.code == .schemaMismatch && error?.message.contains("Dog.age") == true)
        #expect(try file.snapshot().schema.version == 2)
    }

    @Test func deletingIfMigrationIsNeeded() throws {
        let (realm, file) = try prepared()
        defer { withExtendedLifetime(realm) {} }
        #expect(try !file.ensure(schema(), .deleteIfMigrationNeeded).isWiped)
        let outcome = try file.ensure(schema { $0[3] = PropertySchema("age", .string) }, .deleteIfMigrationNeeded)
        #expect(outcome.isWiped)
        let snapshot = try file.snapshot()
        #expect(snapshot.table(named: "Dog")?.count == 0 && snapshot.checkInvariants() == [])
    }

    @Test func columnsAreAddedAndErasedByInstruction() throws {
        // C-133, C-134
        let (realm, file) = try prepared()
        defer { withExtendedLifetime(realm) {} }
        let column = ColumnDeclaration(type: 9, isNullable: true, collection: .single, target: "Person", keyType: nil)
        try file.write([
            .createObject(className: "Person", key: .string("Ann")),
            .addColumn(className: "Dog", property: "owner", column),
            .set("Dog", 5, "owner", .link(Link(className: "Person", key: .string("Ann"))))
        ])
        #expect(try value(file, 5, "owner") == .link(Link(className: "Person", key: .string("Ann"))))
        #expect(try value(file, 6, "owner") == .null)
        #expect(try file.snapshot().checkInvariants() == [])
        try file.write([.eraseColumn(className: "Dog", property: "owner"), .eraseTable(className: "Person")])
        let snapshot = try file.snapshot()
        #expect(snapshot.checkInvariants() == [])
        #expect(snapshot.schema.table(named: "Dog")?.column(named: "owner") == nil)
        #expect(snapshot.schema.table(named: "Person") == nil)
    }
}
