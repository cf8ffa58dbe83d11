import Foundation
import Model
import TestSupport
import Testing
import Wire

/// The server loses what it knew of a partition: devices get its new state, and keep what they hadn't synced.
@Suite struct ClientResetProcessTests {
    /// A device with three synced tasks, and one that isn't; a server that has lost the partition, in which another device
    /// has begun anew.
    private func afterTheLoss(
        _ mode: SyncResetMode, _ body: (ServerUnderTest, SyncedDevice, SyncedDevice) throws -> Void
    ) throws {
        var server = try ServerUnderTest()
        let a = try SyncedDevice(server.url)
        try a.open(resetMode: mode)
        try a.put([(1, "one"), (2, "two"), (3, "three")])
        try a.wait(.upload)
        server.end(SIGTERM)
        try a.put([(9, "nine")])
        try Self.loseRealms(of: server)
        server = try ServerUnderTest(server.directory, port: server.port)
        // The first one mustn't come before the second has begun anew.
        _ = try a.wire.call(SyncControl(target: .handle(a.realm), wish: .suspend))
        let b = try SyncedDevice(server.url)
        try b.open()
        try b.put([(5, "five")])
        try b.wait(.upload)
        _ = try a.wire.call(SyncControl(target: .handle(a.realm), wish: .resume))
        _ = try a.wire.call(SyncControl(target: .handle(a.realm), wish: .reconnect))
        try body(server, a, b)
    }

    /// Removes all partitions; users and apps stay.
    private static func loseRealms(of server: ServerUnderTest) throws {
        #expect(!server.realms.isEmpty)
        for path in server.realms { try FileManager.default.removeItem(atPath: path) }
    }

    @Test("R-7, R-39: unsynced changes are replayed on the server's state, which all clients see at once")
    func recovered() throws {
        try afterTheLoss(.recoverUnsyncedChanges) { _, a, b in
            let isReset = try eventually(within: .seconds(30)) { try a.tasks() == [5: "five", 9: "nine"] }
            #expect(isReset)
            let event = try a.next(.syncReset)
            #expect(event["recovered"] == .bool(true))
            try a.wait(.upload)
            try b.wait(.download)
            #expect(try b.tasks() == a.tasks())
            #expect(try a.state().session == .active)
            // Both go on as if nothing had happened, also in another process.
            try a.restartAgent()
            try a.put([(10, "ten")])
            try a.wait(.upload)
            try b.put([(6, "six")])
            try b.wait(.upload)
            try a.wait(.download)
            try b.wait(.download)
            #expect(try b.tasks().count == 4)
            #expect(try a.tasks() == b.tasks())
        }
    }

    @Test("R-7: unsynced changes go, if the app says so") func discarded() throws {
        try afterTheLoss(.discardUnsyncedChanges) { _, a, b in
            let isReset = try eventually(within: .seconds(30)) { try a.tasks() == [5: "five"] }
            #expect(isReset)
            try a.wait(.upload)
            try b.wait(.download)
            #expect(try b.tasks() == [5: "five"])
        }
    }

    @Test("R-10: in manual mode the app is told, and the data stays as it is") func manual() throws {
        try afterTheLoss(.manual) { _, a, _ in
            let event = try a.next(.syncFailed)
            #expect(event["action"] == .string("ClientReset"))
            #expect(try a.tasks().count == 4)
            #expect(try a.state().session == .inactive)
            // Who waits for a session that has stopped hears why.
            #expect(throws: WireError.self) { try a.wait(.upload) }
        }
    }
}
