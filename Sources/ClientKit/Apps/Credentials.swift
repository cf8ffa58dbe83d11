import Foundation

/// A proof of who somebody is.
@frozen
public enum Credentials: Sendable {
    /// An identity token of Apple's.
    case apple(idToken: String)
    /// An access token of Facebook's.
    case facebook(accessToken: String)
    /// An authorisation code of Google's.
    case google(serverAuthCode: String)
    /// An identity token of Google's.
    case googleId(token: String)
    /// A token whose issuer the server trusts.
    case jwt(token: String)
    /// An address that was registered, and its password.
    case emailPassword(email: String, password: String)
    /// No proof at all: a new user, or the anonymous one who is logged in.
    case anonymous
    /// What a function of the server asks for.
    case function(payload: Document)
    /// A key of a user's.
    case userAPIKey(String)
    /// A key of the server's.
    case serverAPIKey(String)

    /// The provider's name in paths, and what it asks for as JSON (H-16).
    var login: (provider: String, fields: String) {
        func fields(_ provider: String, _ members: Document = [:]) -> (String, String) {
            var members = members
            members["provider"] = .string(provider)
            return (provider, ExtendedJSON.text(members))
        }
        return switch self {
        case .apple(let token): fields("oauth2-apple", ["id_token": .string(token)])
        case .facebook(let token): fields("oauth2-facebook", ["accessToken": .string(token)])
        case .google(let code): fields("oauth2-google", ["authCode": .string(code)])
        case .googleId(let token): fields("oauth2-google", ["id_token": .string(token)])
        case .jwt(let token): fields("custom-token", ["token": .string(token)])
        case .emailPassword(let email, let password):
            fields("local-userpass", ["username": .string(email), "password": .string(password)])
        case .anonymous: fields("anon-user")
        case .function(let payload): ("custom-function", ExtendedJSON.text(payload))
        case .userAPIKey(let key), .serverAPIKey(let key): fields("api-key", ["key": .string(key)])
        }
    }
}
