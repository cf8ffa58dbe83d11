import Testing

@testable import Agent

/// Which snapshots are kept, and for whom.
@Suite struct PinTableTests {
    private func pin(
        _ client: UInt64, _ version: UInt64, handle: Int32 = 1, generation: UInt64 = 0, announced: Bool = false
    ) -> PinTable.Pin {
        PinTable.Pin(
            client: client, handle: handle, hold: .init(generation: generation, version: version), since: .now,
            isAnnounced: announced)
    }

    @Test func aSnapshotIsKeptUntilItsLastPinGoes() {
        var table = PinTable()
        table.add(1, pin(10, 5))
        table.add(2, pin(20, 5))
        table.add(3, pin(20, 6))
        #expect(table.heldSnapshots.map(\.version) == [5, 6])
        #expect(table.release(1, by: 10) == nil)
        #expect(table.release(2, by: 20)?.version == 5)
        #expect(table.heldSnapshots.map(\.version) == [6])
    }

    @Test func nobodyReleasesWhatIsNotTheirs() {
        var table = PinTable()
        table.add(1, pin(10, 5))
        #expect(table.release(1, by: 20) == nil)
        #expect(table.release(7, by: 10) == nil)
        #expect(table.isHeld(.init(generation: 0, version: 5)))
        #expect(table.release(1, by: 10) != nil)
        #expect(table.release(1, by: 10) == nil)
    }

    @Test func allPinsOfAClientOrOfOneHandleGoTogether() {
        var table = PinTable()
        table.add(1, pin(10, 5, handle: 1))
        table.add(2, pin(10, 6, handle: 2))
        table.add(3, pin(20, 6))
        #expect(table.releaseAll(of: 10, handle: 1).map(\.version) == [5])
        #expect(table.releaseAll(of: 10).isEmpty)
        #expect(table.releaseAll(of: 20).map(\.version) == [6])
        #expect(table.pins.isEmpty)
    }

    @Test func theSameVersionInAnotherGenerationIsAnotherSnapshot() {
        var table = PinTable()
        table.add(1, pin(10, 5, generation: 1))
        table.add(2, pin(10, 5, generation: 2))
        #expect(table.release(1, by: 10) == .init(generation: 1, version: 5))
        #expect(table.oldest?.hold == .init(generation: 2, version: 5))
    }

    @Test func announcedPinsThatAreInUseDontHoldUpAnnouncements() {
        let next = PinTable.Hold(generation: 0, version: 9)
        var table = PinTable(announcedLimit: 2)
        table.add(1, pin(10, 1, announced: true))
        table.add(2, pin(10, 2, announced: true))
        #expect(!table.mayAnnounce(next, to: 1, of: 10))
        table.keep(1, by: 20)
        #expect(!table.mayAnnounce(next, to: 1, of: 10), "another client's pin")
        table.keep(1, by: 10)
        table.keep(1, by: 10)
        #expect(table.mayAnnounce(next, to: 1, of: 10))
        table.add(3, pin(10, 3, announced: true))
        #expect(!table.mayAnnounce(next, to: 1, of: 10), "it was counted once")
        #expect(table.isHeld(.init(generation: 0, version: 1)))
        #expect(table.release(1, by: 10) != nil)
        #expect(!table.mayAnnounce(next, to: 1, of: 10))
    }

    @Test func announcementsWaitForAClientThatReleasesNothing() {
        var table = PinTable(announcedLimit: 8)
        let next = PinTable.Hold(generation: 0, version: 9)
        for number in 1...8 {
            #expect(table.mayAnnounce(next, to: 1, of: 10))
            table.add(Int64(number), pin(10, UInt64(number), announced: true))
        }
        #expect(!table.mayAnnounce(next, to: 1, of: 10))
        #expect(table.mayAnnounce(next, to: 2, of: 10))
        #expect(table.mayAnnounce(next, to: 1, of: 20))
        _ = table.release(3, by: 10)
        #expect(table.mayAnnounce(next, to: 1, of: 10))
    }

    @Test func pinsOfOneConnectionAreBounded() {
        var table = PinTable(clientLimit: 3)
        let hold = PinTable.Hold(generation: 0, version: 1)
        for number in 1...3 { table.add(Int64(number), pin(10, 1)) }
        #expect(!table.mayPin(hold, for: 10))
        #expect(table.mayPin(hold, for: 20))
        _ = table.release(2, by: 10)
        #expect(table.mayPin(hold, for: 10))
    }

    @Test func differentSnapshotsOfOneConnectionAreBounded() {
        var table = PinTable(clientHoldLimit: 2)
        let holds = (1...3).map { PinTable.Hold(generation: 0, version: $0) }
        for number in 1...3 { table.add(Int64(number), pin(10, 1)) }
        #expect(table.mayPin(holds[1], for: 10))
        table.add(4, pin(10, 2))
        #expect(Set(table.holds(of: 10)) == Set(holds[..<2]))
        #expect(!table.mayPin(holds[2], for: 10))
        #expect(table.mayPin(holds[0], for: 10) && table.mayPin(holds[2], for: 20))
        _ = table.release(4, by: 10)
        #expect(table.mayPin(holds[2], for: 10))
        _ = table.releaseAll(of: 10)
        #expect(table.holds(of: 10).isEmpty)
    }
}
