import Foundation
import Model
import TestSupport
import Testing
import Wire

/// What devices of flexible sync write: what isn't allowed is undone and told, what only goes up does.
@Suite struct FlexibleWriteProcessTests {
    private func device(_ server: ServerUnderTest, _ edits: SubscriptionsEdit...) throws -> SyncedDevice {
        let device = try SyncedDevice(server.url, app: "items")
        try device.openFlexible()
        let version = try device.wire.call(SubscriptionsUpdate(realm: device.realm, edits: edits)).set.version
        #expect(try device.wait(for: version).state == .complete)
        return device
    }

    private static func role(read: String = "true", write: String = "true", insert: Bool = true) -> String {
        #"{"name": "r", "read": true, "write": true, "insert": \#(insert), "delete": true, "document_filters": "#
            + #"{"read": \#(read), "write": \#(write)}}"#
    }

    /// The names and reasons of what an event says was undone.
    private static func rejected(_ event: BSONDocument) -> [(className: String, key: BSONValue, reason: String)] {
        guard case .array(let list)? = event["rejected"] else { return [] }
        return list.compactMap { item in
            guard case .document(let item) = item, case .string(let name)? = item["class"], let key = item["key"],
                case .string(let reason)? = item["reason"]
            else { return nil }
            return (name, key, reason)
        }
    }

    /// Which events come until everything that was asked for has been answered.
    private func failures(_ device: SyncedDevice) throws -> [BSONDocument] {
        try device.wait(.upload)
        try device.wait(.download)
        var found: [BSONDocument] = []
        // Its own commit is the last thing that it hears of.
        try device.subscribeAndWait(SubscriptionsEdit(.insert, name: "last", className: "Item", query: "n > 1000"))
        let last = try device.subscriptions().set.version
        while true {
            let event = try device.wire.nextEvent(timeout: .seconds(20))
            if event.name == Event.syncFailed.rawValue { found.append(event.params) }
            if event.name == Event.subscriptionsChanged.rawValue, event.params["version"] == .int64(last),
                event.params["state"] == .string("complete")
            {
                return found
            }
        }
    }

    @Test("F-56 a, F-60: a write outside of the view is undone, and the app hears of it once") func outside() throws {
        let server = try SyncedDevice.flexibleServer()
        let a = try device(server, .items("n > 3"))
        try a.putItems([(1, 1, "x"), (4, 4, "x")])
        let event = try a.next(.syncFailed)
        // The undo is there when the app hears of it.
        #expect(try a.items() == [4: 4])
        #expect(event["status"] == .string("SyncCompensatingWrite") && event["code"] == .int32(231))
        #expect(event["isFatal"] == .bool(false) && event["action"] == .string("Warning"))
        let rejected = Self.rejected(event)
        #expect(rejected.count == 1 && rejected[0].className == "Item" && rejected[0].key == .int64(1))
        #expect(
            rejected.first?.reason
                == #"write to 1 in table "Item" not allowed; object is outside of the current query view"#)
        try a.restartAgent(opening: nil)
        try a.openFlexible()
        try a.putItems([(5, 5, "x")])
        #expect(try failures(a).isEmpty)
        #expect(try a.items() == [4: 4, 5: 5])
    }

