import EventLoop

/// A refusal as clients understand it: status, name and message (H-55, H-57).
package struct AuthFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The names that clients know and this server uses. Any other becomes an unrecognised error of the app's.
    package enum Name: String, Hashable, Sendable, CaseIterable {
        case missingAuthReq = "MissingAuthReq"
        case invalidSession = "InvalidSession"
        case userAppDomainMismatch = "UserAppDomainMismatch"
        case invalidParameter = "InvalidParameter"
        case missingParameter = "MissingParameter"
        case internalServerError = "InternalServerError"
        case authProviderNotFound = "AuthProviderNotFound"
        case serviceNotFound = "ServiceNotFound"
        case valueNotFound = "ValueNotFound"
        case functionNotFound = "FunctionNotFound"
        case apiKeyNotFound = "APIKeyNotFound"
        case apiKeyAlreadyExists = "APIKeyAlreadyExists"
        case userAlreadyConfirmed = "UserAlreadyConfirmed"
        case userNotFound = "UserNotFound"
        case userDisabled = "UserDisabled"
        case authError = "AuthError"
        case badRequest = "BadRequest"
        case accountNameInUse = "AccountNameInUse"
        case invalidPassword = "InvalidPassword"
        case userpassTokenInvalid = "UserpassTokenInvalid"
    }

    package var status: Int
    /// nil only where clients need none, as with 429 (H-58).
    package var name: Name?
    package var message: String

    package init(_ status: Int, _ name: Name?, _ message: String) {
        self.status = status
        self.name = name
        self.message = message
    }

    package var description: String { "\(message) (\(name?.rawValue ?? "\(status)"))" }

    /// The response. Clients see the error only if the content type is exactly this (H-5).
    package func response(link: String) -> HTTPResponse {
        var body: [String: JSONValue] = ["error": .string(message), "link": .string(link)]
        if let name { body["error_code"] = .string(name.rawValue) }
        return .json(status, .object(body))
    }

    /// 401 only where a refresh or a new log-in can help (H-32, H-58).
    static func session(_ reason: String) -> AuthFailure {
        AuthFailure(401, .invalidSession, "invalid session: \(reason)")
    }

    static func missing(_ field: String) -> AuthFailure {
        AuthFailure(400, .missingParameter, "\(field) is missing, or isn't a string")
    }
}

extension HTTPResponse {
    /// A response of JSON, with the one content type that clients recognise (H-5).
    package static func json(_ status: Int, _ value: JSONValue) -> HTTPResponse {
        HTTPResponse(status, headers: ["Content-Type": "application/json"], body: Array(value.text.utf8))
    }
}
