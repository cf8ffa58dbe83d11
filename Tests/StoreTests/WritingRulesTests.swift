import Foundation
import Model
import Testing

@testable import Store

/// One case a rule of section 10 of the changeset specification: what is refused, what has no effect.
@Suite struct WritingRulesTests {
    private static func path(_ key: PrimaryKey, _ property: String, _ rest: [PathElement] = []) -> InstructionPath {
        InstructionPath("Dog", key, property, rest)
    }

    private static let dog = path(.int(1), "age")

    struct Case: CustomTestStringConvertible, Sendable {
        var rule: String
        var instructions: [Instruction]
        var testDescription: String { rule }

        init(_ rule: String, _ instructions: [Instruction]) {
            self.rule = rule
            self.instructions = instructions
        }
    }

    static let refused: [Case] = [
        Case("C-128 unknown class", [.createObject(className: "Cat", key: .int(1))]),
        Case("C-128 key of another type", [.createObject(className: "Dog", key: .string("x"))]),
        Case(
            "C-128 global key where there is a primary key",
            [.createObject(className: "Dog", key: .global(high: 0, low: 1))]),
        Case("C-128 null key where it isn't nullable", [.createObject(className: "Dog", key: .null)]),
        Case("C-129 object that doesn't exist", [.update(path(.int(9), "age"), .value(.int(1)), isDefault: false)]),
        Case(
            "C-129 erased object",
            [.erase("Dog", 1), .update(dog, .value(.int(1)), isDefault: false)]),
        Case("C-130 unknown property", [.update(path(.int(1), "tail"), .value(.int(1)), isDefault: false)]),
        Case("C-11 primary key", [.update(path(.int(1), "id"), .value(.int(2)), isDefault: false)]),
        Case(
            "C-130 a name below a scalar",
            [.update(path(.int(1), "age", [.name("x")]), .value(.int(1)), isDefault: false)]),
        Case("C-148 value of another type", [.set("Dog", 1, "age", .double(1))]),
        Case("C-148 null in a required property", [.set("Dog", 1, "name", .null)]),
        Case(
            "C-148 link to another class",
            [.set("Dog", 1, "mother", .link(Link(className: "Person", key: .string("p"))))]),
        Case("C-148 link to an unknown class", [.set("Dog", 1, "mother", .link(Link(className: "Cat", key: .int(1))))]),
        Case(
            "C-148 embedded object where none can be",
            [.update(path(.int(1), "mother"), .embeddedObject, isDefault: false)]),
        Case("C-148 nested list in a scalar", [.update(dog, .list, isDefault: false)]),
        Case("C-148 erased in a property", [.update(dog, .erased, isDefault: false)]),
        Case("C-148 set", [.update(dog, .set, isDefault: false)]),
        Case("C-148 value in a list property", [.set("Dog", 1, "scores", .int(1))]),
        Case("C-148 null in a list of required values", [.insert("Dog", 1, "scores", 0, .null, prior: 2)]),
        Case(
            "C-148 null in a list of links",
            [.arrayInsert(InstructionPath("Person", .string("p"), "dogs", [.index(0)]), .value(.null), priorSize: 0)]),
        Case("C-41 signs that differ", [.set("Dog", 1, "born", .timestamp(Timestamp(seconds: 1, nanoseconds: -1)))]),
        Case(
            "C-41 a second of nanoseconds",
            [.set("Dog", 1, "born", .timestamp(Timestamp(seconds: 0, nanoseconds: 1_000_000_000)))]),
        Case("C-26 string that isn't UTF-8", [.set("Dog", 1, "name", .malformedString([0xFF]))]),
        Case("C-140 adding to a Boolean", [.addInteger(path(.int(1), "good"), 1)]),
        Case("C-147 adding to an element", [.addInteger(path(.int(1), "scores", [.index(0)]), 1)]),
        Case(
            "C-138 index beyond the list",
            [.updateElement(path(.int(1), "scores", [.index(2)]), .value(.int(1)), priorSize: 2)]),
        Case("C-141 prior size", [.insert("Dog", 1, "scores", 0, .int(1), prior: 3)]),
        Case("C-141 index above the size", [.insert("Dog", 1, "scores", 3, .int(1), prior: 2)]),
        Case("C-141 erased", [.arrayInsert(path(.int(1), "scores", [.index(0)]), .erased, priorSize: 2)]),
        Case("C-142 to itself", [.arrayMove(path(.int(1), "scores", [.index(1)]), to: 1, priorSize: 2)]),
        Case("C-142 beyond the list", [.arrayMove(path(.int(1), "scores", [.index(0)]), to: 2, priorSize: 2)]),
        Case("C-142 prior size", [.arrayMove(path(.int(1), "scores", [.index(0)]), to: 1, priorSize: 1)]),
        Case("C-143 prior size", [.arrayErase(path(.int(1), "scores", [.index(0)]), priorSize: 1)]),
        Case("C-143 index beyond the list", [.arrayErase(path(.int(1), "scores", [.index(2)]), priorSize: 2)]),
        Case("C-144 kind of another collection", [.clear(path(.int(1), "scores"), .dictionary)]),
        Case("C-144 scalar", [.clear(dog, .list)]),
        Case(
            "C-131 class with another key",
            [.addTable(className: "Dog", kind: .topLevel, key: KeyColumn(name: "_id", type: .int, isNullable: false))]),
        Case(
            "C-131 class whose key may be null",
            [.addTable(className: "Dog", kind: .topLevel, key: KeyColumn(name: "id", type: .int, isNullable: true))]),
        Case("C-132 class that isn't there", [.eraseTable(className: "Cat")]),
        Case("C-132 class that others link to", [.eraseTable(className: "Dog")]),
        Case(
            "C-133 property of another type",
            [
                .addColumn(
                    className: "Dog", property: "age",
                    ColumnDeclaration(type: 3, isNullable: true, collection: .single, target: nil, keyType: nil))
            ]),
        Case(
            "C-133 property with another nullability",
            [
                .addColumn(
                    className: "Dog", property: "age",
                    ColumnDeclaration(type: 1, isNullable: false, collection: .single, target: nil, keyType: nil))
            ]),
        Case(
            "C-133 name of the primary key",
            [
                .addColumn(
                    className: "Dog", property: "id",
                    ColumnDeclaration(type: 1, isNullable: false, collection: .single, target: nil, keyType: nil))
            ]),
        Case(
            "C-133 link to an unknown class",
            [
                .addColumn(
                    className: "Dog", property: "cat",
                    ColumnDeclaration(type: 9, isNullable: true, collection: .single, target: "Cat", keyType: nil))
            ]),
        Case("C-134 property that isn't there", [.eraseColumn(className: "Dog", property: "tail")]),
        Case(
            "F-64 asymmetric class without a key",
            [
                .addTable(
                    className: "Log", kind: .asymmetric, key: KeyColumn(name: "", type: nil, isNullable: false))
            ]),
        Case(
            "C-15 class name",
            [
                .addTable(
                    className: String(repeating: "x", count: 58), kind: .topLevel,
                    key: KeyColumn(name: "", type: nil, isNullable: false))
            ]),
        Case(
            "C-15 property name",
            [
                .addColumn(
                    className: "Dog", property: String(repeating: "x", count: 64),
                    ColumnDeclaration(type: 1, isNullable: false, collection: .single, target: nil, keyType: nil))
            ])
    ]

