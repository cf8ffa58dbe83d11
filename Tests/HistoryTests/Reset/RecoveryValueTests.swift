import Model
import Sync
import Testing

@testable import History

/// What becomes of unsynced changes of values and objects: the rows of.
@Suite struct RecoveryValueTests {
    private func made(_ agreed: [Instruction]...) throws -> ResetCase {
        try ResetCase(ResetSchema.all + [create(1), create(2)] + agreed.flatMap { $0 })
    }

    /// Resets, and checks that the server comes to the same once it has what is uploaded.
    private func recover(_ reset: ResetCase) throws -> ClientResetOutcome {
        let outcome = try reset.reset()
        #expect(try reset.digest() == reset.serverDigest())
        #expect(try reset.file.snapshot().checkInvariants() == [])
        return outcome
    }

    @Test func `R-59: a property that both have set is the client's`() throws {
        let test = try made([set(at(1, "s"), "old")])
        try test.write([set(at(1, "s"), "mine")])
        test.remote([set(at(1, "s"), "theirs"), set(at(1, "n"), 4)])
        #expect(try recover(test).discardCount == 0)
        #expect(try test.text(1, "s") == "mine")
        #expect(try test.text(1, "n") == "4")
    }

    @Test func `R-49, R-59: an object that the server deleted stays deleted`() throws {
        let test = try made([insert(at(1, "nums", .index(0)), 1, 0), set(at(1, "part"), .embeddedObject)])
        try test.write([
            set(at(1, "s"), "mine"), insert(at(1, "nums", .index(1)), 2, 1),
            set(at(1, "part", .name("s")), "in it"), .setInsert(at(1, "tags"), .value(.string("t"))),
            .addInteger(at(1, "n"), 3), .clear(at(1, "tags"), .set)
        ])
        test.remote([erase(1)])
        let outcome = try recover(test)
        #expect(outcome.discardCount == 6)
        #expect(outcome.discards.first == "setting 'Item.s': the object was deleted")
        #expect(try test.text(1, "s") == nil)
        #expect(try test.unsynced() == [])
    }

    @Test func `R-48, R-59: an object that the client deleted is deleted, though the server changed it`() throws {
        let test = try made([set(at(2, "link"), link(1)), insert(at(2, "links", .index(0)), link(1), 0)])
        try test.write([erase(1)])
        test.remote([set(at(1, "s"), "theirs")])
        #expect(try recover(test).discardCount == 0)
        #expect(try test.text(1, "s") == nil)
        #expect(try test.value(2, "link") == .null)
    }

    @Test func `R-48: deleting what is deleted already does nothing`() throws {
        let test = try made()
        try test.write([erase(1)])
        test.remote([erase(1)])
        #expect(try recover(test).discardCount == 0)
        #expect(try test.unsynced() == [])
    }

    @Test func `R-48, R-59: an object that both have created is one, with the client's values`() throws {
        let test = try made()
        try test.write([create(7), set(at(7, "s"), "mine")])
        test.remote([create(7), set(at(7, "s"), "theirs"), set(at(7, "n"), 5)])
        _ = try recover(test)
        #expect(try test.text(7, "s") == "mine")
        #expect(try test.text(7, "n") == "5")
        #expect(try test.unsynced().first?.first == create(7))
    }

    @Test func `R-50, R-59: a counter is added to what the server has`() throws {
        let test = try made([set(at(1, "n"), 10), set(at(1, "m"), 10), set(at(1, "any"), 10)])
        try test.write([.addInteger(at(1, "n"), 5), .addInteger(at(1, "m"), 5), .addInteger(at(1, "any"), 5)])
        test.remote([set(at(1, "n"), 100), set(at(1, "m"), .value(.null)), set(at(1, "any"), "text")])
        #expect(try recover(test).discardCount == 2)
        #expect(try test.text(1, "n") == "105")
        #expect(try test.text(1, "m") == "null")
        #expect(try test.text(1, "any") == "text")
    }

