/// What becomes of the changes of a user who goes that aren't on the server.
package enum UnsentPolicy: String, WireName {
    /// They stay in the realms' files.
    case keep
    /// If there are any, the user stays: `pendingUploads`. What is being sent has a moment to arrive.
    case refuse
    /// The user goes when they have arrived, and with the user the files of the realms.
    case upload
    /// They go, and the files of the realms.
    case discard
}

/// Forgets a user's tokens, then tells the server, whose refusal doesn't bring them back (H-34).
package struct AppLogout: WireRequest {
    package typealias Reply = AppUserReply
    package static let method = Method.appLogout

    package var app: AppIdentity
    package var user: String
    /// Others than `keep` need the feature `departures`.
    package var unsent: UnsentPolicy
    /// How long `upload` may take: `pendingUploads` then. Nil: as long as it takes.
    package var timeoutMilliseconds: Int64?

    package init(
        app: AppIdentity, user: String, unsent: UnsentPolicy = .keep, timeoutMilliseconds: Int64? = nil
    ) {
        self.app = app
        self.user = user
        self.unsent = unsent
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            app: try view.get("app"), user: try view.get("user"), unsent: try view.find("unsent") ?? .keep,
            timeoutMilliseconds: try view.find("timeoutMs"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("app", app)
        writer.put("user", user)
        if unsent != .keep { writer.put("unsent", unsent) }
        writer.put("timeoutMs", timeoutMilliseconds)
    }
}

/// Forgets a user; with `delete` the account on the server goes first (H-36).
package struct AppRemove: WireRequest {
    package typealias Reply = Acknowledgement
    package static let method = Method.appRemove

    package var app: AppIdentity
    package var user: String
    package var delete: Bool
    /// As of `AppLogout`.
    package var unsent: UnsentPolicy
    package var timeoutMilliseconds: Int64?

    package init(
        app: AppIdentity, user: String, delete: Bool = false, unsent: UnsentPolicy = .keep,
        timeoutMilliseconds: Int64? = nil
    ) {
        self.app = app
        self.user = user
        self.delete = delete
        self.unsent = unsent
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            app: try view.get("app"), user: try view.get("user"), delete: try view.find("delete") ?? false,
            unsent: try view.find("unsent") ?? .keep, timeoutMilliseconds: try view.find("timeoutMs"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("app", app)
        writer.put("user", user)
        if delete { writer.put("delete", true) }
        if unsent != .keep { writer.put("unsent", unsent) }
        writer.put("timeoutMs", timeoutMilliseconds)
    }
}
