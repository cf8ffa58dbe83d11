import Model
import Store
import Sync
import TestSupport
import Testing

@testable import History

/// The realm becomes what the server has, in one step and with no more changes than needed.
@Suite struct StateTransferTests {
    @Test func `R-36, R-37, R-68, R-69: one transaction that changes only what differs`() throws {
        let agreed =
            ResetSchema.all + (1...5).map { create($0) } + fill(1, 1, 2, 3, 4) + fill(2, 1, 2) + [
                set(at(1, "part"), .embeddedObject), set(at(1, "part", .name("s")), "a"), set(at(2, "s"), "same"),
                .setInsert(at(2, "tags"), .value(.string("t")))
            ]
        let test = try ResetCase(agreed)
        try test.write([set(at(3, "s"), "mine"), create(9)])
        test.remote([
            .updateElement(at(1, "nums", .index(1)), .value(.int(7)), priorSize: 4),
            set(at(1, "part", .name("s")), "b"),
            erase(4), create(6)
        ])
        let old = try test.file.snapshot()
        try test.reset(.discardUnsyncedChanges)
        let snapshot = try test.file.snapshot()
        // The note of the attempt, and the reset.
        #expect(snapshot.version == old.version + 2)
        let changes = try #require(snapshot.changes(after: old.version))
        let items = try #require(snapshot.table(named: "Item"))
        let parts = try #require(snapshot.table(named: "Part"))
        #expect(!changes.schemaChanged)
        let change = try #require(changes.tables[items.stored.id])
        func keys(_ runs: KeyRuns) -> [Int64] { runs.runs.flatMap { Array($0) } }
        #expect(keys(change.insertions).compactMap { items.primaryKey(of: ObjectKey($0)) } == [.int(6)])
        #expect(keys(change.deletions).count == 2)
        var changed: [PrimaryKey: [String]] = [:]
        for (key, columns) in change.modifications {
            changed[try #require(items.primaryKey(of: key))] =
                items.stored.columns.filter { columns.contains($0.id) }.map(\.property.name)
        }
        #expect(changed == [.int(1): ["nums"], .int(3): ["s"]])
        #expect(changes.tables[parts.stored.id]?.modifications.count == 1)
        // Who has the state before still reads it.
        #expect(old.table(named: "Item")?.find(.int(9)) != nil)
        #expect(old.stateDigest() != snapshot.stateDigest())
    }

    @Test func `R-35: what the server doesn't know can't be discarded`() throws {
        for addition in [
            ResetSchema.column("Item", "extra", .int),
            .addTable(className: "New", kind: .embedded, key: nil)
        ] {
            let test = try ResetCase()
            try test.write([addition])
            let failure = #expect(throws: ClientResetFailure.self) { try test.reset(.discardUnsyncedChanges) }
            #expect(failure?.code == .incompatibleSchema)
        }
    }

    private func table(_ key: KeyColumn?, _ kind: ClassKind = .topLevel) -> Instruction {
        .addTable(className: "Item", kind: kind, key: key)
    }

    @Test func `R-34: each difference of the schemas that no transfer can bridge`() throws {
        let key = KeyColumn(name: "_id", type: .int, isNullable: false)
        let agreed = [table(key), ResetSchema.column("Item", "n", .int)]
        let column = ResetSchema.column("Item", "n", .int)
        let servers: [(name: String, server: [Instruction])] = [
            ("1: class gone", []), ("2: other kind", [table(nil, .embedded), column]),
            ("3: other type of key", [table(KeyColumn(name: "_id", type: .string, isNullable: false)), column]),
            ("3: nullable key", [table(KeyColumn(name: "_id", type: .int, isNullable: true)), column]),
            ("3: other name of key", [table(KeyColumn(name: "id", type: .int, isNullable: false)), column]),
            ("5: property gone", [table(key)]),
            ("7: other type", [table(key), ResetSchema.column("Item", "n", .string)]),
            ("7: list", [table(key), ResetSchema.column("Item", "n", .int, .list)]),
            ("7: nullable", [table(key), ResetSchema.column("Item", "n", .int, nullable: true)])
        ]
        for (name, server) in servers {
            let test = try ResetCase(agreed)
            try test.write([create(1)])
            test.replaceServer([server])
            let digest = try test.digest()
            let failure = #expect(throws: ClientResetFailure.self, "\(name)") {
                try test.reset(.discardUnsyncedChanges)
            }
            #expect(failure?.code == .incompatibleSchema, "\(name)")
            #expect(try test.digest() == digest)
        }
    }

