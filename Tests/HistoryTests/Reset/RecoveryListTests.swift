import Model
import Sync
import Testing

@testable import History

/// What becomes of unsynced changes of lists: exact as far as they are about elements that the client has
/// put in itself, the client's list otherwise.
@Suite struct RecoveryListTests {
    /// Item 1 has the numbers 1, 2, 3.
    private func made(_ agreed: [Instruction] = []) throws -> ResetCase {
        try ResetCase(ResetSchema.all + [create(1), create(2)] + fill(1, 1, 2, 3) + agreed)
    }

    private func nums(_ index: UInt32) -> InstructionPath { at(1, "nums", .index(index)) }

    @discardableResult
    private func recover(_ reset: ResetCase) throws -> ClientResetOutcome {
        let outcome = try reset.reset()
        #expect(try reset.digest() == reset.serverDigest())
        #expect(try reset.file.snapshot().checkInvariants() == [])
        return outcome
    }

    /// The list after a reset, for changes of both sides to 1, 2, 3.
    private func result(_ mine: [Instruction], _ theirs: [Instruction]) throws -> String? {
        let test = try made()
        try test.write(mine)
        test.remote(theirs)
        try recover(test)
        return try test.text(1, "nums")
    }

    @Test func `R-54, R-59: what both append is kept, the client's at its index`() throws {
        #expect(try result([insert(nums(3), 10, 3)], [insert(nums(3), 20, 3)]) == "[1 2 3 10 20]")
        #expect(try result([insert(nums(3), 20, 3)], [insert(nums(3), 20, 3)]) == "[1 2 3 20 20]")
    }

    @Test func `R-54, R-59: into a shorter list the client's elements go at the end, in their order`() throws {
        let theirs: [Instruction] = [.clear(at(1, "nums"), .list)]
        #expect(try result([insert(nums(3), 10, 3), insert(nums(4), 11, 4)], theirs) == "[10 11]")
        // 11 stands before 10 on the client.
        #expect(try result([insert(nums(3), 10, 3), insert(nums(3), 11, 4)], theirs) == "[11 10]")
        let between = [insert(nums(3), 10, 3), insert(nums(4), 12, 4), insert(nums(4), 11, 5)]
        #expect(try result(between, theirs) == "[10 11 12]")
    }

    @Test func `R-59: what is inserted and then changed is as inserted`() throws {
        let mine: [Instruction] = [
            insert(nums(1), 10, 3), insert(nums(2), 11, 4),
            .updateElement(nums(1), .value(.int(12)), priorSize: 5),
            .arrayMove(nums(1), to: 2, priorSize: 5),
            .arrayErase(nums(1), priorSize: 5)
        ]
        #expect(try result(mine, [.arrayErase(nums(2), priorSize: 3)]) == "[1 12 2]")
    }

    @Test func `R-54, R-57, R-59: a change of what was there before makes it the client's list`() throws {
        for change in [
            Instruction.arrayErase(nums(0), priorSize: 3),
            .arrayMove(nums(0), to: 2, priorSize: 3),
            .updateElement(nums(0), .value(.int(9)), priorSize: 3)
        ] {
            let test = try made()
            try test.write([change])
            let mine = try test.text(1, "nums")
            test.remote([insert(nums(0), 20, 3)])
            #expect(try recover(test).discardCount == 1)
            #expect(try test.text(1, "nums") == mine)
        }
    }

    @Test func `R-54: moving what was inserted to where something else was copies the list`() throws {
        let test = try made()
        try test.write([insert(nums(3), 10, 3), .arrayMove(nums(3), to: 0, priorSize: 4)])
        test.remote([.arrayErase(nums(0), priorSize: 3)])
        try recover(test)
        #expect(try test.text(1, "nums") == "[10 1 2 3]")
    }

    @Test func `R-54, R-57: after a list is marked nothing else is done to it, and it is copied once`() throws {
        let test = try made()
        try test.write([.arrayErase(nums(0), priorSize: 3)])
        try test.write([insert(nums(2), 4, 2)])
        test.remote([insert(nums(3), 20, 3)])
        let outcome = try recover(test)
        #expect(outcome.discardCount == 2)
        #expect(outcome.recoveredChanges == 1)
        #expect(try test.text(1, "nums") == "[2 3 4]")
        // The second entry is empty, and stays.
        #expect(try test.history.pendingEntries() == [false, true])
    }

