import EventLoop

extension AuthService {
    /// Finds the handler of a path (H-1, chapter 2).
    mutating func route(_ request: AuthRequest) throws(AuthFailure) -> AuthStep {
        switch request.path.first {
        case "auth": return .reply(AuthReply(response: try routeUser(request, Array(request.path.dropFirst()))))
        case "app" where request.path.count >= 3: return try routeApp(request)
        default: throw Self.unknownPath
        }
    }

    static let unknownPath = AuthFailure(404, .valueNotFound, "there is no such endpoint")

    static func wrongMethod(_ method: String) -> AuthFailure {
        AuthFailure(405, .badRequest, "this endpoint has no \(method)")
    }

    private mutating func routeApp(_ request: AuthRequest) throws(AuthFailure) -> AuthStep {
        let app = try app(request.path[1], now: request.now)
        let rest = Array(request.path.dropFirst(2))
        switch rest {
        case ["location"]:
            guard request.method == "GET" else { throw Self.wrongMethod(request.method) }
            return .reply(AuthReply(response: try location(request)))
        case ["functions", "call"]:
            throw AuthFailure(404, .functionNotFound, "this server has no functions")
        default: break
        }
        if rest.count == 4, Array(rest[..<2]) == ["auth", "providers"] || Array(rest[..<2]) == ["push", "providers"] {
            guard rest[0] == "auth" else {
                throw AuthFailure(404, .serviceNotFound, "this server has no push service \(rest[2])")
            }
            guard request.method == "POST" else { throw Self.wrongMethod(request.method) }
            if rest[3] == "login" { return try login(request, app, provider: rest[2]) }
        }
        guard rest.count >= 4, Array(rest[..<3]) == ["auth", "providers", AuthProvider.emailPassword.rawValue] else {
            throw Self.unknownPath
        }
        guard request.method == "POST" else { throw Self.wrongMethod(request.method) }
        return try emailPassword(request, app, Array(rest[3...]))
    }

    /// Endpoints without the app in their path: the token says which one it is.
    private mutating func routeUser(_ request: AuthRequest, _ path: [String]) throws(AuthFailure) -> HTTPResponse {
        switch (path.first, path.count) {
        case ("profile", 1):
            guard request.method == "GET" else { throw Self.wrongMethod(request.method) }
            return try profile(request)
        case ("session", 1):
            switch request.method {
            case "POST": return try refreshSession(request)
            case "DELETE": return try endSession(request)
            default: throw Self.wrongMethod(request.method)
            }
        case ("delete", 1):
            guard request.method == "DELETE" else { throw Self.wrongMethod(request.method) }
            return try deleteUser(request)
        case ("api_keys", _): return try apiKeys(request, Array(path.dropFirst()))
        default: throw Self.unknownPath
        }
    }

    /// The app of that id; in development it is made (H-15).
    mutating func app(_ id: String, now: Int64) throws(AuthFailure) -> AuthApp {
        if let app = directory.app(id) { return app }
        guard settings.makesApps, Self.isAppId(id) else {
            throw AuthFailure(404, .valueNotFound, "there is no app \(id.prefix(100))")
        }
        let app = newApp(id, now: now)
        apply(.putApp(app))
        return app
    }

    /// Whether an app may be called so: what stands unencoded in paths, not too long.
    package static func isAppId(_ id: String) -> Bool {
        (1...64).contains(id.utf8.count)
            && id.utf8.allSatisfy { (97...122).contains($0 | 32) || (48...57).contains($0) || $0 == 45 || $0 == 95 }
    }

    mutating func newApp(_ id: String, now: Int64) -> AuthApp {
        let secret = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
        return AuthApp(id: id, domainId: newId(now: now), secret: secret)
    }

    /// Where the app is served (H-9, H-15).
    private func location(_ request: AuthRequest) throws(AuthFailure) -> HTTPResponse {
        let origin = request.origin(settings)
        guard let separator = origin.firstRange(of: "://") else {
            throw AuthFailure(500, .internalServerError, "the server's public URL isn't one")
        }
        let scheme = origin[..<separator.lowerBound] == "https" ? "wss" : "ws"
        return .json(
            200,
            [
                "deployment_model": "LOCAL", "location": "US-VA", "hostname": .string(origin),
                "ws_hostname": .string("\(scheme)://\(origin[separator.upperBound...])")
            ])
    }
}
