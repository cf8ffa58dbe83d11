import EventLoop

extension AuthService {
    /// Logs in, or adds an identity to the user who is logged in (H-16, H-40).
    mutating func login(_ request: AuthRequest, _ app: AuthApp, provider name: String) throws(AuthFailure) -> AuthStep {
        guard let provider = AuthProvider(rawValue: name), isEnabled(provider, app) else {
            throw AuthFailure(404, .authProviderNotFound, "log-in by \(name.prefix(100)) isn't enabled")
        }
        let body = try request.body()
        let deviceId = deviceId(body, now: request.now)
        var linkTo: String?
        if request.queryValue("link") == "true" {
            let user = try user(of: request, .access).user
            guard user.appId == app.id else {
                throw AuthFailure(400, .userAppDomainMismatch, "the user to link to is one of another app")
            }
            linkTo = user.id
        }
        switch provider {
        case .anonymous:
            guard linkTo == nil else { throw AuthFailure(400, .badRequest, "an anonymous identity can't be linked") }
            // Always a new user (H-20).
            let externalId = newId(now: request.now)
            return .reply(try enter(app, .anonymous, externalId, deviceId, linkTo: nil, now: request.now))
        case .emailPassword:
            return try loginByPassword(body, app, deviceId, linkTo)
        case .apiKey:
            guard linkTo == nil else { throw AuthFailure(400, .badRequest, "an API key can't be linked") }
            return .reply(try loginByKey(body, app, deviceId, now: request.now))
        case .customToken:
            let proof = try CustomToken.check(
                body.required("token"), app, published: publishedKeys, now: request.now)
            let reply = try enter(
                app, .customToken, proof.externalId, deviceId, linkTo: linkTo, profile: proof.profile, now: request.now)
            return .reply(reply)
        }
    }

    private func isEnabled(_ provider: AuthProvider, _ app: AuthApp) -> Bool {
        switch provider {
        case .anonymous: app.isAnonymousEnabled
        case .emailPassword: app.emailPassword != nil
        case .apiKey: app.isAPIKeyEnabled
        case .customToken: app.customToken != nil
        }
    }