    @Test func `R-55, R-59: after a clear the list is the client's, exactly`() throws {
        let mine: [Instruction] = [
            .arrayErase(nums(0), priorSize: 3), .clear(at(1, "nums"), .list), insert(nums(0), 7, 0),
            insert(nums(1), 8, 1), .updateElement(nums(0), .value(.int(6)), priorSize: 2)
        ]
        let theirs: [Instruction] = [.clear(at(1, "nums"), .list), insert(nums(0), 20, 0)]
        #expect(try result(mine, theirs) == "[6 8]")
        let test = try made()
        try test.write(mine)
        #expect(try recover(test).discardCount == 1)
        // Cleared within the changeset: there is nothing to copy.
        #expect(
            try test.unsynced() == [
                [
                    .clear(at(1, "nums"), .list), insert(nums(0), 7, 0), insert(nums(1), 8, 1),
                    .updateElement(nums(0), .value(.int(6)), priorSize: 2)
                ]
            ])
    }

    @Test func `R-51: sizes are those of the server's list`() throws {
        let test = try made()
        try test.write([insert(nums(3), 10, 3)])
        test.remote([insert(nums(3), 20, 3), insert(nums(4), 21, 4)])
        try recover(test)
        #expect(try test.unsynced() == [[insert(nums(3), 10, 5)]])
    }

    @Test func `R-56, R-59: a field of an embedded object in a list makes it the client's list`() throws {
        let test = try made([
            insert(at(1, "parts", .index(0)), .embeddedObject, 0), set(at(1, "parts", .index(0), .name("s")), "old")
        ])
        try test.write([set(at(1, "parts", .index(0), .name("s")), "mine")])
        test.remote([
            insert(at(1, "parts", .index(1)), .embeddedObject, 1),
            insert(at(1, "parts", .index(0), .name("nums"), .index(0)), 5, 0)
        ])
        try recover(test)
        #expect(try test.text(1, "parts") == "[<s:mine nums:[]>]")
    }

    @Test func `R-56: what the client has inserted is reached through the list`() throws {
        let test = try made()
        func part(_ index: UInt32, _ rest: PathElement...) -> InstructionPath {
            InstructionPath("Item", .int(1), "parts", [.index(index)] + rest)
        }
        try test.write([
            insert(part(0), .embeddedObject, 0), set(part(0, .name("s")), "a"),
            insert(part(0, .name("nums"), .index(0)), 1, 0), insert(part(0, .name("nums"), .index(1)), 2, 1),
            insert(part(0), .embeddedObject, 1), set(part(0, .name("s")), "b"),
            .arrayErase(part(1, .name("nums"), .index(0)), priorSize: 2), .arrayMove(part(0), to: 1, priorSize: 2),
            insert(part(0, .name("nums"), .index(1)), 3, 1)
        ])
        test.remote([insert(part(0), .embeddedObject, 0), set(part(0, .name("s")), "theirs")])
        #expect(try recover(test).discardCount == 0)
        #expect(try test.text(1, "parts") == "[<s:a nums:[2 3]> <s:b nums:[]> <s:theirs nums:[]>]")
    }

    @Test func `R-56: a list inside of an element that was there before copies the outer list`() throws {
        let test = try made([insert(at(1, "parts", .index(0)), .embeddedObject, 0)])
        try test.write([insert(at(1, "parts", .index(0), .name("nums"), .index(0)), 1, 0)])
        test.remote([set(at(1, "parts", .index(0), .name("s")), "theirs")])
        try recover(test)
        #expect(try test.text(1, "parts") == "[<s: nums:[1]>]")
    }

    @Test func `R-57: lists in embedded objects, dictionaries and mixed values are copied, too`() throws {
        let test = try made([
            set(at(1, "part"), .embeddedObject), insert(at(1, "part", .name("nums"), .index(0)), 1, 0),
            set(at(1, "dparts", .name("k")), .embeddedObject),
            insert(at(1, "dparts", .name("k"), .name("nums"), .index(0)), 1, 0),
            set(at(1, "any"), .dictionary), set(at(1, "any", .name("l")), .list),
            insert(at(1, "any", .name("l"), .index(0)), 1, 0), insert(at(1, "any", .name("l"), .index(1)), .list, 1)
        ])
        try test.write([
            .arrayErase(at(1, "part", .name("nums"), .index(0)), priorSize: 1),
            .arrayErase(at(1, "dparts", .name("k"), .name("nums"), .index(0)), priorSize: 1),
            insert(at(1, "any", .name("l"), .index(1), .index(0)), .dictionary, 0),
            set(at(1, "any", .name("l"), .index(1), .index(0), .name("x")), 4)
        ])
        test.remote([
            insert(at(1, "part", .name("nums"), .index(0)), 9, 1),
            insert(at(1, "dparts", .name("k"), .name("nums"), .index(0)), 9, 1),
            insert(at(1, "any", .name("l"), .index(0)), 9, 2)
        ])
        try recover(test)
        #expect(try test.text(1, "part") == "<s: nums:[]>")
        #expect(try test.text(1, "dparts") == "(k:<s: nums:[]>)")
        #expect(try test.text(1, "any") == "(l:[1 [(x:4)]])")
    }

    @Test func `R-57: a list whose place is gone on the server, or of another type, is left`() throws {
        let test = try made([set(at(1, "any"), .list), insert(at(1, "any", .index(0)), 1, 0)])
        try test.write([.arrayErase(at(1, "any", .index(0)), priorSize: 1), .arrayErase(nums(0), priorSize: 3)])
        try test.write([erase(1), create(1)])
        test.remote([insert(nums(0), 9, 3)])
        try recover(test)
        #expect(try test.text(1, "nums") == "[]")
    }

    @Test func `R-58: a copied list has no links to objects that the server deleted, but those to new ones`() throws {
        let links = [2, 3, 4].enumerated().map { place, key in
            insert(at(1, "links", .index(UInt32(place))), link(Int64(key)), UInt32(place))
        }
        let test = try made([create(3), create(4)] + links)
        try test.write([.arrayErase(at(1, "links", .index(2)), priorSize: 3)])
        // Created later than the list is first copied.
        try test.write([create(5), insert(at(1, "links", .index(0)), link(5), 2)])
        test.remote([erase(2)])
        try recover(test)
        #expect(try test.text(1, "links") == "[→5 →3]")
    }

    @Test func `R-54: an element that couldn't be put in isn't mistaken for its neighbour`() throws {
        let test = try made([create(3), create(4)])
        func links(_ index: UInt32) -> InstructionPath { at(1, "links", .index(index)) }
        try test.write([
            insert(links(0), link(3), 0), insert(links(1), link(4), 1), insert(links(0), link(2), 2),
            .updateElement(links(1), link(4), priorSize: 3), .arrayMove(links(2), to: 1, priorSize: 3),
            .arrayErase(links(2), priorSize: 3)
        ])
        test.remote([erase(2)])
        #expect(try recover(test).discardCount == 1)
        #expect(try test.text(1, "links") == "[→4]")
    }

    @Test func `R-54: what takes a copied list's place is known again`() throws {
        let test = try made([
            set(at(1, "part"), .embeddedObject), insert(at(1, "part", .name("nums"), .index(0)), 1, 0),
            set(at(1, "any"), .list), insert(at(1, "any", .index(0)), 1, 0),
            set(at(1, "map", .name("k")), .list), insert(at(1, "map", .name("k"), .index(0)), 1, 0)
        ])
        let lists = [
            at(1, "part", .name("nums"), .index(0)), at(1, "any", .index(0)), at(1, "map", .name("k"), .index(0))
        ]
        try test.write(lists.map { .arrayErase($0, priorSize: 1) })
        try test.write([
            set(at(1, "part"), .value(.null)), set(at(1, "part"), .embeddedObject), set(at(1, "any"), 5),
            set(at(1, "any"), .list), .clear(at(1, "map"), .dictionary), set(at(1, "map", .name("k")), .list)
        ])
        try test.write(lists.map { insert($0, 7, 0) })
        test.remote(lists.map { insert($0, 9, 1) })
        #expect(try recover(test).discardCount == 3)
        #expect(try test.text(1, "part") == "<s: nums:[7]>")
        #expect(try test.text(1, "any") == "[7]")
        #expect(try test.text(1, "map") == "(k:[7])")
    }

    @Test func `R-54: after the object is made anew its lists are known again`() throws {
        let test = try made()
        try test.write([
            .arrayErase(nums(0), priorSize: 3), erase(1), create(1), insert(nums(0), 5, 0),
            .updateElement(nums(0), .value(.int(6)), priorSize: 1)
        ])
        test.remote([insert(nums(0), 9, 3)])
        #expect(try recover(test).discardCount == 1)
        #expect(try test.text(1, "nums") == "[6]")
    }
}

extension ClientHistory {
    /// Of each unsynced entry, whether it is empty.
    fileprivate func pendingEntries() throws -> [Bool] {
        var found: [Bool] = []
        try file.snapshot().eachSyncRecord(from: HistoryKey.entry(0), to: HistoryKey.entry(.max)) { _, value in
            found.append(try EntryRecord(value).changeset.isEmpty)
            return true
        }
        return found
    }
}