    static let without: [Case] = [
        Case("C-135 object that exists", [.create("Dog", 1)]),
        Case("C-136 object that doesn't exist", [.erase("Dog", 77)]),
        Case("C-140 null", [.addInteger(dog, 5)]),
        Case("C-144 empty list", [.clear(path(.int(1), "names"), .list)]),
        Case(
            "C-131 class that is equal",
            [.addTable(className: "Dog", kind: .topLevel, key: KeyColumn(name: "id", type: .int, isNullable: false))]),
        Case(
            "C-133 property that is equal",
            [
                .addColumn(
                    className: "Dog", property: "age",
                    ColumnDeclaration(type: 1, isNullable: true, collection: .single, target: nil, keyType: nil))
            ])
    ]

    private func prepared() throws -> (TestRealm, RealmFile) {
        let realm = TestRealm()
        let file = try realm.open()
        try file.ensure(dogs)
        try file.write([
            .create("Dog", 1), .insert("Dog", 1, "scores", 0, .int(5), prior: 0),
            .insert("Dog", 1, "scores", 1, .int(6), prior: 1),
            .createObject(className: "Person", key: .string("p"))
        ])
        return (realm, file)
    }

    @Test(arguments: refused) func refusedAsABadChangeset(_ one: Case) throws {
        let (realm, file) = try prepared()
        defer { withExtendedLifetime(realm) {} }
        let error = #expect(throws: StoreError.self) { try file.write([.create("Dog", 2)] + one.instructions) }
        #expect(error?.code == .badChangeset, "\(String(describing: error))")
        let snapshot = try file.snapshot()
        #expect(snapshot.table(named: "Dog")?.count == 1 && snapshot.checkInvariants() == [])
    }

