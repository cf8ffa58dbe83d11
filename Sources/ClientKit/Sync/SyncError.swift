import Foundation
import Model
import Wire

/// What went wrong between a synced realm and its server. See `Code`.
public struct SyncError: Error, Sendable {
    /// What kind of error it is, with Realm's numbers.
    public enum Code: Int, Sendable {
        case clientSessionError = 4
        case clientUserError = 5
        case clientInternalError = 6
        case clientResetError = 7
        case underlyingAuthError = 8
        case permissionDeniedError = 9
        case invalidFlexibleSyncSubscriptions = 10
        case writeRejected = 11
        case connectionFailed = 12
        case tlsHandshakeFailed = 13
        case serverWarning = 14
    }

    public static let errorDomain = "io.realm.sync"

    public let code: Code
    let message: String
    let status: String
    /// Where the server's log tells more.
    public let serverLogURL: URL?
    /// With `writeRejected`: the objects that are as the server has them again.
    public let compensatingWriteInfo: [CompensatingWriteInfo]?
    /// With `clientResetError` and `permissionDeniedError`: what is to be done with the file.
    let actionToken: ActionToken?

    /// Carries out what an error asks for at once, when the realm is closed.
    public struct ActionToken: Sendable, Hashable {
        let path: String
        /// Of an encrypted realm.
        let key: EncryptionKey?
        /// Where a copy is put before the file is deleted.
        let recoveryPath: String?
    }

    /// With `clientResetError`: where the file as it was will be kept, and the token that starts the reset.
    public func clientResetInfo() -> (String, ActionToken)? {
        guard code == .clientResetError, let actionToken, let path = actionToken.recoveryPath else { return nil }
        return (path, actionToken)
    }

    /// With `permissionDeniedError`: the token that deletes the file.
    public func deleteRealmUserInfo() -> ActionToken? {
        code == .permissionDeniedError ? actionToken : nil
    }
}

/// An object whose changes the server has undone.
public struct CompensatingWriteInfo: Sendable {
    public let objectType: String
    public let reason: String
    let key: PrimaryKey?

    /// The object's primary key.
    public var primaryKey: AnyRealmValue { AnyRealmValue(key) }
}

// MARK: - Codes, for `catch SyncError.clientResetError`
extension SyncError {
    public static let clientSessionError = Code.clientSessionError
    public static let clientUserError = Code.clientUserError
    public static let clientInternalError = Code.clientInternalError
    public static let clientResetError = Code.clientResetError
    public static let underlyingAuthError = Code.underlyingAuthError
    public static let permissionDeniedError = Code.permissionDeniedError
    public static let invalidFlexibleSyncSubscriptions = Code.invalidFlexibleSyncSubscriptions
    public static let writeRejected = Code.writeRejected
    public static let connectionFailed = Code.connectionFailed
    public static let tlsHandshakeFailed = Code.tlsHandshakeFailed
    public static let serverWarning = Code.serverWarning
}

/// Lets `catch SyncError.writeRejected` match errors by their code.
public func ~= (code: SyncError.Code, error: any Error) -> Bool { (error as? SyncError)?.code == code }

// MARK: - NSError, both ways
extension SyncError: CustomNSError, LocalizedError {
    public var errorCode: Int { code.rawValue }

    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message, "Error Name": status]
        if let serverLogURL { info["Server Log URL"] = serverLogURL.absoluteString }
        return info
    }

    public var errorDescription: String? { message }
}

// MARK: - From the agent
extension SyncError {
    /// What a failed request about a session throws.
    static func thrown(_ error: any Error, key: EncryptionKey? = nil) -> any Error {
        guard let error = error as? WireError, error.code == .syncFailed,
            case .string(let status)? = error.facts["status"], case .string(let action)? = error.facts["action"]
        else { return error }
        func text(_ name: String) -> String? {
            if case .string(let text)? = error.facts[name] { text } else { nil }
        }
        return SyncError(
            status: status, action: action, error.message, logURL: text("logURL"), rejected: [],
            token: text("path").map { ActionToken(path: $0, key: key, recoveryPath: text("recovery")) })
    }

    /// `file` is the realm's, with its key.
    init(_ failure: SyncFailed, file: (path: String, key: EncryptionKey?)?) {
        self.init(
            status: failure.status, action: failure.action, failure.message, logURL: failure.logURL,
            rejected: failure.rejected,
            token: file.map { ActionToken(path: $0.path, key: $0.key, recoveryPath: failure.recovery) })
    }

    private init(
        status: String, action: String, _ message: String, logURL: String?, rejected: [RejectedObject],
        token: ActionToken?
    ) {
        let code = Self.code(status, action)
        self.code = code
        self.status = status
        self.message = message
        serverLogURL = logURL.flatMap { $0.isEmpty ? nil : URL(string: $0) }
        compensatingWriteInfo =
            code == .writeRejected
            ? rejected.map { CompensatingWriteInfo(objectType: $0.className, reason: $0.reason, key: $0.key) } : nil
        actionToken = code == .clientResetError || action == "DeleteRealm" ? token : nil
    }

    /// The names of the wire in Realm's codes.
    private static func code(_ status: String, _ action: String) -> Code {
        switch action {
        case "ClientReset", "ClientResetNoRecovery": return .clientResetError
        case "DeleteRealm": return .permissionDeniedError
        case "LogOutUser": return .clientUserError
        default: break
        }
        return switch status {
        case "SyncPermissionDenied": .permissionDeniedError
        case "SyncClientResetRequired": .clientResetError
        case "InvalidSubscriptionQuery": .invalidFlexibleSyncSubscriptions
        case "SyncCompensatingWrite", "SyncWriteNotAllowed": .writeRejected
        case "SyncConnectFailed", "ConnectionClosed": .connectionFailed
        case "TlsHandshakeFailed": .tlsHandshakeFailed
        case "AuthError": .underlyingAuthError
        case "SyncUserMismatch": .clientUserError
        case "SyncProtocolInvariantFailed", "BadChangeset", "UnknownError": .clientInternalError
        default: action == "Warning" ? .serverWarning : .clientSessionError
        }
    }
}

extension AnyRealmValue {
    /// A primary key as a value.
    fileprivate init(_ key: PrimaryKey?) {
        self =
            switch key {
            case .int(let value): .int(Int(value))
            case .string(let value): .string(value)
            case .objectId(let value): .objectId(ObjectId(value))
            case .uuid(let value): .uuid(value)
            case .null, .global, nil: .none
            }
    }
}
