/// What a server says with a code, and which codes it must not use (P-126).
extension SyncErrorCode {
    /// Codes that abort an original client, or that it never expects.
    private static let crashing: Set<SyncErrorCode> = [
        .limitsExceeded, .tokenExpired, .badAuthentication, .noSuchRealm, .badServerFileIdent, .partialSyncDisabled,
        .unsupportedSessionFeature, .serverFileDeleted, .clientFileBlacklisted, .userBlacklisted,
        .transactBeforeUpload, .tooManySessions
    ]

    /// A server may send the code to clients of `version` of the protocol.
    package func isSendable(version: Int) -> Bool {
        switch self {
        case .badQuery, .badProgress: false
        case .serverPermissionsChanged: version < 14
        case .compensatingWrite: version >= 5
        case .migrateToFlexible, .revertToPartition: version >= 9
        case .badSchemaVersion, .schemaVersionChanged: version >= 11
        default: isKnown && !Self.crashing.contains(self)
        }
    }

    /// The code stands in the table.
    package var isKnown: Bool {
        (100...114).contains(rawValue) || ((200...236).contains(rawValue) && rawValue != 213)
    }

    /// The recommended action.
    package var action: ErrorAction {
        switch self {
        case .connectionClosed, .sessionClosed, .otherSessionError, .initialSyncNotCompleted: .transient
        case .switchToFlexible, .switchToPartition, .illegalRealmPath, .permissionDenied, .userMismatch,
            .invalidSchemaChange, .badSchemaVersion:
            .applicationBug
        case .badClientFileIdent, .badServerVersion, .badClientVersion, .divergingHistories, .badChangeset,
            .badClientFile, .clientFileExpired, .objectAlreadyExists, .serverPermissionsChanged:
            .clientReset
        case .writeNotAllowed, .compensatingWrite: .warning
        case .migrateToFlexible: .migrateToFlexible
        case .revertToPartition: .revertToPartition
        case .schemaVersionChanged: .migrateSchema
        default: isSessionError && self != .badOriginFileIdent ? .applicationBug : .protocolViolation
        }
    }

    /// The recommended `tryAgain`: false is the end of the session or connection.
    package var mayTryAgain: Bool {
        switch self {
        case .connectionClosed, .sessionClosed, .otherSessionError, .initialSyncNotCompleted, .writeNotAllowed,
            .compensatingWrite, .schemaVersionChanged:
            true
        default: false
        }
    }
}
