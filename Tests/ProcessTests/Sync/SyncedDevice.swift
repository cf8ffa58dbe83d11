import Foundation
import Model
import TestSupport
import Wire

/// A device: an agent with a user who has logged in, and one client that has a partition of the app open.
final class SyncedDevice {
    static let app = "tasks"
    static let schema = RealmSchema([
        ClassSchema(
            "Task", primaryKey: "_id",
            [
                PropertySchema("_id", .int), PropertySchema("name", .string),
                PropertySchema("tags", .string, collection: .list)
            ])
    ])

    let agent: AgentUnderTest
    private let url: String
    private(set) var user = ""
    private(set) var wire: BlockingClient
    private(set) var realm: Int32 = 0

    /// Starts an agent and logs in anonymously.
    init(_ server: ServerUnderTest, environment: [String: String] = [:]) throws {
        url = server.url
        agent = try AgentUnderTest(environment: environment).start()
        wire = try agent.connect()
        user = try wire.call(
            AppLogin(
                app: AppIdentity(id: Self.app, baseURL: url), provider: "anon-user",
                fields: #"{"provider":"anon-user"}"#)
        ).user.id
    }

    func path(_ partition: String) -> String { agent.home.path("\(partition).realm") }

    func target(_ partition: String) -> SyncTarget {
        SyncTarget(app: Self.app, server: url, user: user, partition: "\"\(partition)\"")
    }

    /// Opens a partition. The former one stays open.
    func open(_ partition: String = "home", schema: RealmSchema = SyncedDevice.schema) throws {
        realm = try wire.call(
            RealmOpen(path: path(partition), schema: schema, create: true, events: true, sync: target(partition))
        ).realm
    }

    /// The agent is killed, and another one goes on; the client comes back and opens the partition, unless told not to.
    func restartAgent(opening partition: String? = "home") throws {
        agent.kill(SIGKILL)
        try agent.start()
        wire = try agent.connect()
        if let partition { try open(partition) }
    }

    func put(_ tasks: [(id: Int64, name: String)]) throws {
        _ = try wire.call(
            ObjectPut(
                realm: realm, className: "Task",
                objects: tasks.map { ["_id": .int64($0.id), "name": .string($0.name)] }))
    }

    func wait(_ direction: SyncDirection) throws {
        _ = try wire.call(SyncWait(realm: realm, direction: direction))
    }

    func state(naming objects: Int32 = 0) throws -> SyncStateReply {
        try wire.call(SyncStateRequest(target: .handle(realm), objects: objects))
    }

    /// Names by key.
    func tasks() throws -> [Int64: String] {
        let reply = try wire.call(ReadQuery(realm: realm, query: QueryRequest("Task")))
        return Dictionary(
            uniqueKeysWithValues: (reply.objects ?? []).compactMap { object in
                guard case .int64(let id)? = object["_id"], case .string(let name)? = object["name"] else { return nil }
                return (id, name)
            })
    }
}

extension ServerUnderTest {
    /// Ends it with a signal and starts another one on the same data and port.
    func again(_ signal: Int32) throws -> ServerUnderTest {
        let port = self.port
        end(signal)
        return try ServerUnderTest(directory, port: port)
    }
}
