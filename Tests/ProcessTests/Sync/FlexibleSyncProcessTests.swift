import Foundation
import Model
import TestSupport
import Testing
import Wire

/// A server and devices of flexible sync as processes: each device has what its subscriptions ask for.
@Suite struct FlexibleSyncProcessTests {
    private func devices(_ server: ServerUnderTest, _ count: Int = 2) throws -> [SyncedDevice] {
        try (0..<count).map { _ in
            let device = try SyncedDevice(server.url, app: "items")
            try device.openFlexible()
            return device
        }
    }

    /// The code of the error that `body` throws.
    private func code(_ body: () throws -> Void) -> WireError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? WireError)?.code
        }
    }

    @Test("F-29, F-49, F-51: objects come and go with the view") func viewsChange() throws {
        let server = try SyncedDevice.flexibleServer()
        let devices = try devices(server)
        let (a, b) = (devices[0], devices[1])
        #expect(try a.subscriptions().set.version == 0)
        try a.subscribeAndWait(.items("TRUEPREDICATE"))
        try a.putItems((1...6).map { ($0, $0, "x") })
        try a.wait(.upload)
        try b.subscribeAndWait(.items("n > 3", name: "large"))
        #expect(try b.items() == [4: 4, 5: 5, 6: 6])
        // Another's change brings one in and takes one away.
        _ = try a.wire.call(
            ObjectPut(
                realm: a.realm, className: "Item",
                objects: [["_id": .int64(1), "n": .int64(10)], ["_id": .int64(6), "n": .int64(0)]],
                mode: .upsert))
        try a.wait(.upload)
        try b.wait(.download)
        #expect(try b.items() == [1: 10, 4: 4, 5: 5])
        // The same name asks for others.
        try b.subscribeAndWait(.items("n < 3", name: "large"))
        #expect(try b.items() == [2: 2, 6: 0])
        let set = try b.subscriptions()
        #expect(set.active == 2 && set.set.state == .complete && set.set.subscriptions.map(\.query) == ["n < 3"])
        #expect(set.set.subscriptions[0].updated > set.set.subscriptions[0].created)
        try b.subscribeAndWait(SubscriptionsEdit(.removeAll))
        #expect(try b.items() == [:])
        #expect(try a.items().count == 6)
        // Who waits for a set that is gone hears of it.
        #expect(try b.wait(for: 1).state == .superseded)
    }

    @Test("F-8: a set that the server refuses says why, and the one before it stays in force") func refused() throws {
        let server = try SyncedDevice.flexibleServer()
        let a = try devices(server, 1)[0]
        try a.subscribeAndWait(.items("n > 0"))
        try a.putItems([(1, 1, "x")])
        let version = try a.subscribe(.items("@count > 3 nonsense"))
        let reply = try a.wait(for: version)
        #expect(reply.state == .error)
        #expect(reply.error?.contains("Item") == true)
        let state = try a.subscriptions()
        #expect(state.active == 1 && state.set.version == version && state.set.state == .error)
        #expect(try a.items() == [1: 1])
        while true {
            let event = try a.next(.subscriptionsChanged)
            guard event["version"] == .int64(version), event["state"] == .string("error") else { continue }
            #expect(event["error"] == reply.error.map { .string($0) })
            break
        }
        // The next one can succeed.
        try a.subscribeAndWait(SubscriptionsEdit(.removeAll), .items("n > 5"))
        #expect(try a.items() == [:])
    }

    @Test("F-28: an object of a class that nobody has subscribed to isn't created, whichever way it is written")
    func writesNeedASubscription() throws {
        let server = try SyncedDevice.flexibleServer()
        let a = try devices(server, 1)[0]
        #expect(code { try a.putItems([(1, 1, "x")]) } == .noSubscriptionForWrite)
        var writer = ChangesetWriter()
        writer.append(.createObject(className: "Item", key: .int(1)))
        let changes = writer.finished()
        let whole = WriteCommit(realm: a.realm, changes: Bytes(changes), uid: UniqueId())
        do {
            _ = try a.wire.call(whole)
            Issue.record("written")
        } catch let error as WireError {
            #expect(error.code == .noSubscriptionForWrite)
            #expect(error.facts["class"] == .string("Item") && error.facts["path"] == .string(a.flexiblePath))
        }
        let transaction = try a.wire.call(WriteBegin(realm: a.realm)).transaction
        #expect(
            code {
                _ = try a.wire.call(
                    WriteCommit(
                        realm: a.realm, transaction: transaction, changes: Bytes(changes), uid: UniqueId()))
            } == .noSubscriptionForWrite)
        #expect(try a.items() == [:])
        #expect(try a.state().unsentTransactions <= 1)
        // A set that the server hasn't seen yet will do.
        try a.subscribe(.items("n == 1"))
        _ = try a.wire.call(whole)
        #expect(try a.items() == [1: 0])
        // F-24: what can't be subscribed to is refused at once.
        #expect(
            code {
                try a.subscribe(SubscriptionsEdit(.insert, className: "Reading", query: "value > 0"))
            } == .badParams)
    }

    @Test("two clients of a device share the sets; one that has seen an older one doesn't overwrite it") func shared()
        throws
    {
        let server = try SyncedDevice.flexibleServer()
        let a = try devices(server, 1)[0]
        let other = try a.agent.connect()
        let handle = try a.openFlexible(on: other)
        try a.subscribeAndWait(.items("n > 0", name: "mine"))
        let seen = try other.call(SubscriptionsGet(realm: handle)).set
        #expect(seen.version == 1 && seen.subscriptions.first?.name == "mine")
        let stale = try other.call(SubscriptionsUpdate(realm: handle, base: 0, edits: [.items("n < 0")]))
        #expect(!stale.applied && stale.set == seen)
        let done = try other.call(
            SubscriptionsUpdate(
                realm: handle, base: 1,
                edits: [SubscriptionsEdit(.setQuery, query: "n > 7", id: seen.subscriptions[0].id), .items("n == 0")]))
        #expect(done.applied && done.set.version == 2)
        #expect(try a.wait(for: 2).state == .complete)
        #expect(try a.subscriptions().set.subscriptions.map(\.query) == ["n > 7", "n == 0"])
        #expect(
            code {
                _ = try other.call(
                    SubscriptionsUpdate(
                        realm: handle, edits: [SubscriptionsEdit(.setQuery, query: "n", id: ObjectId())]))
            } == .badParams)
        #expect(try a.subscriptions().set.version == 2)
        // A partition has no sets.
        #expect(
            code {
                _ = try other.call(
                    RealmOpen(path: a.flexiblePath, create: true, sync: a.target("home")))
            } == .syncMismatch)
    }

    @Test("F-4: offline sets follow what was written before them, and survive the agent") func offline() throws {
        var server = try SyncedDevice.flexibleServer()
        let devices = try devices(server)
        let (a, b) = (devices[0], devices[1])
        try a.subscribeAndWait(.items("TRUEPREDICATE"))
        try b.subscribeAndWait(.items("n > 3"))
        try a.putItems((1...5).map { ($0, $0, "x") })
        try a.wait(.upload)
        server.end(SIGKILL)
        try b.putItems([(20, 20, "y")])
        try b.subscribe(.items("n == 1"))
        try b.putItems([(21, 1, "y")])
        let version = try b.subscribe(SubscriptionsEdit(.removeQuery, className: "Item", query: "n > 3"))
        #expect(try b.subscriptions().set.state == .pending)
        try b.restartAgent(opening: nil)
        try b.openFlexible()
        let kept = try b.subscriptions()
        #expect(kept.set.version == version && kept.active == 1)
        #expect(kept.set.subscriptions.map(\.query) == ["n == 1"])
        server = try ServerUnderTest(server.directory, port: server.port)
        for device in devices {
            _ = try device.wire.call(SyncControl(target: .handle(device.realm), wish: .reconnect))
        }
        #expect(try b.wait(for: version).state == .complete)
        #expect(try b.items() == [1: 1, 21: 1])
        try b.wait(.upload)
        try a.wait(.download)
        #expect(try a.items().count == 7)
    }

    @Test("F-42: an agent that is killed while objects come asks for them again", arguments: [0, 30, 120, 300])
    func killed(delay: UInt32) throws {
        let server = try SyncedDevice.flexibleServer()
        let devices = try devices(server)
        let (a, b) = (devices[0], devices[1])
        try a.subscribeAndWait(.items("TRUEPREDICATE"))
        let text = String(repeating: "x", count: 10_000)
        try a.putItems((1...200).map { (Int64($0), 1, text) })
        try a.wait(.upload)
        let version = try b.subscribe(.items("n == 1"))
        usleep(delay * 1_000)
        try b.restartAgent(opening: nil)
        try b.openFlexible()
        #expect(try b.wait(for: version).state == .complete)
        #expect(try b.wire.call(ReadCount(realm: b.realm, query: QueryRequest("Item"))).count == 200)
        #expect(try b.subscriptions().active == version)
    }
}
