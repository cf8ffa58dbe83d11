import Foundation

/// What the server knows about the person, as far as whoever vouches for it says something.
public final class UserProfile: Sendable {
    /// All of it.
    public let metadata: Document

    init(_ metadata: Document) {
        self.metadata = metadata
    }

    private func text(_ name: String) -> String? { (metadata[name] ?? nil)?.stringValue }

    public var name: String? { text("name") }
    public var email: String? { text("email") }
    public var pictureURL: String? { text("picture_url") }
    public var firstName: String? { text("first_name") }
    public var lastName: String? { text("last_name") }
    public var gender: String? { text("gender") }
    public var birthday: String? { text("birthday") }
    public var minAge: String? { text("min_age") }
    public var maxAge: String? { text("max_age") }
}

/// One proof of who a user is.
public final class RLMUserIdentity: Sendable {
    /// The kind of proof, such as `anon-user` or `local-userpass`.
    public let providerType: String
    public let identifier: String

    init(providerType: String, identifier: String) {
        self.providerType = providerType
        self.identifier = identifier
    }
}