    @Test func `R-50: a link to an object that the server deleted is null, and no element`() throws {
        let test = try made([create(3), insert(at(2, "links", .index(0)), link(3), 0)])
        try test.write([
            set(at(2, "link"), link(1)), set(at(2, "any"), link(1)), set(at(2, "map", .name("k")), link(1)),
            insert(at(2, "links", .index(1)), link(1), 1), insert(at(2, "links", .index(2)), link(3), 2),
            insert(at(2, "anys", .index(0)), link(1), 0), .setInsert(at(2, "circle"), link(1)),
            .setInsert(at(2, "circle"), link(3))
        ])
        test.remote([erase(1)])
        #expect(try recover(test).discardCount == 3)
        #expect(try test.value(2, "link") == .null)
        #expect(try test.text(2, "any") == "null")
        #expect(try test.text(2, "map") == "(k:null)")
        #expect(try test.text(2, "links") == "[→3 →3]")
        #expect(try test.text(2, "anys") == "[]")
        #expect(try test.text(2, "circle") == "{→3}")
    }

    @Test func `R-50: an element that links to a deleted object can't become null, but a mixed one can`() throws {
        let test = try made([create(3)])
        try test.write([
            insert(at(2, "links", .index(0)), link(3), 0), insert(at(2, "anys", .index(0)), 4, 0),
            .updateElement(at(2, "links", .index(0)), link(1), priorSize: 1),
            .updateElement(at(2, "anys", .index(0)), link(1), priorSize: 1)
        ])
        test.remote([erase(1)])
        _ = try recover(test)
        #expect(try test.text(2, "links") == "[→3]")
        #expect(try test.text(2, "anys") == "[null]")
    }

    @Test func `R-59: elements of sets are put in and taken out one by one`() throws {
        let test = try made(["a", "b"].map { .setInsert(at(1, "tags"), .value(.string($0))) })
        try test.write([
            .setErase(at(1, "tags"), .value(.string("a"))), .setInsert(at(1, "tags"), .value(.string("c")))
        ])
        test.remote([
            .setErase(at(1, "tags"), .value(.string("b"))), .setInsert(at(1, "tags"), .value(.string("c"))),
            .setInsert(at(1, "tags"), .value(.string("d")))
        ])
        _ = try recover(test)
        #expect(try test.text(1, "tags") == "{c d}")
    }

    @Test func `R-50, R-59: the client's keys of a dictionary are the client's, the others the server's`() throws {
        let test = try made(["a", "b", "c"].map { set(at(1, "dict", .name($0)), "old") })
        try test.write([
            set(at(1, "dict", .name("a")), "mine"), set(at(1, "dict", .name("b")), .erased),
            set(at(1, "dict", .name("c")), .erased)
        ])
        test.remote([
            set(at(1, "dict", .name("a")), "theirs"), set(at(1, "dict", .name("c")), .erased),
            set(at(1, "dict", .name("d")), "theirs")
        ])
        #expect(try recover(test).discardCount == 1)
        #expect(try test.text(1, "dict") == "(a:mine d:theirs)")
    }

    @Test func `R-50: clearing a set or a dictionary empties it, whatever the server put in`() throws {
        let test = try made()
        try test.write([
            .clear(at(1, "tags"), .set), .setInsert(at(1, "tags"), .value(.string("mine"))),
            .clear(at(1, "dict"), .dictionary), set(at(1, "dict", .name("k")), "mine")
        ])
        test.remote([.setInsert(at(1, "tags"), .value(.string("theirs"))), set(at(1, "dict", .name("t")), "theirs")])
        _ = try recover(test)
        #expect(try test.text(1, "tags") == "{mine}")
        #expect(try test.text(1, "dict") == "(k:mine)")
    }

    @Test func `R-59: an embedded object that the client set is there`() throws {
        let test = try made([set(at(1, "part"), .embeddedObject)])
        try test.write([
            set(at(1, "part"), .value(.null)), set(at(1, "part"), .embeddedObject),
            set(at(1, "part", .name("s")), "mine")
        ])
        test.remote([set(at(1, "part", .name("s")), "theirs"), insert(at(1, "part", .name("nums"), .index(0)), 3, 0)])
        _ = try recover(test)
        #expect(try test.text(1, "part") == "<s:mine nums:[]>")
    }

    @Test func `R-49, R-59: a field of an embedded object that the server took away is discarded`() throws {
        let test = try made([set(at(1, "part"), .embeddedObject), set(at(1, "dparts", .name("k")), .embeddedObject)])
        try test.write([set(at(1, "part", .name("s")), "mine"), set(at(1, "dparts", .name("k"), .name("s")), "mine")])
        test.remote([set(at(1, "part"), .value(.null)), set(at(1, "dparts", .name("k")), .erased)])
        #expect(try recover(test).discardCount == 2)
        #expect(try test.text(1, "part") == "null")
        #expect(try test.text(1, "dparts") == "()")
    }

