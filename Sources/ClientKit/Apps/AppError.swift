import Foundation

/// An app's server has refused something.
///
///     do {
///         user = try await app.login(credentials: .emailPassword(email: email, password: password))
///     } catch let error as AppError where error.code == .invalidPassword {
///         …
///     }
public struct AppError: Error, Sendable {
    /// What kind of refusal it is, with Realm's numbers.
    public enum Code: Int, Sendable {
        case unknown = -1
        case httpRequestFailed = 1
        case invalidSession = 2
        case badRequest = 3
        case userNotFound = 4
        case userAppDomainMismatch = 5
        case domainNotAllowed = 6
        case readSizeLimitExceeded = 7
        case invalidParameter = 8
        case missingParameter = 9
        case functionExecutionError = 10
        case internalServerError = 11
        case authProviderNotFound = 12
        case valueNotFound = 13
        case valueAlreadyExists = 14
        case valueDuplicateName = 15
        case functionNotFound = 16
        case functionSyntaxError = 17
        case functionInvalid = 18
        case apiKeyAlreadyExists = 19
        case executionTimeLimitExceeded = 20
        case notCallable = 21
        case userAlreadyConfirmed = 22
        case userDisabled = 23
        case authError = 24
        case accountNameInUse = 25
        case invalidPassword = 26
        case maintenanceInProgress = 27
        case mongoDBError = 28
    }

    public static let errorDomain = "io.realm.app"

    public let code: Code
    let message: String
    /// The HTTP status, if the server has answered.
    public let httpStatusCode: Int?
    /// Where the server's log has more of it.
    public let serverLogURL: URL?

    init(_ code: Code, _ message: String, httpStatusCode: Int? = nil, serverLogURL: URL? = nil) {
        self.code = code
        self.message = message
        self.httpStatusCode = httpStatusCode
        self.serverLogURL = serverLogURL
    }

    /// An error of a code alone.
    public init(_ code: Code) {
        self.init(code, "The app's server has refused the request (\(code)).")
    }
}

// MARK: - Code constants
extension AppError {
    public static let unknown = Code.unknown
    public static let httpRequestFailed = Code.httpRequestFailed
    public static let invalidSession = Code.invalidSession
    public static let badRequest = Code.badRequest
    public static let userNotFound = Code.userNotFound
    public static let userAppDomainMismatch = Code.userAppDomainMismatch
    public static let domainNotAllowed = Code.domainNotAllowed
    public static let readSizeLimitExceeded = Code.readSizeLimitExceeded
    public static let invalidParameter = Code.invalidParameter
    public static let missingParameter = Code.missingParameter
    public static let functionExecutionError = Code.functionExecutionError
    public static let internalServerError = Code.internalServerError
    public static let authProviderNotFound = Code.authProviderNotFound
    public static let valueNotFound = Code.valueNotFound
    public static let valueAlreadyExists = Code.valueAlreadyExists
    public static let valueDuplicateName = Code.valueDuplicateName
    public static let functionNotFound = Code.functionNotFound
    public static let functionSyntaxError = Code.functionSyntaxError
    public static let functionInvalid = Code.functionInvalid
    public static let apiKeyAlreadyExists = Code.apiKeyAlreadyExists
    public static let executionTimeLimitExceeded = Code.executionTimeLimitExceeded
    public static let notCallable = Code.notCallable
    public static let userAlreadyConfirmed = Code.userAlreadyConfirmed
    public static let userDisabled = Code.userDisabled
    public static let authError = Code.authError
    public static let accountNameInUse = Code.accountNameInUse
    public static let invalidPassword = Code.invalidPassword
    public static let maintenanceInProgress = Code.maintenanceInProgress
    public static let mongoDBError = Code.mongoDBError
}

/// Lets `catch AppError.invalidPassword` match errors by their code.
public func ~= (code: AppError.Code, error: any Error) -> Bool { (error as? AppError)?.code == code }

extension AppError: Equatable, Hashable {
    public static func == (a: AppError, b: AppError) -> Bool { a.code == b.code && a.message == b.message }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
    }
}

// MARK: - NSError, both ways
extension AppError: CustomNSError, LocalizedError {
    static let statusKey = "HTTP Status Code"
    static let logKey = "Server Log URL"

    public var errorCode: Int { code.rawValue }

    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message, "Error Name": "\(code)"]
        if let httpStatusCode { info[Self.statusKey] = httpStatusCode }
        if let serverLogURL { info[Self.logKey] = serverLogURL.absoluteString }
        return info
    }

    /// The server's text as it is (ER-63).
    public var errorDescription: String? { message }
}

/// As with `Realm.Error`: casts to and from `NSError` look for this conformance on Linux.
extension AppError: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSError {
        NSError(domain: Self.errorDomain, code: errorCode, userInfo: errorUserInfo)
    }

    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout AppError?) {
        _ = _conditionallyBridgeFromObjectiveC(source, result: &result)
    }

    public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout AppError?) -> Bool {
        guard source.domain == errorDomain, let code = Code(rawValue: source.code) else { return false }
        result = AppError(
            code, source.localizedDescription, httpStatusCode: source.userInfo[statusKey] as? Int,
            serverLogURL: (source.userInfo[logKey] as? String).flatMap { URL(string: $0) })
        return true
    }

    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> AppError {
        var result: AppError?
        if let source { _forceBridgeFromObjectiveC(source, result: &result) }
        return result ?? AppError(.unknown)
    }
}
