import Foundation
import Wire

extension AppError {
    /// What an app sees of an error that came by way of the agent: a refusal of the server's, or a broken connection.
    static func from(_ error: any Error) -> any Error {
        guard let error = error as? WireError else { return error }
        switch error.code {
        case .appError: return AppError(refusal: error)
        case .serverUnreachable: return unreachable(error)
        case .badServerAnswer: return AppError(.unknown, error.message)
        case .unknownUser: return AppError(.userNotFound, error.message)
        case .pendingUploads: return PendingUploads(error)
        case .userLoggedOut: return AppError(.invalidSession, error.message)
        default: return Realm.Error(error, path: nil)
        }
    }

    private init(refusal error: WireError) {
        func text(_ name: String) -> String? {
            if case .string(let text)? = error.facts[name] { text } else { nil }
        }
        var status: Int?
        if case .int32(let number)? = error.facts["status"], number > 0 { status = Int(number) }
        self.init(
            Self.code(text("errorCode") ?? ""), error.message, httpStatusCode: status,
            serverLogURL: text("link").flatMap { URL(string: $0) })
    }

    /// By the server's names (H-57).
    private static func code(_ name: String) -> Code {
        switch name {
        case "HTTPError": .httpRequestFailed
        case "InvalidSession", "MissingAuthReq", "ClientUserNotLoggedIn": .invalidSession
        case "BadRequest": .badRequest
        case "UserNotFound", "ClientUserNotFound": .userNotFound
        case "UserAppDomainMismatch": .userAppDomainMismatch
        case "DomainNotAllowed": .domainNotAllowed
        case "ReadSizeLimitExceeded": .readSizeLimitExceeded
        case "InvalidParameter": .invalidParameter
        case "MissingParameter": .missingParameter
        case "FunctionExecutionError": .functionExecutionError
        case "InternalServerError": .internalServerError
        case "AuthProviderNotFound": .authProviderNotFound
        case "ValueNotFound", "APIKeyNotFound", "ServiceNotFound": .valueNotFound
        case "ValueAlreadyExists": .valueAlreadyExists
        case "ValueDuplicateName": .valueDuplicateName
        case "FunctionNotFound": .functionNotFound
        case "FunctionSyntaxError": .functionSyntaxError
        case "FunctionInvalid": .functionInvalid
        case "APIKeyAlreadyExists": .apiKeyAlreadyExists
        case "ExecutionTimeLimitExceeded": .executionTimeLimitExceeded
        case "NotCallable": .notCallable
        case "UserAlreadyConfirmed": .userAlreadyConfirmed
        case "UserDisabled": .userDisabled
        case "AuthError": .authError
        case "AccountNameInUse": .accountNameInUse
        case "InvalidPassword": .invalidPassword
        case "MaintenanceInProgress": .maintenanceInProgress
        case "MongoDBError": .mongoDBError
        default: .unknown
        }
    }

    /// As Foundation's own networking puts it, in whose domain and numbers the original reports it.
    private static func unreachable(_ error: WireError) -> NSError {
        var reason = ""
        if case .string(let text)? = error.facts["reason"] { reason = text }
        let code =
            switch reason {
            case "timed-out": -1001
            case "resolve-failed": -1003
            case "connect-failed": -1004
            case "tls-failed": -1200
            case "certificate-refused": -1202
            default: -1005
            }
        return NSError(domain: "NSURLErrorDomain", code: code, userInfo: [NSLocalizedDescriptionKey: error.message])
    }
}
