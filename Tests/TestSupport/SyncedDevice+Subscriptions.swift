import Foundation
import Model
import Wire

// A device of flexible sync.
extension SyncedDevice {
    /// Objects with numbers and owners, and readings that only go up.
    package static let flexibleSchema = RealmSchema([
        ClassSchema(
            "Item", primaryKey: "_id",
            [PropertySchema("_id", .int), PropertySchema("n", .int), PropertySchema("owner", .string)]),
        ClassSchema(
            "Reading", kind: .asymmetric, primaryKey: "_id",
            [PropertySchema("_id", .int), PropertySchema("value", .double)])
    ])

    package var flexiblePath: String { agent.home.path("flexible.realm") }

    package var flexibleTarget: SyncTarget {
        SyncTarget(app: app.id, server: app.baseURL, user: user, partition: nil)
    }

    /// A server with an app of flexible sync.
    package static func flexibleServer(_ permissions: String? = nil) throws -> ServerUnderTest {
        let server = try ServerUnderTest()
        let made = try ServerUnderTest.reeve(["app", "create", "items", "--flexible"], data: server.directory)
        guard made.status == 0 else { throw TestFailure(made.text) }
        if let permissions { try permit(permissions, server) }
        return server
    }

    /// Puts permissions in force.
    package static func permit(_ permissions: String, _ server: ServerUnderTest) throws {
        let path = server.directory.path + "/permissions.json"
        try Data(permissions.utf8).write(to: URL(fileURLWithPath: path))
        let done = try ServerUnderTest.reeve(["app", "permissions", "items", path], data: server.directory)
        guard done.status == 0 else { throw TestFailure(done.text) }
    }

    /// Opens the realm of the app, which is one of flexible sync.
    package func openFlexible(
        at path: String? = nil, schema: RealmSchema = SyncedDevice.flexibleSchema, resetMode: SyncResetMode? = nil
    ) throws {
        realm = try openFlexible(on: wire, at: path, schema: schema, resetMode: resetMode)
    }

    /// The same for another client of the device. Returns its handle.
    package func openFlexible(
        on client: BlockingClient, at path: String? = nil, schema: RealmSchema = SyncedDevice.flexibleSchema,
        resetMode: SyncResetMode? = nil
    ) throws -> Int32 {
        try client.call(
            RealmOpen(
                path: path ?? flexiblePath, schema: schema, create: true, events: true, sync: flexibleTarget,
                resetMode: resetMode)
        ).realm
    }

    /// Commits a set; returns its version.
    @discardableResult
    package func subscribe(_ edits: SubscriptionsEdit...) throws -> Int64 {
        try wire.call(SubscriptionsUpdate(realm: realm, edits: edits)).set.version
    }

    /// Subscribes, and waits until the objects are there.
    package func subscribeAndWait(_ edits: SubscriptionsEdit...) throws {
        let version = try wire.call(SubscriptionsUpdate(realm: realm, edits: edits)).set.version
        let reply = try wait(for: version)
        guard reply.state == .complete else { throw TestFailure("\(reply)") }
    }

    package func wait(for version: Int64) throws -> SubscriptionsWaitReply {
        try wire.call(SubscriptionsWait(realm: realm, version: version))
    }

    package func subscriptions() throws -> SubscriptionsReply { try wire.call(SubscriptionsGet(realm: realm)) }

    package func putItems(_ items: [(id: Int64, n: Int64, owner: String)]) throws {
        try put(items.map { ["_id": .int64($0.id), "n": .int64($0.n), "owner": .string($0.owner)] }, in: "Item")
    }

    /// Numbers by key.
    package func items() throws -> [Int64: Int64] {
        let pairs = try objects("Item").compactMap { object -> (Int64, Int64)? in
            guard case .int64(let id)? = object["_id"], case .int64(let n)? = object["n"] else { return nil }
            return (id, n)
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// What the next event of a kind says.
    package func next(_ event: Event) throws -> BSONDocument {
        while true {
            let next = try wire.nextEvent(timeout: .seconds(20))
            if next.name == event.rawValue { return next.params }
        }
    }
}

extension SubscriptionsEdit {
    /// All items that match a query.
    package static func items(_ query: String, name: String? = nil) -> SubscriptionsEdit {
        SubscriptionsEdit(.insert, name: name, className: "Item", query: query)
    }
}