    @Test func `R-49: what is below a mixed value that has another type now is discarded`() throws {
        let test = try made([
            set(at(1, "any"), .dictionary), set(at(1, "any", .name("k")), .list),
            set(at(2, "any"), .list), insert(at(2, "any", .index(0)), 1, 0)
        ])
        try test.write([
            set(at(1, "any", .name("new")), 1), insert(at(1, "any", .name("k"), .index(0)), 2, 0),
            insert(at(2, "any", .index(1)), 2, 1)
        ])
        test.remote([set(at(1, "any", .name("k")), 9), set(at(2, "any"), .dictionary)])
        #expect(try recover(test).discardCount == 2)
        #expect(try test.text(1, "any") == "(k:9 new:1)")
        #expect(try test.text(2, "any") == "()")
    }

    @Test func `R-50: clearing a collection in a mixed value makes it, if it isn't there`() throws {
        let test = try made([set(at(1, "map", .name("k")), .list), set(at(1, "any"), .list)])
        try test.write([
            .clear(at(1, "map", .name("k")), .list), insert(at(1, "map", .name("k"), .index(0)), 1, 0),
            .clear(at(1, "any"), .list), insert(at(1, "any", .index(0)), 2, 0)
        ])
        test.remote([set(at(1, "map", .name("k")), .erased), set(at(1, "any"), "text")])
        #expect(try recover(test).discardCount == 0)
        #expect(try test.text(1, "map") == "(k:[1])")
        #expect(try test.text(1, "any") == "[2]")
    }

    @Test func `R-53: a default counts as any assignment`() throws {
        let test = try made()
        try test.write([create(4), .update(at(4, "n"), .value(.int(1)), isDefault: true)])
        test.remote([create(4), set(at(4, "n"), 8)])
        _ = try recover(test)
        #expect(try test.text(4, "n") == "1")
    }

    @Test func `R-46, R-47, R-59: classes and properties that are added are recovered, and uploaded again`() throws {
        let test = try made()
        let added: [Instruction] = [
            ResetSchema.column("Item", "extra", .int),
            .addTable(className: "New", kind: .topLevel, key: KeyColumn(name: "_id", type: .int, isNullable: false)),
            ResetSchema.column("New", "item", .link, target: "Item"),
            .createObject(className: "New", key: .int(1)), set(at(1, "extra"), 5)
        ]
        try test.write(added)
        // The server knows one of them by now.
        test.remote([ResetSchema.column("Item", "extra", .int)])
        _ = try recover(test)
        #expect(try test.unsynced() == [added])
        #expect(try test.text(1, "extra") == "5")
    }

    @Test func `R-46: a class or property that the server has otherwise ends the reset`() throws {
        for (mine, theirs) in [
            (ResetSchema.column("Item", "extra", .int), ResetSchema.column("Item", "extra", .string)),
            (ResetSchema.column("Item", "extra", .int), ResetSchema.column("Item", "extra", .int, .list)),
            (ResetSchema.column("Item", "extra", .int), ResetSchema.column("Item", "extra", .int, nullable: true)),
            (
                .addTable(className: "New", kind: .topLevel, key: KeyColumn(name: "a", type: .int, isNullable: false)),
                .addTable(className: "New", kind: .topLevel, key: KeyColumn(name: "b", type: .int, isNullable: false))
            )
        ] {
            let test = try made()
            try test.write([mine])
            test.remote([theirs])
            let digest = try test.digest()
            let failure = #expect(throws: ClientResetFailure.self) { try test.reset() }
            #expect(failure?.code == .notRecoverable)
            #expect(try test.digest() == digest)
            #expect(try test.unsynced() == [[mine]])
        }
    }

    @Test func `R-46: a class or property that the client removed ends the reset`() throws {
        for removal in [
            Instruction.eraseColumn(className: "Item", property: "n"), .eraseTable(className: "Lonely")
        ] {
            let test = try made([
                .addTable(
                    className: "Lonely", kind: .topLevel, key: KeyColumn(name: "a", type: .int, isNullable: false))
            ])
            try test.write([removal])
            #expect(throws: ClientResetFailure.self) { try test.reset() }
        }
    }

    @Test func `R-49: a property that the server doesn't have any more ends the reset`() throws {
        let test = try made()
        try test.write([set(at(1, "n"), 4)])
        test.replaceServer([[ResetSchema.all[0], create(1)]])
        let failure = #expect(throws: ClientResetFailure.self) { try test.reset() }
        #expect(failure?.code == .notRecoverable)
    }
}
