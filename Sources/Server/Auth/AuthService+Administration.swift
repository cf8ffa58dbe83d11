/// What the server's owner does to apps and users. Each call returns the changes that must be made durable.
extension AuthService {
    /// Makes an app. Throws if there is one, or the name can't be one.
    package mutating func createApp(_ id: String, now: Int64) throws(AuthFailure) -> [AuthChange] {
        guard Self.isAppId(id) else {
            throw AuthFailure(400, .badRequest, "an app's id has 1 to 64 letters, digits, hyphens and underscores")
        }
        guard directory.app(id) == nil else {
            throw AuthFailure(409, .accountNameInUse, "there is an app \(id) already")
        }
        return changing { $0.apply(.putApp($0.newApp(id, now: now))) }
    }

    /// Replaces an app's settings. Id, domain and secret stay what they were.
    package mutating func updateApp(
        _ id: String, _ body: (inout AuthApp) -> Void
    ) throws(AuthFailure) -> [AuthChange] {
        guard let old = directory.app(id) else { throw AuthFailure(404, .valueNotFound, "there is no app \(id)") }
        var app = old
        body(&app)
        (app.id, app.domainId, app.secret) = (old.id, old.domainId, old.secret)
        guard AuthApp.refreshLifetimes.contains(app.refreshLifetime) else {
            throw AuthFailure(400, .invalidParameter, "refresh tokens live from half an hour to five years")
        }
        if let fault = app.customToken?.fault { throw AuthFailure(400, .invalidParameter, "custom tokens: \(fault)") }
        return changing { $0.apply(.putApp(app)) }
    }

    /// Disables a user, who is out at once but for access tokens that the sync server still has (H-27); or enables again.
    package mutating func setDisabled(_ isDisabled: Bool, user id: String) throws(AuthFailure) -> [AuthChange] {
        var user = try existingUser(id)
        user.isDisabled = isDisabled
        return changing {
            $0.apply(.putUser(user))
            if isDisabled { $0.revokeSessions(of: id) }
        }
    }

    /// Ends all sessions of a user (H-28).
    package mutating func revokeAllSessions(user id: String) throws(AuthFailure) -> [AuthChange] {
        _ = try existingUser(id)
        return changing { $0.revokeSessions(of: id) }
    }

    /// Deletes a user with all that belongs to them (H-36).
    package mutating func deleteUser(_ id: String) throws(AuthFailure) -> [AuthChange] {
        _ = try existingUser(id)
        return changing { $0.removeUser(id) }
    }

    /// Bytes of custom user data: it travels in headers (H-39).
    package static let customDataLimit = 16 << 10

    /// Sets what access tokens issued from now on carry as `user_data` (H-39); nil removes it.
    package mutating func setCustomData(_ data: JSONValue?, user id: String) throws(AuthFailure) -> [AuthChange] {
        var user = try existingUser(id)
        let text = data?.text
        guard data?.isObject != false, text?.utf8.count ?? 0 <= Self.customDataLimit else {
            throw AuthFailure(
                400, .invalidParameter, "custom user data is an object of at most \(Self.customDataLimit) bytes")
        }
        user.customData = text
        return changing { $0.apply(.putUser(user)) }
    }

    /// Makes a key of the server, with a user of its own (H-21). The secret is told this once.
    package mutating func createServerKey(
        _ name: String, app id: String, now: Int64
    ) throws(AuthFailure) -> (secret: String, changes: [AuthChange]) {
        guard directory.app(id) != nil else { throw AuthFailure(404, .valueNotFound, "there is no app \(id)") }
        var secret = ""
        let changes = changing { service in
            let user = AuthUser(id: service.newId(now: now), appId: id, kind: .server, createdAt: now)
            service.apply(.putUser(user))
            secret = service.makeKey(name, of: user, now: now)
        }
        return (secret, changes)
    }

    /// Days after which an anonymous user who hasn't been seen may go (H-29).
    package static let anonymousDays: Int64 = 90

    /// Deletes anonymous users who haven't been seen for that long, at most `limit` at a time.
    package mutating func deleteInactiveAnonymousUsers(now: Int64, limit: Int = 1000) -> [AuthChange] {
        let oldest = now - Self.anonymousDays * 86400
        let gone = directory.users.values.lazy
            .filter { $0.kind == .normal && $0.isAnonymous && $0.lastSeenAt < oldest }.prefix(limit).map(\.id)
        let ids = Array(gone)
        return changing { service in for id in ids { service.removeUser(id) } }
    }

    private func existingUser(_ id: String) throws(AuthFailure) -> AuthUser {
        guard let user = directory.user(id) else { throw AuthFailure(404, .userNotFound, "there is no user \(id)") }
        return user
    }

    private mutating func changing(_ body: (inout AuthService) -> Void) -> [AuthChange] {
        changes = []
        body(&self)
        defer { changes = [] }
        return changes
    }
}
