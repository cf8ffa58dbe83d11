import Foundation
import Wire

/// An app on a sync server: who logs in to it.
///
///     let app = App(id: "shop")
///     let user = try await app.login(credentials: .anonymous)
///     let realm = try Realm(configuration: user.configuration(partitionValue: "north"))
///
/// Users are kept by the agent: they are the same in all processes of the machine's user, and in the next run.
public final class App: AppMaking, Sendable {
    /// The app's id.
    public let appId: String
    /// How the app reaches its server.
    public let configuration: AppConfiguration
    /// What concerns all synced realms of the app.
    public let syncManager: SyncManager
    private let users = Lock<[String: WeakUser]>([:])

    private struct WeakUser {
        weak var user: User?
    }

    /// The apps of the process, for ever: code keeps asking for them by id.
    private static let apps = Lock<[String: App]>([:])

    fileprivate init(made id: String, _ configuration: AppConfiguration) {
        appId = id
        self.configuration = configuration
        syncManager = SyncManager(app: id, timeouts: configuration.syncTimeouts)
    }

    /// The app of an id: always the same object. Asks no server. Realms of users who were removed are deleted.
    public convenience init(id: String) {
        self.init(making: { App.made(id, nil) })
    }

    /// The app of an id: always the same object. The first configuration for an id wins.
    public convenience init(id: String, configuration: AppConfiguration?) {
        self.init(making: { App.made(id, configuration) })
    }

    fileprivate static func made(_ id: String, _ configuration: AppConfiguration?) -> App {
        guard !id.isEmpty else { fail(.emptyAppId) }
        let (app, isNew) = apps.withLock { apps in
            if let app = apps[id] { return (app, false) }
            let app = App(made: id, configuration ?? AppConfiguration())
            apps[id] = app
            return (app, true)
        }
        if isNew { RemovedUserFiles.delete(app) }
        return app
    }

    /// The apps that this process has named, by id.
    static var all: [String: App] { apps.withLock { $0 } }

    /// How the agent knows it.
    var identity: AppIdentity { AppIdentity(id: appId, baseURL: configuration.baseURL) }

    /// The object that stands for a user in this process; the same as long as somebody holds it.
    func user(_ info: AppUser) -> User {
        let user = users.withLock { users in
            if let user = users[info.id]?.user, user.home == identity { return user }
            users = users.filter { $0.value.user != nil }
            let user = User(self, info)
            users[info.id] = WeakUser(user: user)
            return user
        }
        user.learn(info)
        return user
    }
}

/// Lets the initialisers of `App` return an object that exists.
public protocol AppMaking {}

extension AppMaking {
    fileprivate init(making make: () -> App) {
        // `App` is the only type that conforms, and it is final.
        guard let app = make() as? Self else { preconditionFailure("\(Self.self) isn't App") }
        self = app
    }
}

// MARK: - Users
extension App {
    /// Who logged in, or was switched to, last and is still logged in; also after a restart, and without a network. Nil
    /// if that is nobody, or the agent can't be asked.
    public var currentUser: User? {
        guard let reply = try? AgentRequest.look(AppUsers(app: identity)), let id = reply.current else { return nil }
        return reply.users.first { $0.id == id }.map(user)
    }

    /// The users known on this machine, those logged out too, by id.
    public var allUsers: [String: User] {
        let users = (try? AgentRequest.look(AppUsers(app: identity)))?.users ?? []
        return Dictionary(users.map { ($0.id, user($0)) }) { $1 }
    }

    /// Logs in; the user becomes the current one. An anonymous log-in gives the anonymous user who is logged in, if there
    /// is one. Throws `AppError` if the server refuses, and an error of the domain `NSURLErrorDomain` if it can't be
    /// reached.
    public func login(credentials: Credentials) async throws -> User {
        try await AgentRequest.background { try self.logIn(credentials, link: nil) }
    }

    /// As the form with `async`. Calls back in the background.
    public func login(credentials: Credentials, _ completion: @escaping @Sendable (Result<User, Error>) -> Void) {
        AgentRequest.background({ try self.logIn(credentials, link: nil) }, completion)
    }

    func logIn(_ credentials: Credentials, link: String?) throws -> User {
        let login = credentials.login
        let request = AppLogin(
            app: identity, provider: login.provider, fields: login.fields, link: link,
            timeoutMilliseconds: Int64(clamping: configuration.defaultRequestTimeoutMS))
        return user(try AgentRequest.perform(request).user)
    }

    /// Makes a user who is logged in the current one.
    @discardableResult
    public func `switch`(to user: User) -> User {
        do {
            _ = try AgentRequest.look(AppSwitch(app: identity, user: user.id))
        } catch {
            fail(.notLoggedIn(user.id, "\(error)"))
        }
        return user
    }

    /// Accounts with address and password.
    public var emailPasswordAuth: EmailPasswordAuth { EmailPasswordAuth(self) }

    /// Messages to devices.
    public func pushClient(serviceName: String) -> PushClient { PushClient(self, serviceName) }
}

// MARK: - The server
extension App {
    /// Scheme and host of the server.
    @_spi(RealmSwiftExperimental)
    public var baseURL: String { configuration.baseURL }

    /// Goes over to another server; nil: the built-in one. All users are logged out of the former.
    @_spi(RealmSwiftExperimental)
    public func updateBaseUrl(to url: String?) async throws {
        try await AgentRequest.background { try self.moveTo(url) }
    }

    /// As the form with `async`. Calls back in the background.
    @_spi(RealmSwiftExperimental)
    public func updateBaseUrl(to url: String?, _ completion: @escaping @Sendable (Error?) -> Void) {
        AgentRequest.background({ try self.moveTo(url) }, error: completion)
    }

    private func moveTo(_ url: String?) throws {
        let target = AppIdentity(id: appId, baseURL: url ?? AppConfiguration.builtInURL)
        let former = identity
        guard former != target else { return }
        // The agent refuses what is no URL before anything changes.
        _ = try AgentRequest.perform(AppUsers(app: target))
        for user in try AgentRequest.perform(AppUsers(app: former)).users where user.state == .loggedIn {
            // Logged out here in any case; a server that is gone needn't hear of it.
            _ = try? AgentRequest.perform(AppLogout(app: former, user: user.id))
        }
        configuration.setBaseURL(url)
    }

    /// Sends a request to the server, and returns the body of a success.
    @discardableResult
    func call(
        _ verb: String, _ path: String, _ body: String? = nil, token: AppCall.Token = .none, user: String? = nil
    ) throws -> String {
        let request = AppCall(
            app: identity, verb: verb, path: path, body: body, token: token, user: user,
            timeoutMilliseconds: Int64(clamping: configuration.defaultRequestTimeoutMS))
        return try AgentRequest.perform(request).body
    }
}

extension App: Hashable {
    public static func == (a: App, b: App) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Text that becomes one part of a path.
func pathPart(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.intersection(.init(charactersIn: "!"..."~")))
        ?? text
}
