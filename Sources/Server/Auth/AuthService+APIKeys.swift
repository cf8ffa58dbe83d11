import EventLoop

extension AuthService {
    /// Keys of a user at most (H-49).
    package static let keysPerUser = 20

    /// The endpoints of chapter 10.
    mutating func apiKeys(_ request: AuthRequest, _ path: [String]) throws(AuthFailure) -> HTTPResponse {
        guard request.hasToken else { throw AuthFailure(401, .missingAuthReq, "must authenticate first") }
        let found = try user(of: request, .refresh)
        switch (request.method, path.count) {
        case ("POST", 0): return try createKey(request, found)
        case ("GET", 0): return .json(200, .array(directory.keys(of: found.user.id).map { Self.description(of: $0) }))
        case ("GET", 1): return .json(200, Self.description(of: try key(path[0], of: found)))
        case ("DELETE", 1):
            apply(.deleteKey(try key(path[0], of: found).id))
            return HTTPResponse(204)
        case ("PUT", 2) where path[1] == "enable" || path[1] == "disable":
            var key = try key(path[0], of: found)
            key.isDisabled = path[1] == "disable"
            apply(.putKey(key))
            return HTTPResponse(204)
        case (_, 0...1): throw Self.wrongMethod(request.method)
        default: throw Self.unknownPath
        }
    }

    private mutating func createKey(
        _ request: AuthRequest, _ found: AuthenticatedUser
    ) throws(AuthFailure) -> HTTPResponse {
        guard !found.user.isAnonymous else {
            throw AuthFailure(403, .authError, "anonymous users can't create API keys")
        }
        guard found.app.isAPIKeyEnabled else {
            throw AuthFailure(404, .authProviderNotFound, "log-in by api-key isn't enabled")
        }
        let name = try request.body().required("name")
        guard (1...100).contains(name.utf8.count) else {
            throw AuthFailure(400, .invalidParameter, "the name of an API key has 1 to 100 bytes")
        }
        let keys = directory.keys(of: found.user.id)
        guard !keys.contains(where: { $0.name == name }) else {
            throw AuthFailure(409, .apiKeyAlreadyExists, "API key with name already exists")
        }
        guard keys.count < Self.keysPerUser else {
            throw AuthFailure(400, .badRequest, "a user has at most \(Self.keysPerUser) API keys")
        }
        let secret = makeKey(name, of: found.user, now: request.now)
        guard let key = directory.key(digest: Digest.sha256(secret)),
            case .object(var members) = Self.description(of: key)
        else { throw AuthFailure(500, .internalServerError, "the key wasn't stored") }
        // Only now, and never again.
        members["key"] = .string(secret)
        return .json(201, .object(members))
    }

    /// Stores a new key and returns its secret.
    mutating func makeKey(_ name: String, of user: AuthUser, now: Int64) -> String {
        let secret = newSecret()
        apply(
            .putKey(
                AuthAPIKey(
                    id: newId(now: now), appId: user.appId, userId: user.id, name: name, digest: Digest.sha256(secret)))
        )
        return secret
    }

    private func key(_ id: String, of found: AuthenticatedUser) throws(AuthFailure) -> AuthAPIKey {
        guard let key = directory.keys(of: found.user.id).first(where: { $0.id == id }) else {
            throw AuthFailure(404, .apiKeyNotFound, "API key not found")
        }
        return key
    }

    private static func description(of key: AuthAPIKey) -> JSONValue {
        ["_id": .string(key.id), "name": .string(key.name), "disabled": .bool(key.isDisabled)]
    }
}
