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

    /// The names in a copy that a manual reset has left.
    private func names(in backup: String, _ device: SyncedDevice) throws -> [String] {
        let (status, output) = try device.agent.command(["query", backup, "Task", "--json"])
        #expect(status == 0, "\(output)")
        return output.split(separator: "\n").compactMap { line in
            let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return object?["name"] as? String
        }.sorted()
    }

    @Test("R-10 to R-13: asked for, the realm is put aside once nobody has it open, and begins anew")
    func carriedOut() throws {
        try afterTheLoss(.manual) { _, a, _ in
            let event = try a.next(.syncFailed)
            guard case .string(let backup)? = event["recovery"] else { throw TestFailure("\(event)") }
            #expect(backup.hasPrefix(a.agent.home.path("mongodb-realm/tasks/recovered-realms/recovered_realm-")))
            let other = try a.agent.connect("other")
            let realm = try other.call(RealmOpen(path: a.path("home"), sync: a.target("home"))).realm
            // Both have it open; then the other one still has.
            #expect(try !a.wire.call(SyncCarryOut(path: a.path("home"))).done)
            _ = try a.wire.call(RealmClose(realm: a.realm))
            #expect(try !a.wire.call(SyncCarryOut(path: a.path("home"))).done)
            #expect(try other.call(ReadCount(realm: realm, query: QueryRequest("Task"))).count == 4)
            #expect(try Data(contentsOf: URL(fileURLWithPath: backup)).isEmpty)
            _ = try other.call(RealmClose(realm: realm))
            let isGone = eventually { !FileManager.default.fileExists(atPath: a.path("home")) }
            #expect(isGone)
            #expect(try names(in: backup, a) == ["nine", "one", "three", "two"])
            try a.open()
            try a.wait(.download)
            let anew = try a.tasks()
            #expect(anew == [5: "five"], "\(anew)")
            try a.put([(7, "seven")])
            try a.wait(.upload)
            // Done once: there is nothing left to be carried out.
            _ = try a.wire.call(RealmClose(realm: a.realm))
            #expect(try !a.wire.call(SyncCarryOut(path: a.path("home"))).done)
            try a.open()
            #expect(try a.tasks() == [5: "five", 7: "seven"])
        }
    }

    @Test(
        "CR-10, R-12: unasked it is put aside for the next program, also by the next agent, and not for one that knows")
    func leftToTheNext() throws {
        try afterTheLoss(.manual) { _, a, _ in
            let event = try a.next(.syncFailed)
            guard case .string(let backup)? = event["recovery"] else { throw TestFailure("\(event)") }
            _ = try a.wire.call(RealmClose(realm: a.realm))
            // Who was told may look at it, and save what it wants; so may the command.
            try a.open(resetMode: .manual)
            #expect(try a.tasks().count == 4)
            #expect(try a.next(.syncFailed)["recovery"] == .string(backup))
            _ = try a.wire.call(RealmClose(realm: a.realm))
            #expect(try a.agent.command(["ls", a.path("home")]).status == 0)
            #expect(FileManager.default.fileExists(atPath: a.path("home")))
            try a.restartAgent(opening: nil)
            #expect(FileManager.default.fileExists(atPath: a.path("home")))
            try a.open()
            try a.wait(.download)
            #expect(try a.tasks() == [5: "five"])
            #expect(try names(in: backup, a) == ["nine", "one", "three", "two"])
        }
    }
}
