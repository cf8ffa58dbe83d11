/// An HTTP request to the app's server, which the agent sends (H-2), with a token of a user where there has to be one.
package struct AppCall: WireRequest {
    package typealias Reply = AppCallReply
    package static let method = Method.appCall

    /// Which token says who asks.
    package enum Token: String, WireName {
        case none, access, refresh
    }

    package var app: AppIdentity
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    package var verb: String
    /// Below `/api/client/v2.0/`, such as `auth/api_keys`.
    package var path: String
    /// JSON.
    package var body: String?
    package var token: Token
    /// Id of the user whose token it is.
    package var user: String?
    package var timeoutMilliseconds: Int64?

    package init(
        app: AppIdentity, verb: String, path: String, body: String? = nil, token: Token = .none, user: String? = nil,
        timeoutMilliseconds: Int64? = nil
    ) {
        self.app = app
        self.verb = verb
        self.path = path
        self.body = body
        self.token = token
        self.user = user
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            app: try view.get("app"), verb: try view.get("verb"), path: try view.get("path"),
            body: try view.find("body"), token: try view.find("token") ?? .none, user: try view.find("user"),
            timeoutMilliseconds: try view.find("timeoutMs"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("app", app)
        writer.put("verb", verb)
        writer.put("path", path)
        writer.put("body", body)
        if token != .none { writer.put("token", token) }
        writer.put("user", user)
        writer.put("timeoutMs", timeoutMilliseconds)
    }
}

/// The body may be a password's: what is printed doesn't have it.
extension AppCall: CustomStringConvertible {
    package var description: String { "\(verb) \(path.prefix { $0 != "?" }) of \(app.id)" }
}

/// A success of the server's, that is a status from 200 to 299 (H-7).
package struct AppCallReply: WirePayload {
    package var status: Int32
    package var body: String

    package init(status: Int32, body: String) {
        self.status = status
        self.body = body
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(status: try view.get("status"), body: try view.find("body") ?? "")
    }

    package func write(to writer: BSONWriter) {
        writer.put("status", status)
        if !body.isEmpty { writer.put("body", body) }
    }
}

extension AppCallReply: CustomStringConvertible {
    package var description: String { "status \(status)" }
}
