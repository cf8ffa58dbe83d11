/// Tokens of others that prove who somebody is (H-22).
enum CustomToken {
    struct Proof {
        var externalId: String
        var profile: [String: String]
    }

    /// Checks a token against the app's settings; `published` are the keys that its issuer publishes, by id. The token's own
    /// expiry doesn't limit the session.
    static func check(
        _ text: String, _ app: AuthApp, published: [String: [String: String]] = [:], now: Int64
    ) throws(AuthFailure) -> Proof {
        func refused(_ reason: String) -> AuthFailure {
            AuthFailure(401, .authError, "the token isn't accepted: \(reason)")
        }
        guard let settings = app.customToken else { throw refused("log-in by token isn't enabled") }
        guard let token = JSONWebToken(text) else { throw refused("it isn't a JSON Web Token") }
        var keys = settings.keys
        if let url = settings.keySetURL {
            let key = token.header["kid"]?.string.flatMap { published[url]?[$0] }
            guard let key else { throw refused("its issuer publishes no key of its kid") }
            keys = [key]
        }
        let isSigned = keys.contains { key in
            switch settings.algorithm {
            case .hs256: token.isSigned(secret: Array(key.utf8))
            case .rs256: token.isSigned(rsaKey: key)
            }
        }
        guard isSigned else {
            throw refused("its signature isn't by one of the keys, with \(settings.algorithm.rawValue)")
        }
        guard let expiry = token.claims["exp"]?.integer else { throw refused("it has no exp") }
        guard expiry > now else { throw refused("it has expired") }
        guard let subject = token.claims["sub"]?.string, !subject.isEmpty, subject.utf8.count <= 1024 else {
            throw refused("it has no usable sub")
        }
        let audiences = Set(
            token.claims["aud"]?.array?.compactMap(\.string) ?? [token.claims["aud"]?.string].compactMap(\.self))
        let wanted = settings.audiences.isEmpty ? [app.id] : settings.audiences
        let isMeant =
            settings.requiresAnyAudience ? wanted.contains(where: audiences.contains) : audiences.isSuperset(of: wanted)
        guard !audiences.isEmpty, isMeant else { throw refused("its aud isn't \(wanted.joined(separator: ", "))") }
        var profile: [String: String] = [:]
        for field in settings.fields {
            let value = field.path.split(separator: ".").reduce(Optional(token.claims)) { $0?[String($1)] }
            if let text = value.flatMap(Self.text) {
                profile[field.name] = text
            } else if field.isRequired {
                throw refused("it has no \(field.path)")
            }
        }
        return Proof(externalId: subject, profile: profile)
    }

    /// The profile has strings only (H-37).
    private static func text(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .integer(let number): String(number)
        case .bool(let value): value ? "true" : "false"
        default: nil
        }
    }
}