    @Test(arguments: without) func withoutEffect(_ one: Case) throws {
        let (realm, file) = try prepared()
        defer { withExtendedLifetime(realm) {} }
        let before = file.version
        try file.write(one.instructions)
        let snapshot = try file.snapshot()
        #expect(snapshot.changes(after: before)?.isEmpty == true)
        #expect(snapshot.checkInvariants() == [])
    }

    @Test func truncatedBytesAreABadChangeset() throws {
        let (realm, file) = try prepared()
        defer { withExtendedLifetime(realm) {} }
        let bytes = try Changeset.encode([.create("Dog", 2), .set("Dog", 2, "name", .string("Rex"))])
        for count in 1..<bytes.count {
            let transaction = try file.beginWrite()
            let error = #expect(throws: (any Error).self) {
                try bytes.withUnsafeBytes { try transaction.apply(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
                // A cut between two instructions is a shorter stream, and no error.
                throw StoreError(.badChangeset, "shorter")
            }
            #expect((error as? StoreError)?.code == .badChangeset, "\(count) bytes")
            #expect(throws: StoreError.self) {
                try bytes.withUnsafeBytes { try transaction.apply(UnsafeRawBufferPointer(rebasing: $0[count...])) }
                throw StoreError(.badChangeset, "whole")
            }
            transaction.rollback()
        }
        #expect(try file.snapshot().table(named: "Dog")?.count == 1)
    }

    @Test func anErasedTargetComesBackUnderItsObjectKey() throws {
        let (realm, file) = try prepared()
        defer { withExtendedLifetime(realm) {} }
        let link = Value.link(Link(className: "Dog", key: .int(1)))
        try file.write([.create("Dog", 2), .set("Dog", 2, "mother", link), .erase("Dog", 1)])
        func mother() throws -> Value {
            let snapshot = try file.snapshot()
            defer { withExtendedLifetime(snapshot) {} }
            let table = try #require(snapshot.table(named: "Dog"))
            let key = try #require(table.find(.int(2)))
            return table.value(key, try #require(table.stored.column(named: "mother")))
        }
        // C-13, C-136: unresolved, and there again when the object is.
        #expect(try mother() == .null)
        #expect(try file.snapshot().table(named: "Dog")?.find(.int(1)) == nil)
        try file.write([.create("Dog", 1)])
        #expect(try mother() == link)
        #expect(try file.snapshot().table(named: "Dog")?.find(.int(1)) == ObjectKey(0))
        #expect(try file.snapshot().checkInvariants() == [])
    }

    @Test func mustCreateRefusesAnObjectThatExists() throws {
        let (realm, file) = try prepared()
        defer { withExtendedLifetime(realm) {} }
        let transaction = try file.beginWrite()
        let error = #expect(throws: StoreError.self) {
            try Changeset.encode([.create("Dog", 2), .create("Dog", 1)]).withUnsafeBytes {
                try transaction.apply($0, mustCreate: true)
            }
        }
        #expect(error?.code == .objectExists)
        #expect(throws: StoreError.self) { try transaction.commit(uid: nil) }
        transaction.rollback()
        #expect(try file.snapshot().table(named: "Dog")?.count == 1)
    }

    @Test func sealedTransactionsHaveVersionsSummariesAndUidsOfTheirOwn() throws {
        let (realm, file) = try prepared()
        defer { withExtendedLifetime(realm) {} }
        let before = file.version
        let uids = (0..<3).map { _ in TransactionUID.random() }
        let transaction = try file.beginWrite()
        for (number, uid) in uids.enumerated() {
            let bytes = try Changeset.encode([
                .create("Dog", Int64(10 + number)), .set("Dog", 1, "age", .int(Int64(number)))
            ])
            try bytes.withUnsafeBytes { try transaction.apply($0) }
            #expect(try transaction.seal(uid: uid) == before + UInt64(number) + 1)
        }
        #expect(try transaction.commitSealed() == before + 3)
        let snapshot = try file.snapshot()
        let table = try #require(snapshot.table(named: "Dog"))
        #expect(snapshot.version == before + 3 && table.count == 4)
        let last = try #require(snapshot.changes(after: before + 2)?.tables[table.stored.id])
        #expect(last.insertions.keys == [try #require(table.find(.int(12)))])
        #expect(last.modifications.keys.map(\.raw) == [0])
        for (number, uid) in uids.enumerated() { #expect(try file.outcome(of: uid) == before + UInt64(number) + 1) }
        #expect(try file.outcome(of: .random()) == nil)
    }
}
