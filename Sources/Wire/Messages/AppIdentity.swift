/// Which app, of which server.
package struct AppIdentity: WirePayload {
    /// The app's id.
    package var id: String
    /// Scheme and host of the server, such as `http://localhost:9090`. Slashes at the end don't count (H-1).
    package var baseURL: String

    package init(id: String, baseURL: String) {
        self.id = id
        self.baseURL = baseURL
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(id: try view.get("id"), baseURL: try view.get("baseURL"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("id", id)
        writer.put("baseURL", baseURL)
    }
}

/// Whether somebody is logged in (H-43).
package enum AppUserState: String, WireName {
    case loggedIn, loggedOut, removed
}

/// One proof of who a user is, as far as clients are told.
package struct AppUserIdentity: WirePayload {
    package var id: String
    package var provider: String

    package init(id: String, provider: String) {
        self.id = id
        self.provider = provider
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(id: try view.get("id"), provider: try view.get("provider"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("id", id)
        writer.put("provider", provider)
    }
}

/// What the agent knows of a user.
package struct AppUser: WirePayload {
    package var id: String
    package var state: AppUserState
    /// What of the server's profile is the user's (H-37), as JSON of an object.
    package var profile: String
    package var identities: [AppUserIdentity]
    package var deviceId: String?
    /// Custom user data, as JSON of an object; as of the last access token (H-39).
    package var customData: String?
    /// The tokens, for who asked for them and as long as there are any.
    package var accessToken: String?
    package var refreshToken: String?

    package init(
        id: String, state: AppUserState, profile: String = "{}", identities: [AppUserIdentity] = [],
        deviceId: String? = nil, customData: String? = nil, accessToken: String? = nil, refreshToken: String? = nil
    ) {
        self.id = id
        self.state = state
        self.profile = profile
        self.identities = identities
        self.deviceId = deviceId
        self.customData = customData
        self.accessToken = accessToken
        self.refreshToken = refreshToken
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            id: try view.get("id"), state: try view.get("state"), profile: try view.find("profile") ?? "{}",
            identities: try view.find("identities") ?? [], deviceId: try view.find("deviceId"),
            customData: try view.find("customData"), accessToken: try view.find("accessToken"),
            refreshToken: try view.find("refreshToken"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("id", id)
        writer.put("state", state)
        writer.put("profile", profile)
        if !identities.isEmpty { writer.put("identities", identities) }
        writer.put("deviceId", deviceId)
        writer.put("customData", customData)
        writer.put("accessToken", accessToken)
        writer.put("refreshToken", refreshToken)
    }
}

/// Tokens are secrets: what is printed doesn't have them.
extension AppUser: CustomStringConvertible {
    package var description: String { "user \(id) (\(state.rawValue))" }
}
