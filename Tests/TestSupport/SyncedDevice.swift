import Foundation
import Model
import Wire

/// A device: an agent with a user who has logged in, and one client that has a partition of an app open.
package final class SyncedDevice {
    package static let schema = RealmSchema([
        ClassSchema(
            "Task", primaryKey: "_id",
            [
                PropertySchema("_id", .int), PropertySchema("name", .string),
                PropertySchema("tags", .string, collection: .list)
            ])
    ])

    package let agent: AgentUnderTest
    package let app: AppIdentity
    package private(set) var user = ""
    package private(set) var wire: BlockingClient
    package internal(set) var realm: Int32 = 0

    /// Starts an agent and logs in, anonymously or with a new account.
    package init(
        _ url: String, app: String = "tasks", email: String? = nil, environment: [String: String] = [:]
    ) throws {
        self.app = AppIdentity(id: app, baseURL: url)
        agent = try AgentUnderTest(environment: environment).start()
        wire = try agent.connect()
        var login = AppLogin(app: self.app, provider: "anon-user", fields: #"{"provider":"anon-user"}"#)
        if let email {
            let register = AppCall(
                app: self.app, verb: "POST", path: "app/\(app)/auth/providers/local-userpass/register",
                body: #"{"email":"\#(email)","password":"secret-1"}"#)
            _ = try wire.call(register)
            login = AppLogin(
                app: self.app, provider: "local-userpass",
                fields: #"{"provider":"local-userpass","username":"\#(email)","password":"secret-1"}"#)
        }
        user = try wire.call(login).user.id
    }

    package func path(_ partition: String) -> String { agent.home.path("\(partition).realm") }

    package func target(_ partition: String) -> SyncTarget {
        SyncTarget(app: app.id, server: app.baseURL, user: user, partition: "\"\(partition)\"")
    }

    /// Opens a partition. The former one stays open.
    package func open(
        _ partition: String = "home", schema: RealmSchema = SyncedDevice.schema, resetMode: SyncResetMode? = nil
    ) throws {
        realm = try wire.call(
            RealmOpen(
                path: path(partition), schema: schema, create: true, events: true, sync: target(partition),
                resetMode: resetMode)
        ).realm
    }

    /// The agent is killed, and another one goes on; the client comes back and opens the partition, unless told not to.
    package func restartAgent(opening partition: String? = "home") throws {
        agent.kill(SIGKILL)
        try agent.start()
        wire = try agent.connect()
        if let partition { try open(partition) }
    }

    package func put(_ objects: [BSONDocument], in className: String) throws {
        _ = try wire.call(ObjectPut(realm: realm, className: className, objects: objects))
    }

    package func put(_ tasks: [(id: Int64, name: String)]) throws {
        try put(tasks.map { ["_id": .int64($0.id), "name": .string($0.name)] }, in: "Task")
    }

    package func wait(_ direction: SyncDirection) throws {
        _ = try wire.call(SyncWait(realm: realm, direction: direction))
    }

    package func state(naming objects: Int32 = 0) throws -> SyncStateReply {
        try wire.call(SyncStateRequest(target: .handle(realm), objects: objects))
    }

    package func objects(_ className: String) throws -> [BSONDocument] {
        var reply = try wire.call(ReadQuery(realm: realm, query: QueryRequest(className)))
        var objects = reply.objects ?? []
        while let cursor = reply.cursor {
            reply = try wire.call(ReadNext(cursor: cursor))
            objects += reply.objects ?? []
        }
        return objects
    }

    /// Names by key.
    package func tasks() throws -> [Int64: String] {
        let pairs = try objects("Task").compactMap { object -> (Int64, String)? in
            guard case .int64(let id)? = object["_id"], case .string(let name)? = object["name"] else { return nil }
            return (id, name)
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }
}