    @Test("F-56 c, F-38: what the user may not write is undone; other permissions change what is there")
    func permissions() throws {
        let server = try SyncedDevice.flexibleServer()
        let a = try device(server, .items("TRUEPREDICATE"))
        let b = try device(server, .items("TRUEPREDICATE"))
        try a.putItems([(1, 1, a.user), (2, 2, b.user)])
        try a.wait(.upload)
        try b.wait(.download)
        try SyncedDevice.permit(#"{"default_roles": [\#(Self.role(write: #"{"owner": "%%user.id"}"#))]}"#, server)
        try b.wait(.download)
        _ = try b.wire.call(
            ObjectPut(
                realm: b.realm, className: "Item",
                objects: [["_id": .int64(1), "n": .int64(100)], ["_id": .int64(2), "n": .int64(200)]], mode: .upsert))
        let event = try b.next(.syncFailed)
        #expect(Self.rejected(event).map(\.key) == [.int64(1)])
        #expect(try b.items() == [1: 1, 2: 200])
        try SyncedDevice.permit(
            #"{"default_roles": [\#(Self.role(read: #"{"owner": "%%user.id"}"#, write: "false"))]}"#, server)
        #expect(try eventually(within: .seconds(20)) { try b.items() == [2: 200] })
        #expect(try eventually(within: .seconds(20)) { try a.items() == [1: 1] })
        #expect(try b.subscriptions().set.state == .complete)
    }

    @Test("F-64 to F-67: objects of asymmetric classes go up, survive the agent, and are nowhere else") func ingest()
        throws
    {
        var server = try SyncedDevice.flexibleServer()
        let a = try device(server, .items("TRUEPREDICATE"))
        server.end(SIGTERM)
        func reading(_ id: Int64) -> BSONDocument { ["_id": .int64(id), "value": .double(Double(id))] }
        // No subscription is needed, nor possible.
        try a.put((1...3).map(reading), in: "Reading")
        try a.put([reading(4)], in: "Reading")
        #expect(try a.objects("Reading").isEmpty)
        // F-66
        var writer = ChangesetWriter()
        for _ in 0..<2 { writer.append(.createObject(className: "Reading", key: .int(5))) }
        let twice = WriteCommit(realm: a.realm, changes: Bytes(writer.finished()), uid: UniqueId())
        #expect(throws: WireError.self) { try a.wire.call(twice) }
        #expect(try a.state(naming: 10).unsentObjects.map(\.key) == [.int(1), .int(2), .int(3), .int(4)])
        let queue = try a.agent.command(["queue", a.flexiblePath, "--json"])
        #expect(queue.status == 1 && queue.output.contains(#""class":"Reading""#))
        try a.restartAgent(opening: nil)
        try a.openFlexible()
        #expect(try a.state().unsentTransactions == 2)
        server = try ServerUnderTest(server.directory, port: server.port)
        let b = try device(server, .items("TRUEPREDICATE"))
        _ = try a.wire.call(SyncControl(target: .handle(a.realm), wish: .reconnect))
        try a.wait(.upload)
        try b.wait(.download)
        #expect(try a.state().unsentTransactions == 0)
        for device in [a, b] { #expect(try device.objects("Reading").isEmpty) }
        server.end(SIGTERM)
        let path = try #require(server.realms.first { $0.hasSuffix(".realm") })
        let opened = try a.wire.call(RealmOpen(path: path)).realm
        #expect(try a.wire.call(ReadCount(realm: opened, query: QueryRequest("Reading"))).count == 4)
    }

    @Test("F-68: an object that may not be inserted is passed over, and the app hears of it once") func noInsert()
        throws
    {
        let server = try SyncedDevice.flexibleServer()
        let a = try device(server, .items("TRUEPREDICATE"))
        try a.wait(.upload)
        try SyncedDevice.permit(
            #"{"rules": {"Reading": [\#(Self.role(insert: false))]}, "default_roles": [\#(Self.role())]}"#, server)
        try a.put([["_id": .int64(1), "value": .double(1)]], in: "Reading")
        let event = try a.next(.syncFailed)
        #expect(event["status"] == .string("SyncWriteNotAllowed") && event["code"] == .int32(230))
        #expect(event["isFatal"] == .bool(false))
        let rejected = Self.rejected(event)
        #expect(rejected.map(\.className) == ["Reading"] && rejected.map(\.key) == [.int64(1)])
        #expect(try failures(a).isEmpty)
        #expect(try a.state().unsentTransactions == 0)
    }

    @Test("SV-24: asymmetric classes are for flexible sync only") func elsewhere() throws {
        let server = try ServerUnderTest()
        let a = try SyncedDevice(server.url)
        let schema = SyncedDevice.flexibleSchema
        do {
            try a.open(schema: schema)
            Issue.record("opened")
        } catch let error as WireError {
            #expect(error.code == .schemaMismatch && error.message.contains("'Reading'"))
        }
        #expect(throws: WireError.self) {
            try a.wire.call(RealmOpen(path: a.path("local"), schema: schema, create: true))
        }
    }

    @Test("F-25: of two sets in a row the second one counts, and who waits for the first hears so") func twoSets()
        throws
    {
        let server = try SyncedDevice.flexibleServer()
        let a = try device(server, .items("TRUEPREDICATE"))
        try a.putItems((1...10).map { ($0, $0, "x") })
        try a.wait(.upload)
        let b = try device(server)
        let first = try b.subscribe(.items("n < 5"))
        let second = try b.subscribe(.items("n == 7"))
        let last = try b.subscribe(SubscriptionsEdit(.removeAll), .items("n == 8"))
        #expect(try b.wait(for: last).state == .complete)
        for version in [first, second] { #expect(try b.wait(for: version).state == .superseded) }
        #expect(try b.items() == [8: 8])
        let status = try b.agent.command(["sync", "status", b.flexiblePath])
        #expect(status.output.contains("subscriptions: set \(last) is complete"))
        #expect(status.output.contains("Item: n == 8"))
        let json = try b.agent.command(["sync", "status", b.flexiblePath, "--json"])
        #expect(json.output.contains(#""query":"n == 8""#))
    }
}
