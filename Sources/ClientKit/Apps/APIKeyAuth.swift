import Foundation

/// A key that logs a user in.
public final class UserAPIKey: Sendable {
    public let name: String
    /// The secret; only where the key was made just now.
    public let key: String?
    public let disabled: Bool
    public let objectId: ObjectId

    /// A key without a name, of nobody.
    public convenience init() {
        self.init(name: "", key: nil, disabled: false, objectId: ObjectId())
    }

    init(name: String, key: String?, disabled: Bool, objectId: ObjectId) {
        self.name = name
        self.key = key
        self.disabled = disabled
        self.objectId = objectId
    }

    /// Reads a server's description (H-48). Throws `AppError` where that lacks something.
    convenience init(_ fields: AnyBSON?) throws {
        let members = fields?.documentValue
        func member(_ name: String) -> AnyBSON? { members?[name] ?? nil }
        guard
            let id = (member("_id")?.stringValue).flatMap({ try? ObjectId(string: $0) })
                ?? member("_id")?.objectIdValue,
            let name = member("name")?.stringValue, let disabled = member("disabled")?.boolValue
        else { throw AppError(.unknown, "The server's description of an API key lacks '_id', 'name' or 'disabled'.") }
        self.init(name: name, key: member("key")?.stringValue, disabled: disabled, objectId: id)
    }
}

/// The keys of a user. Failures are `AppError` with the server's text, or errors of the connection; the forms with a
/// closure call back in the background.
public final class APIKeyAuth: Sendable {
    public typealias Completion = @Sendable (Error?) -> Void
    public typealias KeyCompletion = @Sendable (UserAPIKey?, Error?) -> Void
    public typealias KeysCompletion = @Sendable ([UserAPIKey]?, Error?) -> Void

    private let user: User

    init(_ user: User) {
        self.user = user
    }

    private func call(_ verb: String, _ path: String, _ body: String? = nil) throws -> AnyBSON {
        try ExtendedJSON.value(
            user.app.call(verb, "auth/api_keys\(path)", body, token: .refresh, user: user.id))
    }

    private func make(_ name: String) throws -> UserAPIKey {
        try UserAPIKey(call("POST", "", ExtendedJSON.text(["name": .string(name)])))
    }

    private func fetch(_ id: ObjectId) throws -> UserAPIKey { try UserAPIKey(call("GET", "/\(id.stringValue)")) }

    private func fetchAll() throws -> [UserAPIKey] { try (call("GET", "").arrayValue ?? []).map { try UserAPIKey($0) } }

    private func change(_ verb: String, _ id: ObjectId, _ action: String = "") throws {
        _ = try call(verb, "/\(id.stringValue)\(action)")
    }

    /// Makes a key, whose secret is told only now.
    public func createAPIKey(named: String) async throws -> UserAPIKey {
        try await AgentRequest.background { try self.make(named) }
    }

    public func createAPIKey(named: String, completion: @escaping KeyCompletion) {
        AgentRequest.background({ try self.make(named) }, pair(completion))
    }

    public func createAPIKey(named: String, completion: @escaping @Sendable (Result<UserAPIKey, Error>) -> Void) {
        AgentRequest.background({ try self.make(named) }, completion)
    }

    /// A key without its secret. Throws for an id that none has.
    public func fetchAPIKey(_ objectId: ObjectId) async throws -> UserAPIKey {
        try await AgentRequest.background { try self.fetch(objectId) }
    }

    public func fetchAPIKey(_ objectId: ObjectId, _ completion: @escaping KeyCompletion) {
        AgentRequest.background({ try self.fetch(objectId) }, pair(completion))
    }

    public func fetchAPIKey(
        _ objectId: ObjectId, _ completion: @escaping @Sendable (Result<UserAPIKey, Error>) -> Void
    ) {
        AgentRequest.background({ try self.fetch(objectId) }, completion)
    }

    /// All keys of the user, without their secrets.
    public func fetchAPIKeys() async throws -> [UserAPIKey] {
        try await AgentRequest.background { try self.fetchAll() }
    }

    public func fetchAPIKeys(_ completion: @escaping KeysCompletion) {
        AgentRequest.background({ try self.fetchAll() }, pair(completion))
    }

    public func fetchAPIKeys(_ completion: @escaping @Sendable (Result<[UserAPIKey], Error>) -> Void) {
        AgentRequest.background({ try self.fetchAll() }, completion)
    }

    /// Deletes a key.
    public func deleteAPIKey(_ objectId: ObjectId) async throws {
        try await AgentRequest.background { try self.change("DELETE", objectId) }
    }

    public func deleteAPIKey(_ objectId: ObjectId, completion: @escaping Completion) {
        AgentRequest.background({ try self.change("DELETE", objectId) }, error: completion)
    }

    /// Lets a key log in again.
    public func enableAPIKey(_ objectId: ObjectId) async throws {
        try await AgentRequest.background { try self.change("PUT", objectId, "/enable") }
    }

    public func enableAPIKey(_ objectId: ObjectId, completion: @escaping Completion) {
        AgentRequest.background({ try self.change("PUT", objectId, "/enable") }, error: completion)
    }

    /// Keeps a key from logging in.
    public func disableAPIKey(_ objectId: ObjectId) async throws {
        try await AgentRequest.background { try self.change("PUT", objectId, "/disable") }
    }

    public func disableAPIKey(_ objectId: ObjectId, completion: @escaping Completion) {
        AgentRequest.background({ try self.change("PUT", objectId, "/disable") }, error: completion)
    }
}
