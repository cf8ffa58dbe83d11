import Foundation
import Wire

/// Whether somebody is logged in.
public enum UserState: Int, Sendable {
    /// Known, but without tokens: realms open, but aren't synced.
    case loggedOut = 0
    case loggedIn = 1
    /// Forgotten.
    case removed = 2
}

/// Somebody who has logged in to an app.
public final class User: Sendable {
    /// The app.
    public let app: App
    /// The id that the server has given.
    public let id: String
    /// The app on the server where the user is known, whichever the app has gone over to since.
    let home: AppIdentity
    private let known: Lock<AppUser>

    init(_ app: App, _ info: AppUser) {
        self.app = app
        home = app.identity
        id = info.id
        known = Lock(info)
    }

    func learn(_ info: AppUser) { known.withLock { $0 = info } }

    /// What the agent knows now; what it knew last if it can't be asked.
    func info(tokens: Bool = false) -> AppUser {
        let request = AppUsers(app: home, user: id, tokens: tokens)
        guard let reply = try? AgentRequest.look(request) else { return known.withLock { $0 } }
        // Whom the agent doesn't know any more was removed, by whatever process.
        guard var info = reply.users.first else {
            return known.withLock {
                $0.state = .removed
                return $0
            }
        }
        let full = info
        // The process keeps no tokens.
        info.accessToken = nil
        info.refreshToken = nil
        learn(info)
        return full
    }

    /// Whether the user is logged in, here or by another process.
    public var state: UserState {
        switch info().state {
        case .loggedIn: .loggedIn
        case .loggedOut: .loggedOut
        case .removed: .removed
        }
    }

    public var isLoggedIn: Bool { state == .loggedIn }

    /// The token for requests; nil for those logged out. The agent renews it by itself.
    public var accessToken: String? { info(tokens: true).accessToken }

    /// The token for new access tokens; nil for those logged out.
    public var refreshToken: String? { info(tokens: true).refreshToken }

    /// What the server knows about the person, as of the last log-in.
    public var profile: UserProfile { UserProfile(ExtendedJSON.document(info().profile)) }

    /// The proofs of who the user is that the server knows.
    public var identities: [RLMUserIdentity] {
        info().identities.map { RLMUserIdentity(providerType: $0.provider, identifier: $0.id) }
    }

    /// Data of the user's own that the server keeps, as of the last access token; empty if there is none.
    public var customData: Document { info().customData.map { ExtendedJSON.document($0) } ?? [:] }

    /// Keys that log the user in.
    public var apiKeysAuth: APIKeyAuth { APIKeyAuth(self) }

    /// Functions of the server.
    public var functions: Functions { Functions(self) }

    /// Databases behind the server.
    public func mongoClient(_ serviceName: String) -> MongoClient { MongoClient(self, serviceName) }
}

extension User: Hashable {
    public static func == (a: User, b: User) -> Bool { a.id == b.id && a.app == b.app }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(app.appId)
    }
}

// MARK: - Coming and going
extension User {
    /// Forgets the tokens, here and in all processes; realms aren't synced any more, their files stay. Anonymous users are
    /// removed. An error is the server's, and changes nothing of that.
    public func logOut() async throws {
        try await AgentRequest.background { try self.leave() }
    }

    /// As the form with `async`. Calls back in the background.
    public func logOut(_ completion: @escaping @Sendable (Error?) -> Void) {
        AgentRequest.background({ try self.leave() }, error: completion)
    }

    private func leave() throws {
        guard info().state == .loggedIn else { return }
        learn(try AgentRequest.perform(AppLogout(app: home, user: id)).user)
        if state == .removed { RemovedUserFiles.note(id, of: app.appId) }
    }

    /// Logs out, and forgets the user on this machine.
    public func remove() async throws {
        try await AgentRequest.background { try self.forget(delete: false) }
    }

    /// As the form with `async`. Calls back in the background.
    public func remove(_ completion: @escaping @Sendable (Error?) -> Void) {
        AgentRequest.background({ try self.forget(delete: false) }, error: completion)
    }

    /// Deletes the account on the server, then forgets the user on this machine.
    public func delete() async throws {
        try await AgentRequest.background { try self.forget(delete: true) }
    }

    /// As the form with `async`. Calls back in the background.
    public func delete(_ completion: @escaping @Sendable (Error?) -> Void) {
        AgentRequest.background({ try self.forget(delete: true) }, error: completion)
    }

    private func forget(delete: Bool) throws {
        _ = try AgentRequest.perform(AppRemove(app: home, user: id, delete: delete))
        known.withLock { $0.state = .removed }
        RemovedUserFiles.note(id, of: app.appId)
    }

    /// Adds a proof of who the user is. Throws `AppError` if it is somebody else's.
    public func linkUser(credentials: Credentials) async throws -> User {
        try await AgentRequest.background { try self.app.logIn(credentials, link: self.id) }
    }

    /// As the form with `async`. Calls back in the background.
    public func linkUser(credentials: Credentials, _ completion: @escaping @Sendable (Result<User, Error>) -> Void) {
        AgentRequest.background({ try self.app.logIn(credentials, link: self.id) }, completion)
    }

    /// Fetches the user's own data, and with it a new access token.
    @discardableResult
    public func refreshCustomData() async throws -> Document {
        try await AgentRequest.background { try self.refresh() }
    }

    /// As the form with `async`. Calls back in the background.
    public func refreshCustomData(_ completion: @escaping @Sendable (Result<[AnyHashable: Any], Error>) -> Void) {
        let untyped: @Sendable (Result<Document, Error>) -> Void = { result in
            completion(result.map { $0.mapValues { $0 as Any } })
        }
        AgentRequest.background({ try self.refresh() }, untyped)
    }

    private func refresh() throws -> Document {
        let info = try AgentRequest.perform(AppRefresh(app: home, user: id)).user
        learn(info)
        return info.customData.map { ExtendedJSON.document($0) } ?? [:]
    }
}