    /// The device's id: the one it says it has, or a new one. Never missing, or the log-in fails (H-18).
    private mutating func deviceId(_ body: JSONValue, now: Int64) -> String {
        let given = body["options"]?["device"]?["deviceId"]?.string ?? ""
        let isId =
            given.utf8.count == 24 && given.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0 | 32) }
        return isId && given.contains { $0 != "0" } ? given : newId(now: now)
    }

    private func loginByPassword(
        _ body: JSONValue, _ app: AuthApp, _ deviceId: String, _ linkTo: String?
    ) throws(AuthFailure) -> AuthStep {
        let email = try body.required("username")
        let password = try body.required("password")
        guard password.utf8.count <= Self.passwordByteLimit else { throw Self.wrongPassword }
        // Unknown names take as long as known ones: the time tells nobody which there are.
        let hash = directory.account(email, in: app.id)?.passwordHash ?? settings.passwordCost.hashOfNothing
        return .password(
            PasswordJob(
                password: password, cost: settings.passwordCost, work: .verify(hash: hash),
                continuation: .login(appId: app.id, email: email, deviceId: deviceId, linkTo: linkTo)))
    }

    static let wrongPassword = AuthFailure(401, .invalidPassword, "invalid username/password")
    mutating func finishLogin(
        _ appId: String, _ email: String, _ deviceId: String, _ linkTo: String?, _ isRight: Bool, now: Int64
    ) throws(AuthFailure) -> AuthReply {
        // Looked up again: meanwhile others may have changed it.
        guard isRight, let app = directory.app(appId), var account = directory.account(email, in: appId),
            account.isConfirmed
        else { throw Self.wrongPassword }
        let reply = try enter(app, .emailPassword, email, deviceId, linkTo: linkTo, profile: ["email": email], now: now)
        if account.userId == nil {
            account.userId = directory.user(.emailPassword, email, in: appId)?.id
            apply(.putAccount(account))
        }
        return reply
    }

    private mutating func loginByKey(
        _ body: JSONValue, _ app: AuthApp, _ deviceId: String, now: Int64
    ) throws(AuthFailure) -> AuthReply {
        let digest = Digest.sha256(try body.required("key"))
        guard let key = directory.key(digest: digest), key.appId == app.id, !key.isDisabled,
            var user = directory.user(key.userId)
        else { throw AuthFailure(401, .authError, "invalid API key") }
        let identity: AuthIdentity
        if let known = user.identities.first(where: { $0.provider == .apiKey && $0.externalId == key.id }) {
            identity = known
        } else {
            identity = newIdentity(.apiKey, key.id, now: now)
            user.identities.append(identity)
        }
        return try begin(app, user, identity, deviceId, now: now)
    }

    /// Begins a session of the user that has this identity, who is made if need be; or links it to another.
    private mutating func enter(
        _ app: AuthApp, _ provider: AuthProvider, _ externalId: String, _ deviceId: String, linkTo: String?,
        profile: [String: String] = [:], now: Int64
    ) throws(AuthFailure) -> AuthReply {
        let owner = directory.user(provider, externalId, in: app.id)
        var user: AuthUser
        if let linkTo {
            guard owner == nil || owner?.id == linkTo else {
                throw AuthFailure(409, .accountNameInUse, "the identity belongs to another user")
            }
            guard let target = directory.user(linkTo) else { throw .session("the user is gone") }
            user = target
        } else {
            user = owner ?? AuthUser(id: newId(now: now), appId: app.id, createdAt: now)
        }
        user.profile.merge(profile) { $1 }
        let known = user.identities.first { $0.provider == provider && $0.externalId == externalId }
        let identity = known ?? newIdentity(provider, externalId, now: now)
        if known == nil { user.identities.append(identity) }
        return try begin(app, user, identity, deviceId, now: now)
    }

    private mutating func newIdentity(_ provider: AuthProvider, _ externalId: String, now: Int64) -> AuthIdentity {
        AuthIdentity(id: newId(now: now), provider: provider, providerId: newId(now: now), externalId: externalId)
    }

    /// Stores the user with a new session, and answers with its tokens (H-18).
    private mutating func begin(
        _ app: AuthApp, _ user: AuthUser, _ identity: AuthIdentity, _ deviceId: String, now: Int64
    ) throws(AuthFailure) -> AuthReply {
        guard !user.isDisabled else { throw AuthFailure(401, .userDisabled, "the user is disabled") }
        var user = user
        user.lastSeenAt = now
        let lifetime = user.isAnonymous ? AuthTokens.anonymousLifetime : app.refreshLifetime
        let session = AuthSession(id: newId(now: now), userId: user.id, expiresAt: now + lifetime)
        endSurplusSessions(of: user.id, now: now)
        apply(.putUser(user))
        apply(.putSession(session))
        let response: JSONValue = [
            "access_token": .string(AuthTokens.access(app, user, sessionId: session.id, deviceId: deviceId, now: now)),
            "refresh_token": .string(AuthTokens.refresh(app, user, identity, session, deviceId: deviceId, now: now)),
            "user_id": .string(user.id), "device_id": .string(deviceId)
        ]
        return AuthReply(response: .json(200, response))
    }

    /// Sessions that a user may have at a time; beyond that the oldest end.
    package static let sessionsPerUser = 100

    private mutating func endSurplusSessions(of userId: String, now: Int64) {
        let sessions = directory.sessions(of: userId)
        let expired = sessions.filter { $0.expiresAt <= now }
        let alive = sessions.filter { $0.expiresAt > now }
        for session in expired + alive.dropLast(Self.sessionsPerUser - 1) { apply(.deleteSession(session.id)) }
    }
}
