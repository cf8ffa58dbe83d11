import EventLoop

/// Who a token belongs to, after all checks (H-27).
package struct AuthenticatedUser: Sendable {
    package var app: AuthApp
    package var user: AuthUser
    package var sessionId: String
    package var deviceId: String
    /// Seconds since 1970, when the token ends.
    package var expiresAt: Int64
}

extension AuthService {
    /// Checks the access token of a sync connection to an app, or to the token's own (P-6). A refusal closes with 4001.
    package func checkAccess(_ token: String, appId: String?, now: Int64) throws(AuthFailure) -> AuthenticatedUser {
        let found = try user(of: token, .access, now: now)
        guard found.app.id == appId ?? found.app.id else { throw .session("the token is one of another app") }
        return found
    }

    func user(of request: AuthRequest, _ kind: AuthTokens.Kind) throws(AuthFailure) -> AuthenticatedUser {
        try user(of: request.token(), kind, now: request.now)
    }

    private func user(of token: String, _ kind: AuthTokens.Kind, now: Int64) throws(AuthFailure) -> AuthenticatedUser {
        let claims = try AuthTokens.check(token, kind, directory, now: now)
        guard let user = directory.user(claims.userId), user.appId == claims.app.id else {
            throw .session("the user is gone")
        }
        guard !user.isDisabled else { throw AuthFailure(401, .userDisabled, "the user is disabled") }
        // Access tokens live on until they expire (H-28).
        if kind == .refresh, directory.session(claims.sessionId)?.userId != user.id { throw .session("revoked") }
        return AuthenticatedUser(
            app: claims.app, user: user, sessionId: claims.sessionId, deviceId: claims.deviceId,
            expiresAt: claims.expiresAt)
    }

    /// A new access token (H-30).
    mutating func refreshSession(_ request: AuthRequest) throws(AuthFailure) -> HTTPResponse {
        let found = try user(of: request, .refresh)
        if found.user.lastSeenAt + Self.lastSeenPrecision <= request.now {
            var user = found.user
            user.lastSeenAt = request.now
            apply(.putUser(user))
        }
        let token = AuthTokens.access(
            found.app, found.user, sessionId: found.sessionId, deviceId: found.deviceId, now: request.now)
        return .json(201, ["access_token": .string(token)])
    }

    /// Seconds by which the last visit may be older than it is noted: not every refresh is a write.
    private static let lastSeenPrecision: Int64 = 86400

    /// Ends this session and no other (H-34, H-35).
    mutating func endSession(_ request: AuthRequest) throws(AuthFailure) -> HTTPResponse {
        let found = try user(of: request, .refresh)
        apply(.deleteSession(found.sessionId))
        return HTTPResponse(204)
    }

    /// Deletes the account with all that belongs to it; synced documents stay (H-36).
    mutating func deleteUser(_ request: AuthRequest) throws(AuthFailure) -> HTTPResponse {
        removeUser(try user(of: request, .access).user.id)
        return HTTPResponse(204)
    }

    mutating func removeUser(_ id: String) {
        for account in directory.accounts(of: id) {
            apply(.deleteAccount(appId: account.appId, email: account.email))
        }
        for key in directory.keys(of: id) { apply(.deleteKey(key.id)) }
        revokeSessions(of: id)
        apply(.deleteUser(id))
    }

    mutating func revokeSessions(of userId: String) {
        for session in directory.sessions(of: userId) { apply(.deleteSession(session.id)) }
    }

    /// Who the user is (H-37).
    func profile(_ request: AuthRequest) throws(AuthFailure) -> HTTPResponse {
        let user = try user(of: request, .access).user
        let identities = user.identities.map { identity -> JSONValue in
            var members: [String: JSONValue] = [
                "id": .string(identity.id), "provider_type": .string(identity.provider.rawValue),
                "provider_id": .string(identity.providerId)
            ]
            if identity.provider == .emailPassword {
                members["provider_data"] = ["email": .string(identity.externalId)]
            }
            return .object(members)
        }
        return .json(
            200,
            [
                "user_id": .string(user.id), "type": .string(user.kind.rawValue), "identities": .array(identities),
                "data": .object(user.profile.mapValues { .string($0) })
            ])
    }
}
