/// Number of an error on the wire (P-126). Unknown numbers are kept.
package struct SyncErrorCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    private init(_ rawValue: Int) { self.rawValue = rawValue }

    package static let connectionClosed = SyncErrorCode(100)
    package static let otherError = SyncErrorCode(101)
    package static let unknownMessage = SyncErrorCode(102)
    package static let badSyntax = SyncErrorCode(103)
    package static let limitsExceeded = SyncErrorCode(104)
    package static let wrongProtocolVersion = SyncErrorCode(105)
    package static let badSessionIdent = SyncErrorCode(106)
    package static let reuseOfSessionIdent = SyncErrorCode(107)
    package static let boundInOtherSession = SyncErrorCode(108)
    package static let badMessageOrder = SyncErrorCode(109)
    package static let badDecompression = SyncErrorCode(110)
    package static let badChangesetHeaderSyntax = SyncErrorCode(111)
    package static let badChangesetSize = SyncErrorCode(112)
    package static let switchToFlexible = SyncErrorCode(113)
    package static let switchToPartition = SyncErrorCode(114)
    package static let sessionClosed = SyncErrorCode(200)
    package static let otherSessionError = SyncErrorCode(201)
    package static let tokenExpired = SyncErrorCode(202)
    package static let badAuthentication = SyncErrorCode(203)
    package static let illegalRealmPath = SyncErrorCode(204)
    package static let noSuchRealm = SyncErrorCode(205)
    package static let permissionDenied = SyncErrorCode(206)
    package static let badServerFileIdent = SyncErrorCode(207)
    package static let badClientFileIdent = SyncErrorCode(208)
    package static let badServerVersion = SyncErrorCode(209)
    package static let badClientVersion = SyncErrorCode(210)
    package static let divergingHistories = SyncErrorCode(211)
    package static let badChangeset = SyncErrorCode(212)
    package static let partialSyncDisabled = SyncErrorCode(214)
    package static let unsupportedSessionFeature = SyncErrorCode(215)
    package static let badOriginFileIdent = SyncErrorCode(216)
    package static let badClientFile = SyncErrorCode(217)
    package static let serverFileDeleted = SyncErrorCode(218)
    package static let clientFileBlacklisted = SyncErrorCode(219)
    package static let userBlacklisted = SyncErrorCode(220)
    package static let transactBeforeUpload = SyncErrorCode(221)
    package static let clientFileExpired = SyncErrorCode(222)
    package static let userMismatch = SyncErrorCode(223)
    package static let tooManySessions = SyncErrorCode(224)
    package static let invalidSchemaChange = SyncErrorCode(225)
    package static let badQuery = SyncErrorCode(226)
    package static let objectAlreadyExists = SyncErrorCode(227)
    package static let serverPermissionsChanged = SyncErrorCode(228)
    package static let initialSyncNotCompleted = SyncErrorCode(229)
    package static let writeNotAllowed = SyncErrorCode(230)
    package static let compensatingWrite = SyncErrorCode(231)
    package static let migrateToFlexible = SyncErrorCode(232)
    package static let badProgress = SyncErrorCode(233)
    package static let revertToPartition = SyncErrorCode(234)
    package static let badSchemaVersion = SyncErrorCode(235)
    package static let schemaVersionChanged = SyncErrorCode(236)

    /// The code is about the connection, and is sent with session 0 (P-75).
    package var isConnectionError: Bool { (100..<200).contains(rawValue) }
    /// The code is about one session (P-75).
    package var isSessionError: Bool { (200..<300).contains(rawValue) }
    /// The session goes on, and the code may come again (P-76).
    package var leavesSessionUp: Bool { self == .compensatingWrite || self == .schemaVersionChanged }
}

extension SyncErrorCode: CustomStringConvertible {
    package var description: String { "\(rawValue)" }
}
