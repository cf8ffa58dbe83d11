import Foundation
import Model
import TestSupport
import Testing
import Wire

/// The server loses what it knew of an app of flexible sync: devices get its new state, as far as they subscribe to it.
@Suite struct FlexibleResetProcessTests {
    /// A device with a set in force, one that waits, and unsynced objects; a server that has lost the app's realm, in which
    /// another device has begun anew.
    private func afterTheLoss(
        _ mode: SyncResetMode, _ body: (SyncedDevice, SyncedDevice, _ pending: Int64) throws -> Void
    ) throws {
        var server = try SyncedDevice.flexibleServer()
        let a = try SyncedDevice(server.url, app: "items")
        try a.openFlexible(resetMode: mode)
        try a.subscribeAndWait(.items("n < 100"))
        try a.putItems([(1, 1, "x"), (2, 2, "x")])
        try a.wait(.upload)
        server.end(SIGTERM)
        try a.putItems([(9, 9, "x")])
        try a.put([["_id": .int64(7), "value": .double(7)]], in: "Reading")
        let pending = try a.subscribe(.items("n == 500"))
        #expect(!server.realms.isEmpty)
        for path in server.realms { try FileManager.default.removeItem(atPath: path) }
        server = try ServerUnderTest(server.directory, port: server.port)
        // The first one mustn't come before the second has begun anew.
        _ = try a.wire.call(SyncControl(target: .handle(a.realm), wish: .suspend))
        let b = try SyncedDevice(server.url, app: "items")
        try b.openFlexible()
        try b.subscribeAndWait(.items("TRUEPREDICATE"))
        try b.putItems([(5, 5, "x"), (500, 500, "x"), (600, 600, "x")])
        try b.wait(.upload)
        for wish in [SyncControl.Wish.resume, .reconnect] {
            _ = try a.wire.call(SyncControl(target: .handle(a.realm), wish: wish))
        }
        try body(a, b, pending)
        try a.wait(.upload)
        try b.wait(.download)
        // Both go on, also in another process.
        try a.restartAgent(opening: nil)
        try a.openFlexible(resetMode: mode)
        try a.putItems([(10, 10, "x")])
        try b.putItems([(11, 11, "x")])
        for device in [a, b] { try device.wait(.upload) }
        for device in [a, b] { try device.wait(.download) }
        #expect(try a.items()[11] == 11 && b.items()[10] == 10)
        #expect(try a.objects("Reading").isEmpty)
        #expect(try a.state().error == nil)
    }

    @Test("R-28, R-43: unsynced changes are replayed, and the set that waits is taken up afterwards") func recovered()
        throws
    {
        try afterTheLoss(.recoverUnsyncedChanges) { a, b, pending in
            #expect(try a.next(.syncReset)["recovered"] == .bool(true))
            #expect(try a.wait(for: pending).state == .complete)
            #expect(try a.items() == [5: 5, 9: 9, 500: 500])
            let set = try a.subscriptions()
            #expect(set.active == 2 && set.set.version == 2 && set.set.state == .complete)
            try a.wait(.upload)
            try b.wait(.download)
            #expect(try b.items().keys.sorted() == [5, 9, 500, 600])
        }
    }

    @Test("R-43: where unsynced changes are discarded, so is the set that waits") func discarded() throws {
        try afterTheLoss(.discardUnsyncedChanges) { a, b, pending in
            #expect(try a.next(.syncReset)["recovered"] == .bool(false))
            #expect(try a.wait(for: pending).state == .superseded)
            #expect(try a.items() == [5: 5])
            let set = try a.subscriptions()
            #expect(set.active == 1 && set.set.version == 1 && set.set.state == .complete)
            #expect(try b.items().keys.sorted() == [5, 500, 600])
        }
    }

    @Test(
        "R-16, R-76: an agent that is killed during the reset leaves all or nothing of it", arguments: [0, 60, 150, 350]
    )
    func killed(delay: UInt32) throws {
        try afterTheLoss(.recoverUnsyncedChanges) { a, b, pending in
            usleep(delay * 1_000)
            try a.restartAgent(opening: nil)
            try a.openFlexible(resetMode: .recoverUnsyncedChanges)
            do {
                #expect(try a.wait(for: pending).state == .complete)
            } catch let error as WireError where error.message.contains("was never completed") {
                // it died with the attempt noted and nothing done. Now it is a reset by hand: what is there
                // stays until another agent opens the realm, which begins with a new one.
                #expect(try a.items() == [1: 1, 2: 2, 9: 9])
                try a.restartAgent(opening: nil)
                try a.openFlexible(resetMode: .recoverUnsyncedChanges)
                #expect(try a.items().isEmpty)
                let kept = FileManager.default.enumerator(atPath: a.agent.home.path)?.compactMap { $0 as? String } ?? []
                #expect(kept.contains { $0.contains("/recovered_realm") }, "\(kept)")
                try a.subscribeAndWait(.items("n < 100"))
                #expect(try a.items() == [5: 5])
                return
            }
            #expect(try a.items() == [5: 5, 9: 9, 500: 500])
            try a.wait(.upload)
            try b.wait(.download)
            #expect(try b.items().keys.sorted() == [5, 9, 500, 600])
        }
    }
}
