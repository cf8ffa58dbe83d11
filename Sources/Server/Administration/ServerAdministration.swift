import EventLoop
import Foundation
import History
import Store
import Sync

/// What the server's owner may ask of it, by name: the commands `reeve app`, `reeve user` and `reeve session`.
///
/// With `sync` it is a running server; without, a data directory that no server has open.
@LoopActor
package final class ServerAdministration {
    /// Why a command isn't done.
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        package var description: String

        init(_ description: String) { self.description = description }
    }

    package typealias Completion = @LoopActor (Result<JSONValue, Failure>) -> Void

    let auth: AuthEndpoint
    let sync: SyncEndpoint?
    let dataDirectory: String
    /// Those under way, by apps.
    var migrations: [String: AppMigration] = [:]
    let migrationLine: StoreLine

    package init(auth: AuthEndpoint, sync: SyncEndpoint?, dataDirectory: String) {
        self.auth = auth
        self.sync = sync
        self.dataDirectory = dataDirectory
        migrationLine = StoreLine(sync?.options.threads ?? .pool, name: "reeve-migration")
    }

    var files: RealmFileOptions { sync?.options.file ?? RealmFileOptions() }

    var histories: HistoryOptions { sync?.options.history ?? HistoryOptions() }

    /// The commands of a data directory that no server has open.
    package convenience init(dataDirectory: String) throws {
        let (journal, changes) = try DataDirectory.open(dataDirectory)
        self.init(
            auth: AuthEndpoint(AuthService(AuthDirectory(changes)), journal: journal), sync: nil,
            dataDirectory: dataDirectory)
    }

    /// Does a command; `completion` is called once, when what it changes is durable.
    package func perform(_ command: String, _ arguments: JSONValue, completion: @escaping Completion) {
        do throws(Failure) {
            switch command {
            case "app.create": try createApp(arguments, completion)
            case "app.set": try setApp(arguments, completion)
            case "app.permissions": try setPermissions(arguments, completion)
            case "app.migrate": try migrateApp(arguments, completion)
            case "app.migration": completion(.success(try migration(arguments)))
            case "app.list": completion(.success(apps))
            case "user.list": completion(.success(try users(arguments)))
            case "user.disable": try setDisabled(true, arguments, completion)
            case "user.enable": try setDisabled(false, arguments, completion)
            case "user.delete":
                try change(arguments, completion) { service, id throws(AuthFailure) in try service.deleteUser(id) }
            case "user.revoke":
                try change(arguments, completion) { service, id throws(AuthFailure) in
                    try service.revokeAllSessions(user: id)
                }
            case "session.list": completion(.success(sessions))
            default: throw Failure("there is no command \(command)")
            }
        } catch {
            completion(.failure(error))
        }
    }

    // MARK: Apps

    private func createApp(_ arguments: JSONValue, _ completion: @escaping Completion) throws(Failure) {
        let name = try Self.text("name", arguments)
        var key: PartitionKey?
        if let text = arguments["partitionKey"]?.string { key = try Self.partitionKey(text) }
        let flexible = arguments["type"]?.string == "flexible" ? try Self.settings(arguments) : nil
        guard flexible == nil || key == nil else {
            throw Failure("an app of flexible sync has no partition key")
        }
        try administer(
            completion,
            answer: [
                "id": .string(name), "partitionKey": key.map { .string($0.text) } ?? .null,
                "type": .string(flexible == nil ? "partition" : "flexible")
            ]
        ) { service throws(AuthFailure) in
            let created = try service.createApp(name, now: Int64(Date().timeIntervalSince1970))
            return try created
                + service.updateApp(name) { app in
                    app.partitionKey = key
                    app.flexible = flexible
                }
        }
    }

    static func partitionKey(_ text: String) throws(Failure) -> PartitionKey {
        guard let parsed = PartitionKey(text) else {
            throw Failure(
                "a partition key is a property's name and a type, such as realm_id:string; types are "
                    + PartitionKey.ValueType.allCases.map(\.rawValue).joined(separator: ", ")
                    + ", with ? behind if null is allowed")
        }
        return parsed
    }

    private static func settings(_ arguments: JSONValue) throws(Failure) -> FlexibleSettings {
        do throws(ConfigurationError) {
            return try FlexibleSettings(permissions: arguments["permissions"]?.string ?? "")
        } catch {
            throw Failure(error.description)
        }
    }

    /// Puts permissions in force, or tells those that are.
    private func setPermissions(_ arguments: JSONValue, _ completion: @escaping Completion) throws(Failure) {
        let name = try Self.text("name", arguments)
        guard let app = auth.service.directory.app(name) else { throw Failure("there is no app \(name)") }
        guard migrations[name] == nil else { throw Failure("app \(name) is being migrated: try again afterwards") }
        guard let present = app.flexible else {
            throw Failure("app \(name) is synced by partition, where who may do what isn't a matter of objects")
        }
        guard arguments["permissions"]?.string != nil else {
            return completion(.success(["id": .string(name), "permissions": .string(present.permissions)]))
        }
        let settings = try Self.settings(arguments)
        let renewing: Completion = { [sync] result in
            if case .success = result { sync?.renewSessions(app: name) }
            completion(result)
        }
        try administer(
            renewing, answer: ["id": .string(name), "permissions": .string(settings.permissions)]
        ) { service throws(AuthFailure) in try service.updateApp(name) { $0.flexible = settings } }
    }

    private var apps: JSONValue {
        let apps = auth.service.directory.apps.values.sorted { $0.id < $1.id }
        var userCounts: [String: Int64] = [:]
        for user in auth.service.directory.users.values { userCounts[user.appId, default: 0] += 1 }
        return .array(
            apps.map { app in
                [
                    "id": .string(app.id), "partitionKey": app.partitionKey.map { .string($0.text) } ?? .null,
                    "type": .string(app.flexible == nil ? "partition" : "flexible"),
                    "users": .integer(userCounts[app.id] ?? 0)
                ]
            })
    }

    // MARK: Users

    private func users(_ arguments: JSONValue) throws(Failure) -> JSONValue {
        let app = try Self.text("app", arguments)
        guard auth.service.directory.app(app) != nil else { throw Failure("there is no app \(app)") }
        let users = auth.service.directory.users.values.filter { $0.appId == app }.sorted { $0.id < $1.id }
        return .array(
            users.map { user in
                [
                    "id": .string(user.id), "disabled": .bool(user.isDisabled),
                    "providers": .array(user.identities.map { .string($0.provider.rawValue) }),
                    "createdAt": .integer(user.createdAt), "lastSeenAt": .integer(user.lastSeenAt)
                ]
            })
    }

    private func setDisabled(
        _ isDisabled: Bool, _ arguments: JSONValue, _ completion: @escaping Completion
    ) throws(Failure) {
        try change(arguments, completion) { service, id throws(AuthFailure) in
            try service.setDisabled(isDisabled, user: id)
        }
    }

    /// Changes a user, whose sync connections end if there is no way back for them.
    private func change(
        _ arguments: JSONValue, _ completion: @escaping Completion,
        _ body: (inout AuthService, String) throws(AuthFailure) -> [AuthChange]
    ) throws(Failure) {
        let id = try Self.text("user", arguments)
        let app = auth.service.directory.user(id)?.appId
        try administer(completion, answer: ["user": .string(id)]) { service throws(AuthFailure) in
            try body(&service, id)
        }
        if let app { sync?.revoke(user: id, app: app) }
    }

    // MARK: Sessions

    /// Who is connected.
    private var sessions: JSONValue {
        let peers = (sync?.peers ?? []).sorted { $0.requestId < $1.requestId }
        return .array(
            peers.map { peer in
                [
                    "id": .string(peer.requestId), "app": .string(peer.appId), "user": .string(peer.userId),
                    "protocol": .integer(Int64(peer.agreed.version)), "agent": .string(peer.userAgent)
                ]
            })
    }

    // MARK: Inside

    func administer(
        _ completion: @escaping Completion, answer: JSONValue,
        _ body: (inout AuthService) throws(AuthFailure) -> [AuthChange]
    ) throws(Failure) {
        do throws(AuthFailure) {
            try auth.administer(body) { error in
                completion(error.map { .failure(Failure("the change couldn't be stored: \($0)")) } ?? .success(answer))
            }
        } catch {
            throw Failure(error.message)
        }
    }

    static func text(_ name: String, _ arguments: JSONValue) throws(Failure) -> String {
        guard let text = arguments[name]?.string, !text.isEmpty else { throw Failure("\(name) is missing") }
        return text
    }
}
