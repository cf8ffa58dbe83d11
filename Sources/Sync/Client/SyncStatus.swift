/// How an application sees an error: the names of the original (P-126).
package enum SyncStatus: String, Hashable, Sendable, CaseIterable {
    case connectionClosed = "ConnectionClosed"
    case runtimeError = "RuntimeError"
    case protocolInvariantFailed = "SyncProtocolInvariantFailed"
    case wrongSyncType = "WrongSyncType"
    case badPartitionValue = "BadSyncPartitionValue"
    case permissionDenied = "SyncPermissionDenied"
    case clientResetRequired = "SyncClientResetRequired"
    case badChangeset = "BadChangeset"
    case userMismatch = "SyncUserMismatch"
    case invalidSchemaChange = "InvalidSchemaChange"
    case invalidSubscriptionQuery = "InvalidSubscriptionQuery"
    case objectAlreadyExists = "ObjectAlreadyExists"
    case permissionsChanged = "SyncServerPermissionsChanged"
    case writeNotAllowed = "SyncWriteNotAllowed"
    case compensatingWrite = "SyncCompensatingWrite"
    case schemaMigrationError = "SyncSchemaMigrationError"
    case limitExceeded = "LimitExceeded"
    case connectFailed = "SyncConnectFailed"
    case tlsHandshakeFailed = "TlsHandshakeFailed"
    case negotiationFailed = "SyncProtocolNegotiationFailed"
    case authError = "AuthError"
    case unknownError = "UnknownError"

    package init(_ code: SyncErrorCode) {
        self =
            switch code {
            case .connectionClosed, .sessionClosed, .initialSyncNotCompleted: .connectionClosed
            case .otherError, .otherSessionError, .badDecompression: .runtimeError
            case .switchToFlexible, .switchToPartition, .migrateToFlexible, .revertToPartition: .wrongSyncType
            case .illegalRealmPath: .badPartitionValue
            case .permissionDenied: .permissionDenied
            case .badClientFileIdent, .badServerVersion, .badClientVersion, .divergingHistories, .badClientFile,
                .clientFileExpired:
                .clientResetRequired
            case .badChangeset: .badChangeset
            case .userMismatch: .userMismatch
            case .invalidSchemaChange: .invalidSchemaChange
            case .badQuery: .invalidSubscriptionQuery
            case .objectAlreadyExists: .objectAlreadyExists
            case .serverPermissionsChanged: .permissionsChanged
            case .writeNotAllowed: .writeNotAllowed
            case .compensatingWrite: .compensatingWrite
            case .badSchemaVersion, .schemaVersionChanged: .schemaMigrationError
            case .badOriginFileIdent, .badProgress: .protocolInvariantFailed
            default: code.isConnectionError && code.isKnown ? .protocolInvariantFailed : .unknownError
            }
    }
}

/// An error for the application.
package struct SyncReport: Hashable, Sendable {
    package var status: SyncStatus
    /// The number on the wire; nil for what the client found out itself.
    package var code: SyncErrorCode?
    package var message: String
    package var logURL = ""
    /// Waiting operations fail, and nothing goes on by itself (except where a rule says so).
    package var isFatal: Bool
    package var action = ErrorAction.warning
    package var rejectedUpdates: [RejectedUpdate] = []

    package init(
        _ status: SyncStatus, code: SyncErrorCode? = nil, _ message: String, isFatal: Bool,
        action: ErrorAction = .warning
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.isFatal = isFatal
        self.action = action
    }

    init(_ code: SyncErrorCode, _ body: ErrorBody) {
        self.init(SyncStatus(code), code: code, body.message, isFatal: !body.tryAgain, action: body.action)
        logURL = body.logURL
        rejectedUpdates = body.rejectedUpdates ?? []
    }
}
