/// Access and refresh tokens of this server (H-25 to H-28).
enum AuthTokens {
    enum Kind: String { case access, refresh }

    static let accessLifetime: Int64 = 30 * 60
    /// Sessions of anonymous users have no practical end.
    static let anonymousLifetime: Int64 = 100 * 365 * 86400

    /// What a token says once it is checked.
    struct Claims {
        var app: AuthApp
        var userId: String
        var sessionId: String
        var deviceId: String
        var expiresAt: Int64
    }

    static func access(
        _ app: AuthApp, _ user: AuthUser, sessionId: String, deviceId: String, now: Int64
    ) -> String {
        var claims: [String: JSONValue] = [
            "exp": .integer(now + accessLifetime), "iat": .integer(now), "iss": .string(sessionId),
            "sub": .string(user.id), "typ": "access", "baas_device_id": .string(deviceId),
            "baas_domain_id": .string(app.domainId), "stitch_devId": .string(deviceId),
            "stitch_domainId": .string(app.domainId)
        ]
        if let data = user.customData.flatMap({ try? JSONValue(parsing: $0) }) { claims["user_data"] = data }
        return JSONWebToken.sign(.object(claims), secret: app.secret)
    }

    static func refresh(
        _ app: AuthApp, _ user: AuthUser, _ identity: AuthIdentity, _ session: AuthSession, deviceId: String, now: Int64
    ) -> String {
        let identity: JSONValue = [
            "id": .string(identity.id), "provider_type": .string(identity.provider.rawValue),
            "provider_id": .string(identity.providerId)
        ]
        let claims: JSONValue = [
            "exp": .integer(session.expiresAt), "iat": .integer(now), "sub": .string(user.id), "typ": "refresh",
            "baas_data": .null, "baas_device_id": .string(deviceId), "baas_domain_id": .string(app.domainId),
            "baas_id": .string(session.id), "baas_identity": identity, "stitch_data": .null,
            "stitch_devId": .string(deviceId), "stitch_domainId": .string(app.domainId),
            "stitch_id": .string(session.id), "stitch_ident": identity
        ]
        return JSONWebToken.sign(claims, secret: app.secret)
    }

    /// Checks everything of a token that it shows itself: signature, kind, expiry (H-27).
    static func check(
        _ text: String, _ kind: Kind, _ directory: AuthDirectory, now: Int64
    ) throws(AuthFailure) -> Claims {
        guard let token = JSONWebToken(text), let domain = token.claims["baas_domain_id"]?.string,
            let app = directory.app(domain: domain), token.isSigned(secret: app.secret)
        else { throw .session("the token isn't one of this server's") }
        guard token.claims["typ"]?.string == kind.rawValue else { throw .session("not an \(kind.rawValue) token") }
        guard let expiry = token.claims["exp"]?.integer, let userId = token.claims["sub"]?.string,
            let sessionId = token.claims[kind == .access ? "iss" : "baas_id"]?.string
        else { throw .session("the token is incomplete") }
        guard expiry > now else { throw .session("\(kind.rawValue) token expired") }
        return Claims(
            app: app, userId: userId, sessionId: sessionId, deviceId: token.claims["baas_device_id"]?.string ?? "",
            expiresAt: expiry)
    }
}
