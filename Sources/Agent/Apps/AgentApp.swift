import EventLoop
import Foundation
import Wire

/// An app on one server: its users on this machine, and what they ask of the server.
@LoopActor
final class AgentApp {
    typealias Outcome = @LoopActor (Result<AgentUser, WireError>) -> Void

    let identity: AppIdentity
    let server: AppServer
    private unowned let registry: AppRegistry
    private(set) var users: [String: AgentUser] = [:]
    /// Who waits for an anonymous log-in that is under way: all of them get the one user.
    private var anonymousLogins: [Outcome] = []

    /// Throws `badParams` for a base URL that is none.
    init(_ identity: AppIdentity, registry: AppRegistry) throws(WireError) {
        self.identity = identity
        self.registry = registry
        do throws(NetworkError) {
            server = try AppServer(appId: identity.id, baseURL: identity.baseURL, http: registry.http)
        } catch {
            throw WireError(.badParams, error.message, facts: ["field": .string("app.baseURL")])
        }
    }

    func restore(_ record: UserRecord) {
        users[record.id] = AgentUser(record, of: server, registry: registry)
    }

    /// Who logged in, or was switched to, last and is still logged in (H-43).
    var current: AgentUser? {
        users.values.filter(\.isLoggedIn).max { $0.record.order < $1.record.order }
    }

    func user(_ id: String) throws(WireError) -> AgentUser {
        guard let user = users[id] else { throw .unknownUser(id) }
        return user
    }

    private func loggedIn(_ id: String) throws(WireError) -> AgentUser {
        let user = try user(id)
        guard user.isLoggedIn else { throw .userLoggedOut(id) }
        return user
    }
}

// MARK: - Logging in
extension AgentApp {
    private static let anonymous = "anon-user"

    func logIn(_ request: AppLogin, completion: @escaping Outcome) throws(WireError) {
        guard let fields = JSONText.members(request.fields) else {
            throw WireError(.badParams, "\"fields\" isn't the JSON of an object", facts: ["field": .string("fields")])
        }
        try PathText.check(request.provider, allowing: "-_", field: "provider")
        let deadline = registry.deadline(request.timeoutMilliseconds)
        if let id = request.link {
            return link(fields, request.provider, to: try loggedIn(id), deadline, completion: completion)
        }
        var completion = completion
        if request.provider == Self.anonymous {
            if let user = users.values.first(where: { $0.isLoggedIn && $0.isAnonymous }) {
                return makeCurrent(user, completion: completion)
            }
            anonymousLogins.append(completion)
            guard anonymousLogins.count == 1 else { return }
            completion = { [self] result in
                let waiting = anonymousLogins
                anonymousLogins = []
                for waiter in waiting { waiter(result) }
            }
        }
        server.logIn(provider: request.provider, fields, device: DeviceInfo.fields, within: deadline) {
            [self, completion] result in
            switch result {
            case .failure(let error): completion(.failure(WireError(error)))
            case .success(let login): enter(login, deadline, completion)
            }
        }
    }

    /// The tokens are kept even if the profile doesn't come (H-19).
    private func enter(_ login: AppServer.Login, _ deadline: Duration, _ completion: @escaping Outcome) {
        let user: AgentUser
        if let known = users[login.userId] {
            user = known
        } else {
            user = AgentUser(UserRecord(app: identity, id: login.userId), of: server, registry: registry)
            users[login.userId] = user
        }
        user.user.adopt(login)
        fetchProfile(user, deadline) { [self] error in
            if let error { return completion(.failure(error)) }
            makeCurrent(user, completion: completion)
        }
    }

    private func link(
        _ fields: [String: Any], _ provider: String, to user: AgentUser, _ deadline: Duration,
        completion: @escaping Outcome
    ) {
        guard provider != Self.anonymous else {
            let refusal = WireError(
                .appError, "an anonymous identity can't be linked",
                facts: ["errorCode": .string("ClientUserAlreadyNamed"), "status": .int32(0)])
            return completion(.failure(refusal))
        }
        user.withAccess { [server] token, done in
            server.link(
                provider: provider, fields, device: DeviceInfo.fields, token: token, within: deadline, completion: done)
        } completion: { [self] result in
            switch result {
            case .failure(let error): completion(.failure(WireError(error)))
            case .success(let token):
                guard let refreshToken = user.user.refreshToken else {
                    return completion(.failure(.userLoggedOut(user.id)))
                }
                user.user.adopt(.init(userId: user.id, accessToken: token, refreshToken: refreshToken))
                fetchProfile(user, deadline) { error in
                    completion(error.map { .failure($0) } ?? .success(user))
                }
            }
        }
    }

