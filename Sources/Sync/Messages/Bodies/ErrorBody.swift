/// The body of the server's JSON_ERROR (P-78).
package struct ErrorBody: Hashable, Sendable {
    /// Delays between attempts that the server asks for, in place of the client's own (P-119).
    package struct Backoff: Hashable, Sendable {
        package var interval: Duration
        package var maximum: Duration
        package var multiplier: Int

        package init(interval: Duration, maximum: Duration, multiplier: Int) {
            self.interval = interval
            self.maximum = maximum
            self.multiplier = multiplier
        }
    }

    /// For people.
    package var message: String
    /// Where the server's log can be read; may be empty.
    package var logURL = ""
    /// False is the end of the session or connection.
    package var tryAgain: Bool
    package var action: ErrorAction
    /// For clients that don't know `action` (below version 7).
    package var shouldClientReset: Bool
    /// The app doesn't allow local changes to be recovered.
    package var isRecoveryModeDisabled = false
    package var backoff: Backoff?
    /// With 232: the query that selects what the partition did. Never empty.
    package var partitionQuery: String?
    /// With 236.
    package var previousSchemaVersion: Int64?
    /// With 230 and 231: what was undone.
    package var rejectedUpdates: [RejectedUpdate]?
    /// With `rejectedUpdates`: the client version of the changeset they were in.
    package var rejectedClientVersion: Int64?
    /// With 231, and only there: the server version of the undo. Without it clients crash.
    package var compensatingWriteServerVersion: Int64?

    /// An error with what is recommended for its code.
    package init(_ code: SyncErrorCode, _ message: String) {
        self.init(message: message, tryAgain: code.mayTryAgain, action: code.action)
    }

    package init(message: String, tryAgain: Bool, action: ErrorAction) {
        self.message = message
        self.tryAgain = tryAgain
        self.action = action
        shouldClientReset = action == .clientReset || action == .clientResetNoRecovery
    }
}