    @Test func `R-34: classes and properties that only the server has are made`() throws {
        let test = try ResetCase()
        test.remote([
            .addTable(className: "New", kind: .embedded, key: nil), ResetSchema.column("New", "x", .double),
            ResetSchema.column("Item", "news", .link, .list, target: "New"),
            ResetSchema.column("Item", "late", .int), create(1), set(at(1, "late"), 4),
            insert(at(1, "news", .index(0)), .embeddedObject, 0),
            set(at(1, "news", .index(0), .name("x")), .value(.double(1.5)))
        ])
        try test.reset(.discardUnsyncedChanges)
        #expect(try test.digest() == test.serverDigest())
        #expect(try test.text(1, "news") == "[<x:\(Value.double(1.5))>]")
    }

    @Test func `R-34, R-36: links to objects that come and go, and those that lead nowhere`() throws {
        let test = try ResetCase(
            ResetSchema.all + (1...4).map { create($0) } + [
                insert(at(1, "links", .index(0)), link(2), 0), insert(at(1, "links", .index(1)), link(3), 1),
                set(at(1, "link"), link(2)), .setInsert(at(1, "circle"), link(4)), set(at(1, "any"), link(2))
            ])
        try test.write([create(8), set(at(8, "link"), link(1)), erase(4)])
        // The list of the server still has a place for what is gone: indexes count it (C-13).
        test.remote([
            erase(2), insert(at(1, "links", .index(2)), link(5), 2), create(5), set(at(3, "link"), link(6)),
            set(at(5, "any"), .list), insert(at(5, "any", .index(0)), link(1), 0)
        ])
        try test.reset(.discardUnsyncedChanges)
        #expect(try test.digest() == test.serverDigest())
        #expect(try test.file.snapshot().checkInvariants() == [])
        #expect(try test.value(1, "link") == .null)
    }

    @Test func `R-36: collections of all kinds become the server's`() throws {
        let test = try ResetCase(
            ResetSchema.all + [create(1), create(2)] + fill(1, 1, 2, 3, 4, 5) + [
                set(at(1, "map", .name("a")), .list), insert(at(1, "map", .name("a"), .index(0)), 1, 0),
                set(at(1, "map", .name("b")), 2), set(at(1, "any"), .dictionary), set(at(1, "any", .name("x")), 1),
                insert(at(1, "anys", .index(0)), .list, 0), insert(at(1, "anys", .index(1)), 5, 1),
                insert(at(1, "parts", .index(0)), .embeddedObject, 0),
                insert(at(1, "parts", .index(1)), .embeddedObject, 1),
                set(at(1, "parts", .index(0), .name("s")), "first"),
                set(at(1, "dparts", .name("k")), .embeddedObject), set(at(1, "dparts", .name("l")), .embeddedObject)
            ])
        test.remote([
            .arrayErase(at(1, "nums", .index(1)), priorSize: 5), insert(at(1, "nums", .index(3)), 9, 4),
            .arrayMove(at(1, "nums", .index(0)), to: 4, priorSize: 5),
            set(at(1, "map", .name("a")), .dictionary), set(at(1, "map", .name("a"), .name("z")), "z"),
            set(at(1, "map", .name("b")), .erased), set(at(1, "any"), .list), insert(at(1, "any", .index(0)), .list, 0),
            .updateElement(at(1, "anys", .index(1)), .dictionary, priorSize: 2),
            insert(at(1, "anys", .index(0), .index(0)), 3, 0), .arrayErase(at(1, "parts", .index(0)), priorSize: 2),
            insert(at(1, "parts", .index(0), .name("nums"), .index(0)), 8, 0),
            set(at(1, "dparts", .name("k")), .erased), set(at(1, "dparts", .name("l"), .name("s")), "s"),
            set(at(1, "part"), .embeddedObject), set(at(1, "part", .name("s")), "new")
        ])
        try test.reset(.discardUnsyncedChanges)
        #expect(try test.digest() == test.serverDigest())
        #expect(try test.text(1, "parts") == "[<s: nums:[8]>]")
        #expect(try test.file.snapshot().checkInvariants() == [])
        // What is equal takes no instruction.
        var left = 0
        try StateTransfer(from: test.file.snapshot(), to: test.file.snapshot()) { _ in left += 1 }.run()
        #expect(left == 0)
    }
}