    private func fetchProfile(
        _ user: AgentUser, _ deadline: Duration, completion: @escaping @LoopActor (WireError?) -> Void
    ) {
        user.withAccess { [server] token, done in
            server.profile(token, within: deadline, completion: done)
        } completion: { result in
            switch result {
            case .failure(let error): completion(WireError(error))
            case .success(let profile):
                user.change(
                    {
                        $0.identities = profile.identities
                        $0.profile = profile.data
                    }, completion: completion)
            }
        }
    }

    private func makeCurrent(_ user: AgentUser, completion: @escaping Outcome) {
        // Who was logged out while the profile came isn't current.
        guard user.isLoggedIn else { return completion(.failure(.userLoggedOut(user.id))) }
        let order = registry.nextOrder()
        user.change(
            { $0.order = order }, completion: { error in completion(error.map { .failure($0) } ?? .success(user)) })
    }
}

// MARK: - What else happens to users
extension AgentApp {
    func switchTo(_ id: String, completion: @escaping Outcome) throws(WireError) {
        makeCurrent(try loggedIn(id), completion: completion)
    }

    func logOut(_ id: String, completion: @escaping Outcome) throws(WireError) {
        logOut(try user(id)) { user, error in completion(error.map { .failure($0) } ?? .success(user)) }
    }

    /// Logged out here first; what the server says to it comes with the user (H-34).
    private func logOut(_ user: AgentUser, completion: @escaping @LoopActor (AgentUser, WireError?) -> Void) {
        user.user.logOut { [self] error in
            let refusal = error.map { WireError($0) }
            if user.isAnonymous { return forget(user) { completion(user, refusal ?? $0) } }
            // Written after the loss of the tokens: once this is durable, that is.
            user.change({ _ in }, completion: { completion(user, refusal ?? $0) })
        }
    }

    private func forget(_ user: AgentUser, completion: @escaping @LoopActor (WireError?) -> Void) {
        if users[user.id] === user { users[user.id] = nil }
        user.remove(completion: completion)
    }

    func remove(
        _ id: String, delete: Bool, completion: @escaping @LoopActor (WireError?) -> Void
    ) throws(WireError) {
        guard delete else {
            let user = try user(id)
            // Gone whether the server has heard of it or not.
            return logOut(user) { [self] user, _ in forget(user, completion: completion) }
        }
        let user = try loggedIn(id)
        user.withAccess { [server] token, done in
            server.send("DELETE", "auth/delete", bearer: token.text, body: nil, within: .seconds(60), completion: done)
        } completion: { [self] result in
            if case .failure(let error) = result { return completion(WireError(error)) }
            user.user.sessionEnded()
            forget(user, completion: completion)
        }
    }

    /// A new access token and with it new custom data; and the profile.
    func refresh(_ id: String, completion: @escaping Outcome) throws(WireError) {
        let user = try loggedIn(id)
        user.user.refresh { [self] error in
            if let error { return completion(.failure(WireError(error))) }
            fetchProfile(user, .seconds(60)) { error in completion(error.map { .failure($0) } ?? .success(user)) }
        }
    }
}

// MARK: - Calls
extension AgentApp {
    private static let verbs: Set<String> = ["GET", "POST", "PUT", "PATCH", "DELETE"]

    func call(
        _ request: AppCall, completion: @escaping @LoopActor (Result<AppCallReply, WireError>) -> Void
    ) throws(WireError) {
        guard Self.verbs.contains(request.verb) else {
            throw WireError(.badParams, "\(request.verb) is no method to call with", facts: ["field": .string("verb")])
        }
        try PathText.check(request.path, allowing: "-_.~/?&=%:+@,", field: "path")
        let deadline = registry.deadline(request.timeoutMilliseconds)
        let body = request.body.map { Array($0.utf8) }
        let send: @LoopActor (String?, @escaping @LoopActor (Result<HTTPResponse, AppServerError>) -> Void) -> Void = {
            [server] bearer, done in
            server.send(request.verb, request.path, bearer: bearer, body: body, within: deadline, completion: done)
        }
        let answer: @LoopActor (Result<HTTPResponse, AppServerError>) -> Void = { result in
            completion(
                result.map { response in
                    AppCallReply(
                        status: Int32(clamping: response.status), body: String(decoding: response.body, as: UTF8.self))
                }.mapError { WireError($0) })
        }
        guard request.token != .none else { return send(nil, answer) }
        guard let id = request.user else {
            throw WireError(.badParams, "whose token it is must be said", facts: ["field": .string("user")])
        }
        let user = try loggedIn(id)
        if request.token == .access {
            user.withAccess({ send($0.text, $1) }, completion: answer)
        } else {
            user.withRefresh({ send($0, $1) }, completion: answer)
        }
    }
}
