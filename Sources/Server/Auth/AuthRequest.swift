import EventLoop

/// A request to the auth API, with what its handlers ask of it.
struct AuthRequest {
    let method: String
    /// The path below the base, in its segments, decoded.
    let path: [String]
    let now: Int64
    /// By what URL the client came, or is to come.
    let isSecure: Bool
    private let request: HTTPRequest

    init(_ request: HTTPRequest, now: Int64, isSecure: Bool) throws(AuthFailure) {
        self.request = request
        self.now = now
        self.isSecure = isSecure
        method = request.method
        var path: [String] = []
        for part in request.path.dropFirst(AuthService.base.count).split(separator: "/") {
            guard let segment = percentDecoded(part) else {
                throw AuthFailure(400, .badRequest, "the path's percent-encoding is wrong")
            }
            path.append(segment)
        }
        self.path = path
    }

    func origin(_ settings: AuthService.Settings) -> String { request.origin(isSecure, settings) }

    func queryValue(_ name: String) -> String? { request.queryValue(name) }

    var hasToken: Bool { request.headers["Authorization"] != nil }

    /// The token of the Authorization field (H-2).
    func token() throws(AuthFailure) -> String {
        guard let field = request.headers["Authorization"] else { throw .session("no token") }
        let words = field.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, HTTPHeaders.isSame(words[0], "Bearer") else { throw .session("no bearer token") }
        return String(words[1])
    }

    /// The body, which must be a JSON object (H-3).
    func body() throws(AuthFailure) -> JSONValue {
        do throws(JSONError) {
            let value = try JSONValue(parsing: request.body)
            guard value.isObject else { throw JSONError(offset: 0, reason: "not an object") }
            return value
        } catch {
            throw AuthFailure(400, .badRequest, "the body is \(error)")
        }
    }
}

extension JSONValue {
    /// A member that must be a string.
    func required(_ key: String) throws(AuthFailure) -> String {
        guard let text = self[key]?.string else { throw .missing(key) }
        return text
    }
}

extension HTTPRequest {
    /// The URL by which clients reach this server: its public one, or the one they used.
    func origin(_ isSecure: Bool, _ settings: AuthService.Settings) -> String {
        if let url = settings.publicURL {
            var url = url
            while url.hasSuffix("/") { url.removeLast() }
            return url
        }
        return "\(isSecure ? "https" : "http")://\(headers["Host"] ?? "localhost")"
    }
}
