import EventLoop
import Sync
import Wire

/// A user of an app whom this agent knows, logged in or not.
@LoopActor
package final class AgentUser {
    package let app: AppIdentity
    /// The tokens.
    package let user: SyncUser
    private(set) var record: UserRecord
    /// Forgotten: nothing of the user may be used any more.
    package private(set) var isRemoved = false
    private unowned let registry: AppRegistry
    private var links: [SyncProtocol.Mode: SyncLink] = [:]
    /// Those that are kept in sync at this moment.
    var realms: [SyncedRealm] = []

    /// Called after a log-in, which may be one of many: sessions may begin (H-44).
    package var didLogIn: (@LoopActor () -> Void)?
    /// Called when the tokens are gone, whoever has taken them: sessions are to end. The realms' files stay.
    package var didLogOut: (@LoopActor () -> Void)?
    /// Called when the user is forgotten, after `didLogOut`.
    package var didRemove: (@LoopActor () -> Void)?

    init(_ record: UserRecord, of server: AppServer, registry: AppRegistry) {
        app = record.app
        self.record = record
        self.registry = registry
        if let access = record.accessToken.flatMap({ AccessToken($0) }), let refresh = record.refreshToken {
            user = SyncUser(
                AppServer.Login(
                    userId: record.id, accessToken: access, refreshToken: refresh, deviceId: record.deviceId),
                of: server)
        } else {
            user = SyncUser(loggedOut: record.id, of: server)
        }
        user.didChange = { [unowned self] in tokensChanged($0) }
    }

    package var id: String { record.id }

    package var isLoggedIn: Bool { user.isLoggedIn }

    /// Nothing proves who it is: once logged out, nobody can log in as this user again.
    var isAnonymous: Bool { !record.identities.isEmpty && record.identities.allSatisfy { $0.provider == "anon-user" } }

    /// The user's connection to the server for realms of one partition each, or for those of flexible sync; made when it
    /// is first asked for.
    package func link(_ mode: SyncProtocol.Mode) -> SyncLink {
        if let link = links[mode] { return link }
        let link = SyncLink(user, mode: mode, scheduler: registry.scheduler)
        link.log = { [id, app] line in AgentLog.write("server of \(app.id), to user \(id): \(line)") }
        link.didChangeState = { [unowned self] in for realm in realms where realm.mode == mode { realm.didChange() } }
        links[mode] = link
        return link
    }

    /// Connects at once where it waits for a better moment.
    func reconnectNow() { for link in links.values { link.reconnectNow() } }

    /// What clients are told.
    func info(tokens: Bool = false) -> AppUser {
        AppUser(
            id: id, state: isRemoved ? .removed : isLoggedIn ? .loggedIn : .loggedOut, profile: record.profile,
            identities: record.identities, deviceId: record.deviceId, customData: user.accessToken?.customData,
            accessToken: tokens ? user.accessToken?.text : nil, refreshToken: tokens ? user.refreshToken : nil)
    }
}

// MARK: - Changes
extension AgentUser {
    /// Changes what is kept of the user, and calls back when that is durable.
    func change(_ body: (inout UserRecord) -> Void, completion: @escaping @LoopActor (WireError?) -> Void = { _ in }) {
        body(&record)
        guard !isRemoved else { return completion(nil) }
        registry.keep(record, completion: completion)
    }

    private func tokensChanged(_ login: AppServer.Login?) {
        let wasLoggedIn = record.refreshToken != nil
        change {
            $0.accessToken = login?.accessToken.text
            $0.refreshToken = login?.refreshToken
            if let device = login?.deviceId { $0.deviceId = device }
        }
        if login == nil, wasLoggedIn { didLogOut?() } else if login != nil, !wasLoggedIn { didLogIn?() }
    }

    /// Forgets a user who is logged out.
    func remove(completion: @escaping @LoopActor (WireError?) -> Void) {
        guard !isRemoved else { return completion(nil) }
        isRemoved = true
        didRemove?()
        // Who asked for this may be the link itself.
        for link in links.values { registry.soon { link.close() } }
        links = [:]
        registry.forget(record, completion: completion)
    }

    /// Does something with the access token; a refusal of it costs a new one and a second attempt (H-32).
    func withAccess<Value>(
        _ body:
            @escaping @LoopActor (AccessToken, @escaping @LoopActor (Result<Value, AppServerError>) -> Void) -> Void,
        completion: @escaping @LoopActor (Result<Value, AppServerError>) -> Void
    ) {
        user.withToken { [user] result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let token):
                body(token) { result in
                    guard case .failure(let refusal) = result, refusal.status == 401 else { return completion(result) }
                    user.refresh { error in
                        guard error == nil, let token = user.accessToken else { return completion(result) }
                        body(token, completion)
                    }
                }
            }
        }
    }

    /// Does something with the refresh token; who is refused with it is logged out (H-32).
    func withRefresh<Value>(
        _ body: @escaping @LoopActor (String, @escaping @LoopActor (Result<Value, AppServerError>) -> Void) -> Void,
        completion: @escaping @LoopActor (Result<Value, AppServerError>) -> Void
    ) {
        guard let token = user.refreshToken else {
            return completion(.failure(AppServerError(.named("InvalidSession"), status: 401, "the user is logged out")))
        }
        body(token) { [user] result in
            if case .failure(let error) = result, error.status == 401, user.refreshToken == token {
                user.sessionEnded()
            }
            completion(result)
        }
    }
}
