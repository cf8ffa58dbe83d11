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
    /// What becomes of changes that aren't on the server when their user goes.
    public enum UnsentChanges: Sendable {
        /// The user stays, and `PendingUploads` is thrown. What is being sent has a moment to arrive.
        case refuse
        /// The user goes when all changes have arrived, and the user's realm files go too.
        case upload
        /// They are given up, and the user's realm files go at once, whoever has them open.
        case discard
        /// They stay in the files: when the user logs in again they are sent. They go with the files of a user who is
        /// removed.
        case keep

        fileprivate var policy: UnsentPolicy {
            switch self {
            case .refuse: .refuse
            case .upload: .upload
            case .discard: .discard
            case .keep: .keep
            }
        }
    }

    /// Forgets the tokens, here and in all processes; realms aren't synced any more, their files stay. Anonymous users are
    /// removed. Throws `PendingUploads`, and does nothing, while changes of the user's aren't on the server; any other
    /// error is the server's, and changes nothing of the log-out.
    public func logOut() async throws { try await logOut(unsentChanges: .refuse) }

    /// As the form with `async`. Calls back in the background.
    public func logOut(_ completion: @escaping @Sendable (Error?) -> Void) {
        logOut(unsentChanges: .refuse, completion)
    }

    /// Logs out, having seen to what isn't on the server yet. With `upload` it takes as long as that takes, and throws
    /// `PendingUploads` if it can't be.
    public func logOut(unsentChanges: UnsentChanges) async throws {
        try await AgentRequest.background { try self.leave(unsentChanges) }
    }

    /// As the form with `async`. Calls back in the background.
    public func logOut(unsentChanges: UnsentChanges, _ completion: @escaping @Sendable (Error?) -> Void) {
        AgentRequest.background({ try self.leave(unsentChanges) }, error: completion)
    }

    private func leave(_ unsent: UnsentChanges) throws {
        let removesFiles = unsent == .upload || unsent == .discard
        guard info().state == .loggedIn || removesFiles && state != .removed else { return }
        let request = AppLogout(app: home, user: id, unsent: unsent.policy)
        learn(try AgentRequest.perform(request, requiring: removesFiles ? .departures : nil).user)
        if state == .removed { RemovedUserFiles.note(id, of: app.appId) }
    }

    /// Logs out, and forgets the user on this machine; the files go when an app begins the next time. Throws
    /// `PendingUploads`, and does nothing, while changes of the user's aren't on the server.
    public func remove() async throws { try await remove(unsentChanges: .refuse) }

    /// As the form with `async`. Calls back in the background.
    public func remove(_ completion: @escaping @Sendable (Error?) -> Void) {
        remove(unsentChanges: .refuse, completion)
    }

    /// Forgets the user, having seen to what isn't on the server yet.
    public func remove(unsentChanges: UnsentChanges) async throws {
        try await AgentRequest.background { try self.forget(delete: false, unsentChanges) }
    }

    /// As the form with `async`. Calls back in the background.
    public func remove(unsentChanges: UnsentChanges, _ completion: @escaping @Sendable (Error?) -> Void) {
        AgentRequest.background({ try self.forget(delete: false, unsentChanges) }, error: completion)
    }

    /// Deletes the account on the server, then forgets the user on this machine.
    public func delete() async throws {
        try await AgentRequest.background { try self.forget(delete: true, .keep) }
    }

    /// As the form with `async`. Calls back in the background.
    public func delete(_ completion: @escaping @Sendable (Error?) -> Void) {
        AgentRequest.background({ try self.forget(delete: true, .keep) }, error: completion)
    }

    private func forget(delete: Bool, _ unsent: UnsentChanges) throws {
        let request = AppRemove(app: home, user: id, delete: delete, unsent: unsent.policy)
        let removesFiles = unsent == .upload || unsent == .discard
        _ = try AgentRequest.perform(request, requiring: removesFiles ? .departures : nil)
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
