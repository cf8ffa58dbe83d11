import Foundation
import Model
import TestSupport
import Testing
import Wire

/// A server and devices as processes: what one writes reaches the other, whatever is killed in between.
@Suite struct SyncProcessTests {
    @Test func whatOneDeviceWritesReachesTheOther() throws {
        let server = try ServerUnderTest()
        let (a, b) = (try SyncedDevice(server.url), try SyncedDevice(server.url))
        try a.open()
        try b.open()
        try a.put([(1, "one"), (2, "two")])
        try b.put([(3, "three")])
        try a.wait(.upload)
        try b.wait(.upload)
        try a.wait(.download)
        try b.wait(.download)
        #expect(try a.tasks() == [1: "one", 2: "two", 3: "three"])
        #expect(try b.tasks() == a.tasks())
        let state = try a.state()
        #expect(state.session == .active && state.connection == .connected && state.unsentTransactions == 0)
    }

    @Test func anObserverOnTheOtherDeviceHearsOfExactlyThat() throws {
        let server = try ServerUnderTest()
        let (a, b) = (try SyncedDevice(server.url), try SyncedDevice(server.url))
        try a.open()
        try b.open()
        try a.put([(1, "one")])
        try a.wait(.upload)
        try b.wait(.download)
        let subscribed = try b.wire.call(
            Subscribe(realm: b.realm, query: QueryRequest("Task", filter: "name BEGINSWITH 't'")))
        #expect(subscribed.count == 0)
        try a.put([(2, "two"), (4, "four")])
        while true {
            let event = try b.wire.nextEvent(timeout: .seconds(20))
            guard event.name == Event.changed.rawValue else { continue }
            #expect(event.params["count"] == .int64(1))
            guard case .array(let inserted)? = event.params["insertions"] else { throw TestFailure("\(event)") }
            #expect(inserted.count == 1)
            break
        }
    }

    @Test func partitionsStayApart() throws {
        let server = try ServerUnderTest()
        let (a, b) = (try SyncedDevice(server.url), try SyncedDevice(server.url))
        try a.open("mine")
        try b.open("yours")
        try a.put([(1, "mine")])
        try b.put([(1, "yours")])
        for device in [a, b] { try device.wait(.upload) }
        for device in [a, b] { try device.wait(.download) }
        #expect(try a.tasks() == [1: "mine"])
        #expect(try b.tasks() == [1: "yours"])
        try b.open("mine")
        try b.wait(.download)
        #expect(try b.tasks() == [1: "mine"])
    }

    @Test func whatIsWrittenOfflineSurvivesAgentsAndGoesUpLater() throws {
        var server = try ServerUnderTest()
        let (a, b) = (try SyncedDevice(server.url), try SyncedDevice(server.url))
        try a.open()
        try b.open()
        try a.put([(1, "one")])
        try a.wait(.upload)
        try b.wait(.download)
        server.end(SIGKILL)
        for n in 2...20 { try a.put([(Int64(n), "a\(n)")]) }
        for n in 21...40 { try b.put([(Int64(n), "b\(n)")]) }
        let unsent = try a.state(naming: 5)
        #expect(unsent.unsentTransactions == 19 && unsent.unsentObjects.count == 5)
        #expect(unsent.unsentObjects.first?.key == .int(2) && unsent.oldestUnsent != nil)
        try a.restartAgent()
        #expect(try a.state().unsentTransactions == 19)
        #expect(try a.tasks().count == 20)
        server = try ServerUnderTest(server.directory, port: server.port)
        for device in [a, b] {
            _ = try device.wire.call(SyncControl(target: .handle(device.realm), wish: .reconnect))
            try device.wait(.upload)
        }
        for device in [a, b] { try device.wait(.download) }
        #expect(try a.tasks().count == 40)
        #expect(try a.tasks() == b.tasks())
        #expect(try a.state().unsentTransactions == 0)
        // What it acknowledged outlives the server.
        server = try server.again(SIGKILL)
        let c = try SyncedDevice(server.url)
        try c.open()
        try c.wait(.download)
        #expect(try c.tasks() == a.tasks())
    }

