/// All names, by what has to be done about them. Numbers and names never change or get a second meaning.
extension WireError.Code {
    // The conversation: the client's program is wrong.
    package static let badFrame = Self(100, "badFrame")
    package static let frameTooLarge = Self(101, "frameTooLarge")
    package static let badMessage = Self(102, "badMessage")
    package static let unknownMethod = Self(103, "unknownMethod")
    package static let badParams = Self(104, "badParams")
    package static let helloRequired = Self(105, "helloRequired")
    package static let unsupportedProtocol = Self(106, "unsupportedProtocol")
    package static let tooManyRequests = Self(107, "tooManyRequests")
    package static let unsupportedFeature = Self(108, "unsupportedFeature")

    // Handles that name nothing on this connection.
    package static let unknownRealm = Self(200, "unknownRealm")
    package static let unknownPin = Self(201, "unknownPin")
    package static let unknownTransaction = Self(202, "unknownTransaction")
    package static let unknownCursor = Self(203, "unknownCursor")
    package static let unknownSubscription = Self(204, "unknownSubscription")
    package static let tooManyHandles = Self(205, "tooManyHandles")

    // The file.
    package static let notARealm = Self(300, "notARealm")
    package static let newerFormat = Self(301, "newerFormat")
    package static let corrupt = Self(302, "corrupt")
    package static let permissionDenied = Self(303, "permissionDenied")
    package static let fileNotFound = Self(304, "fileNotFound")
    package static let fileExists = Self(305, "fileExists")
    package static let diskFull = Self(306, "diskFull")
    package static let locked = Self(307, "locked")
    package static let alreadyOpen = Self(308, "alreadyOpen")
    package static let snapshotExpired = Self(309, "snapshotExpired")
    package static let ioError = Self(310, "ioError")
    package static let keyMissing = Self(311, "keyMissing")
    package static let keyWrong = Self(312, "keyWrong")
    package static let keySuperfluous = Self(313, "keySuperfluous")
    package static let syncMismatch = Self(314, "syncMismatch")

    // What is asked of the data.
    package static let schemaMismatch = Self(400, "schemaMismatch")
    package static let badChangeset = Self(401, "badChangeset")
    package static let objectMissing = Self(402, "objectMissing")
    package static let unknownClass = Self(403, "unknownClass")
    package static let unknownProperty = Self(404, "unknownProperty")
    package static let badQuery = Self(405, "badQuery")
    package static let typeMismatch = Self(406, "typeMismatch")
    package static let objectExists = Self(407, "objectExists")
    package static let schemaVersionTooOld = Self(408, "schemaVersionTooOld")

    // Transactions.
    package static let transactionStalled = Self(500, "transactionStalled")
    package static let transactionLost = Self(501, "transactionLost")
    package static let nestedTransaction = Self(502, "nestedTransaction")
    package static let transactionTooLarge = Self(503, "transactionTooLarge")
    package static let versionChanged = Self(504, "versionChanged")
    package static let outcomeUnknown = Self(505, "outcomeUnknown")

    // The agent itself.
    package static let shuttingDown = Self(600, "shuttingDown")
    package static let wrongUser = Self(601, "wrongUser")
    package static let outOfResources = Self(602, "outOfResources")
    package static let slowReader = Self(603, "slowReader")
    package static let internalError = Self(604, "internalError")
    package static let cancelled = Self(605, "cancelled")

    // Sync.
    package static let syncFailed = Self(900, "syncFailed")
    package static let notSynced = Self(901, "notSynced")
    package static let noSubscriptionForWrite = Self(902, "noSubscriptionForWrite")
    package static let unsentChanges = Self(903, "unsentChanges")
    package static let queueFull = Self(904, "queueFull")
    package static let pendingUploads = Self(905, "pendingUploads")

    // Found out on the client's side; the agent never sends these.
    package static let agentUnavailable = Self(700, "agentUnavailable")
    package static let connectionLost = Self(701, "connectionLost")
    package static let timedOut = Self(702, "timedOut")
    package static let badReply = Self(703, "badReply")
    package static let unsafeSocketDirectory = Self(704, "unsafeSocketDirectory")
    package static let badSocketPath = Self(705, "badSocketPath")

    // Apps, their users and their servers.
    package static let appError = Self(800, "appError")
    package static let serverUnreachable = Self(801, "serverUnreachable")
    package static let badServerAnswer = Self(802, "badServerAnswer")
    package static let unknownUser = Self(803, "unknownUser")
    package static let userLoggedOut = Self(804, "userLoggedOut")

    /// Every code of this version.
    package static let all: [Self] = [
        .badFrame, .frameTooLarge, .badMessage, .unknownMethod, .badParams, .helloRequired, .unsupportedProtocol,
        .tooManyRequests, .unsupportedFeature, .unknownRealm, .unknownPin, .unknownTransaction, .unknownCursor,
        .unknownSubscription, .tooManyHandles, .notARealm, .newerFormat, .corrupt, .permissionDenied, .fileNotFound,
        .fileExists, .diskFull, .locked, .alreadyOpen, .snapshotExpired, .ioError, .keyMissing, .keyWrong,
        .keySuperfluous, .syncMismatch, .schemaMismatch, .badChangeset,
        .objectMissing, .unknownClass, .unknownProperty, .badQuery, .typeMismatch, .objectExists,
        .schemaVersionTooOld, .transactionStalled, .transactionLost, .nestedTransaction, .transactionTooLarge,
        .versionChanged, .outcomeUnknown,
        .shuttingDown, .wrongUser, .outOfResources, .slowReader, .internalError, .cancelled, .agentUnavailable,
        .connectionLost, .timedOut, .badReply, .unsafeSocketDirectory, .badSocketPath, .appError,
        .serverUnreachable, .badServerAnswer, .unknownUser, .userLoggedOut, .syncFailed, .notSynced,
        .noSubscriptionForWrite, .unsentChanges, .queueFull, .pendingUploads
    ]
}
