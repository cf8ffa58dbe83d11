import EventLoop
import History

/// An app that this server hosts, as far as logging in is concerned.
package struct AuthApp: Hashable, Sendable, Codable {
    /// What clients name it by.
    package var id: String
    /// Goes into tokens, so that endpoints without the app in their path find it (H-27).
    package var domainId: String
    /// Signs the app's tokens.
    package var secret: [UInt8]
    package var isAnonymousEnabled = true
    package var isAPIKeyEnabled = true
    /// nil: disabled.
    package var emailPassword: EmailPasswordSettings? = EmailPasswordSettings()
    /// nil: disabled.
    package var customToken: CustomTokenSettings?
    /// Seconds, from half an hour to five years (H-28).
    package var refreshLifetime: Int64 = 60 * 86400
    /// nil: any value names a partition, as in apps that were made on first use. An app of flexible sync has one if it was
    /// synced by partition before.
    package var partitionKey: PartitionKey?
    /// nil: the app is synced by partition.
    package var flexible: FlexibleSettings?

    /// What flexible sync allows; nil: the app is synced by partition. Of an app that was once it knows the partition key.
    package var flexibleConfiguration: FlexibleConfiguration? {
        var configuration = flexible?.configuration
        configuration?.partitionField = partitionKey?.field
        return configuration
    }

    package static let refreshLifetimes: ClosedRange<Int64> = 1800...5 * 366 * 86400

    package init(id: String, domainId: String, secret: [UInt8]) {
        self.id = id
        self.domainId = domainId
        self.secret = secret
    }
}

/// How users with e-mail address and password are confirmed (H-46).
package struct EmailPasswordSettings: Hashable, Sendable, Codable {
    package enum Confirmation: String, Hashable, Sendable, Codable {
        case automatic
        /// A token is handed to whatever sends mail.
        case mail
    }

    package var confirmation = Confirmation.automatic

    package init(confirmation: Confirmation = .automatic) {
        self.confirmation = confirmation
    }
}

/// Which tokens of others are accepted as proof of who somebody is (H-22).
package struct CustomTokenSettings: Hashable, Sendable, Codable {
    package enum Algorithm: String, Hashable, Sendable, Codable {
        case hs256 = "HS256"
        case rs256 = "RS256"
    }

    /// A claim that becomes part of the profile.
    package struct Field: Hashable, Sendable, Codable {
        /// Where it is in the claims: names with dots between them.
        package var path: String
        package var name: String
        package var isRequired: Bool

        package init(path: String, name: String, isRequired: Bool) {
            self.path = path
            self.name = name
            self.isRequired = isRequired
        }
    }

    package var algorithm: Algorithm
    /// One to three: secrets of 32 to 512 characters, or public keys as PEM. None with `keySetURL`.
    package var keys: [String]
    /// Where the issuer publishes its keys (RFC 7517); a token's `kid` says which one it is signed with.
    package var keySetURL: String?
    /// Of these, one must be in the token, or all of them; empty means the app id.
    package var audiences: [String] = []
    package var requiresAnyAudience = false
    package var fields: [Field] = []

    package init(algorithm: Algorithm, keys: [String]) {
        self.algorithm = algorithm
        self.keys = keys
    }

    /// What is wrong with the settings; nil if nothing is.
    package var fault: String? {
        if let keySetURL {
            guard algorithm == .rs256, keys.isEmpty else { return "published keys are for RS256, and the only ones" }
            do throws(NetworkError) { _ = try WebURL(keySetURL) } catch { return error.message }
            return nil
        }
        guard (1...3).contains(keys.count) else { return "there must be one to three signing keys" }
        for key in keys {
            switch algorithm {
            case .hs256 where !(32...512).contains(key.count): return "a secret has 32 to 512 characters"
            case .rs256 where !JSONWebToken.isPublicKey(key): return "a signing key isn't a public key in PEM form"
            default: break
            }
        }
        return nil
    }
}