    /// Nobody has the realm open any more, and the agent is another one: what was written still goes up.
    @Test func whatIsUnsentGoesUpWithoutAClient() throws {
        var server = try ServerUnderTest()
        let a = try SyncedDevice(server.url)
        try a.open()
        try a.wait(.download)
        server.end(SIGKILL)
        try a.put([(7, "seven")])
        try a.restartAgent(opening: nil)
        server = try ServerUnderTest(server.directory, port: server.port)
        let b = try SyncedDevice(server.url)
        try b.open()
        #expect(
            try eventually(within: .seconds(30)) {
                try b.wait(.download)
                return try b.tasks() == [7: "seven"]
            })
    }

    @Test func aRealmIsSyncedForOneUserAndPartitionOrNotAtAll() throws {
        let server = try ServerUnderTest()
        let a = try SyncedDevice(server.url)
        try a.open()
        func code(_ request: RealmOpen) -> WireError.Code? {
            do {
                _ = try a.wire.call(request)
                return nil
            } catch {
                return (error as? WireError)?.code
            }
        }
        let path = a.path("home")
        #expect(code(RealmOpen(path: path, schema: SyncedDevice.schema)) == .syncMismatch)
        #expect(code(RealmOpen(path: path, sync: a.target("other"))) == .syncMismatch)
        #expect(code(RealmOpen(path: path)) == nil)
        let local = a.agent.home.path("local.realm")
        #expect(code(RealmOpen(path: local, schema: SyncedDevice.schema, create: true)) == nil)
        #expect(code(RealmOpen(path: local, sync: a.target("home"))) == .syncMismatch)
        var stranger = a.target("home")
        stranger.user = "nobody"
        #expect(code(RealmOpen(path: a.path("new"), create: true, sync: stranger)) == .unknownUser)
        // SV-25
        let keyless = RealmSchema([ClassSchema("Note", [PropertySchema("text", .string)])])
        #expect(
            code(RealmOpen(path: a.path("new"), schema: keyless, create: true, sync: a.target("new")))
                == .schemaMismatch)
    }

    @Test func aPausedRealmKeepsWhatIsWritten() throws {
        let server = try ServerUnderTest()
        let (a, b) = (try SyncedDevice(server.url), try SyncedDevice(server.url))
        try a.open()
        try b.open()
        let other = try a.agent.connect()
        let handle = try other.call(
            RealmOpen(path: a.path("home"), schema: SyncedDevice.schema, sync: a.target("home"))
        ).realm
        try a.wait(.upload)
        // SY-06: it goes on while one of them wants it to.
        _ = try a.wire.call(SyncControl(target: .handle(a.realm), wish: .suspend))
        #expect(try a.state().session == .active)
        _ = try other.call(SyncControl(target: .handle(handle), wish: .suspend))
        #expect(try a.state().session == .inactive)
        try a.put([(1, "one")])
        #expect(try a.state().unsentTransactions == 1)
        _ = try a.wire.call(SyncControl(target: .handle(a.realm), wish: .resume))
        try a.wait(.upload)
        // The user's own wish is above those of programs, and outlives them.
        #expect(try a.agent.command(["sync", "pause", a.path("home")]).status == 0)
        try a.put([(2, "two")])
        try a.restartAgent()
        let paused = try a.state()
        #expect(paused.paused && paused.session == .inactive && paused.unsentTransactions == 1)
        let queue = try a.agent.command(["queue", a.path("home"), "--json"])
        #expect(queue.status == 1 && queue.output.contains(#""class":"Task""#))
        #expect(try a.agent.command(["sync", "resume", a.path("home")]).status == 0)
        try a.wait(.upload)
        try b.wait(.download)
        #expect(try b.tasks() == [1: "one", 2: "two"])
        #expect(try a.agent.command(["queue", a.path("home")]).status == 0)
    }

    @Test func aRealmThatIsOpenedWhileItIsBeingLeftIsSynced() throws {
        let server = try ServerUnderTest()
        let device = try SyncedDevice(server.url)
        for number in 0..<150 {
            try device.open()
            if number % 3 == 0 { try device.put([(Int64(number), "task")]) }
            #expect(try device.state().session == .active)
            _ = try device.wire.call(RealmClose(realm: device.realm))
            usleep(UInt32(number % 10) * 300)
        }
    }
}

extension ServerUnderTest {
    /// Ends it with a signal and starts another one on the same data and port.
    fileprivate func again(_ signal: Int32) throws -> ServerUnderTest {
        let port = self.port
        end(signal)
        return try ServerUnderTest(directory, port: port)
    }
}
