/// Logs in, or with `link` adds an identity to a user who is logged in (H-16, H-40). The user becomes the current one.
package struct AppLogin: WireRequest {
    package typealias Reply = AppUserReply
    package static let method = Method.appLogin

    package var app: AppIdentity
    /// As in the path of H-16, such as `anon-user`.
    package var provider: String
    /// What the provider asks for, as JSON of an object.
    package var fields: String
    /// Id of the user who gets the identity.
    package var link: String?
    package var timeoutMilliseconds: Int64?

    package init(
        app: AppIdentity, provider: String, fields: String, link: String? = nil, timeoutMilliseconds: Int64? = nil
    ) {
        self.app = app
        self.provider = provider
        self.fields = fields
        self.link = link
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            app: try view.get("app"), provider: try view.get("provider"), fields: try view.find("fields") ?? "{}",
            link: try view.find("link"), timeoutMilliseconds: try view.find("timeoutMs"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("app", app)
        writer.put("provider", provider)
        writer.put("fields", fields)
        writer.put("link", link)
        writer.put("timeoutMs", timeoutMilliseconds)
    }
}

/// Passwords and keys are in the fields: what is printed doesn't have them.
extension AppLogin: CustomStringConvertible {
    package var description: String { "log-in to \(app.id) by \(provider)" }
}

/// A user, as the request has left it.
package struct AppUserReply: WirePayload {
    package var user: AppUser

    package init(user: AppUser) {
        self.user = user
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(user: try view.get("user"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("user", user)
    }
}

/// The users of an app on this machine. Asks no server.
package struct AppUsers: WireRequest {
    package typealias Reply = AppUsersReply
    package static let method = Method.appUsers

    package var app: AppIdentity
    /// Only this one.
    package var user: String?
    /// With their tokens.
    package var tokens: Bool

    package init(app: AppIdentity, user: String? = nil, tokens: Bool = false) {
        self.app = app
        self.user = user
        self.tokens = tokens
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            app: try view.get("app"), user: try view.find("user"), tokens: try view.find("tokens") ?? false)
    }

    package func write(to writer: BSONWriter) {
        writer.put("app", app)
        writer.put("user", user)
        if tokens { writer.put("tokens", true) }
    }
}

/// Users that the agent knows, those logged out too.
package struct AppUsersReply: WirePayload {
    package var users: [AppUser]
    /// Id of the one who logged in, or was switched to, last and is still logged in.
    package var current: String?

    package init(users: [AppUser], current: String? = nil) {
        self.users = users
        self.current = current
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(users: try view.get("users"), current: try view.find("current"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("users", users)
        writer.put("current", current)
    }
}

/// A request about a user that has no other parameters, and is answered by what the user is then.
package protocol AppUserRequest: WireRequest where Reply == AppUserReply {
    var app: AppIdentity { get }
    var user: String { get }
    init(app: AppIdentity, user: String)
}

extension AppUserRequest {
    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(app: try view.get("app"), user: try view.get("user"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("app", app)
        writer.put("user", user)
    }
}

/// Makes a user the current one.
package struct AppSwitch: AppUserRequest {
    package static let method = Method.appSwitch

    package var app: AppIdentity
    package var user: String

    package init(app: AppIdentity, user: String) {
        self.app = app
        self.user = user
    }
}

/// Fetches a new access token, and with it the custom user data (H-30), and the profile.
package struct AppRefresh: AppUserRequest {
    package static let method = Method.appRefresh

    package var app: AppIdentity
    package var user: String

    package init(app: AppIdentity, user: String) {
        self.app = app
        self.user = user
    }
}
