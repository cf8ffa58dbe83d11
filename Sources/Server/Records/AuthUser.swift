/// Somebody who can log in.
package struct AuthUser: Hashable, Sendable, Codable {
    package enum Kind: String, Hashable, Sendable, Codable {
        case normal
        /// Whoever has a key of the server (H-21).
        case server
    }

    package var id: String
    package var appId: String
    package var kind: Kind
    package var identities: [AuthIdentity] = []
    package var isDisabled = false
    /// What the profile shows under `data`.
    package var profile: [String: String] = [:]
    /// JSON of the custom user data that goes into access tokens (H-39).
    package var customData: String?
    /// Seconds since 1970.
    package var createdAt: Int64
    package var lastSeenAt: Int64

    package init(id: String, appId: String, kind: Kind = .normal, createdAt: Int64) {
        self.id = id
        self.appId = appId
        self.kind = kind
        self.createdAt = createdAt
        lastSeenAt = createdAt
    }

    /// Nothing but an anonymous identity: such a user can't log in again, or have API keys (H-41, H-50).
    package var isAnonymous: Bool { identities.allSatisfy { $0.provider == .anonymous } }
}

/// The ways to log in that this server has, by their names in paths (H-16).
package enum AuthProvider: String, Hashable, Sendable, Codable, CaseIterable {
    case anonymous = "anon-user"
    case emailPassword = "local-userpass"
    case apiKey = "api-key"
    case customToken = "custom-token"
}

/// One proof of who a user is.
package struct AuthIdentity: Hashable, Sendable, Codable {
    package var id: String
    package var provider: AuthProvider
    package var providerId: String
    /// By what the provider knows the user: address, subject, key; random for anonymous users.
    package var externalId: String

    package init(id: String, provider: AuthProvider, providerId: String, externalId: String) {
        self.id = id
        self.provider = provider
        self.providerId = providerId
        self.externalId = externalId
    }
}

/// A refresh token that was given out.
package struct AuthSession: Hashable, Sendable, Codable {
    package var id: String
    package var userId: String
    package var expiresAt: Int64
}

/// An e-mail address that was registered.
package struct EmailAccount: Hashable, Sendable, Codable {
    package var appId: String
    package var email: String
    /// argon2id, in libsodium's text form.
    package var passwordHash: String
    package var isConfirmed: Bool
    /// Set by the first log-in, or by linking.
    package var userId: String?
    /// The token that confirms the address or resets the password.
    package var pending: PendingToken?
}

/// A token that was sent by mail; only its digest is kept.
package struct PendingToken: Hashable, Sendable, Codable {
    package enum Purpose: String, Hashable, Sendable, Codable { case confirm, reset }

    package var id: String
    package var digest: [UInt8]
    package var purpose: Purpose
    package var expiresAt: Int64
}

/// A key that logs its owner in; only its digest is kept.
package struct AuthAPIKey: Hashable, Sendable, Codable {
    package var id: String
    package var appId: String
    /// The owner; for a key of the server the server user.
    package var userId: String
    package var name: String
    package var digest: [UInt8]
    package var isDisabled = false
}
