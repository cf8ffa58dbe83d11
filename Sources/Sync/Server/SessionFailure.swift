/// Why a session, or the whole connection, ends: the code decides which (P-75).
package struct SessionFailure: Error, Hashable, Sendable {
    package var code: SyncErrorCode
    package var body: ErrorBody

    /// With the action and `tryAgain` that are recommended for the code.
    package init(_ code: SyncErrorCode, _ message: String) {
        self.init(code, ErrorBody(code, message))
    }

    package init(_ code: SyncErrorCode, _ body: ErrorBody) {
        self.code = code
        self.body = body
    }

    init(_ error: SyncMessageError) { self.init(error.kind.code, error.description) }

    /// The message that tells a client, in a form that its version understands. `session` is 0 for the connection.
    ///
    /// Codes that original clients don't survive, and codes on the wrong level, are replaced by their nearest harmless
    /// relative: one wrong code kills every application that connects (P-75, P-126).
    func message(session: Int64, for agreed: SyncProtocol) -> ServerMessage {
        var code = code
        var body = body
        if code == .compensatingWrite, !agreed.hasCompensatingWrites {
            code = .writeNotAllowed
            body.action = .clientReset
            body.shouldClientReset = true
            body.tryAgain = false
            body.compensatingWriteServerVersion = nil
        }
        let fits = session == 0 ? code.isConnectionError : code.isSessionError
        let isComplete =
            switch code {
            case .compensatingWrite: body.compensatingWriteServerVersion != nil
            case .migrateToFlexible: body.partitionQuery?.isEmpty == false
            case .schemaVersionChanged: body.previousSchemaVersion != nil && agreed.isFlexible
            default: true
            }
        if !fits || !isComplete || !code.isSendable(version: agreed.version) {
            code = session == 0 ? .otherError : .otherSessionError
        }
        if body.rejectedUpdates != nil, body.rejectedClientVersion == nil { body.rejectedUpdates = nil }
        if code != .compensatingWrite { body.compensatingWriteServerVersion = nil }
        // The application of a client for partitions crashes on this action (P-81).
        if body.action == .migrateSchema, !agreed.isFlexible { body.action = .applicationBug }
        guard agreed.hasJSONErrors else {
            return .error(code: code, session: session, message: body.message, tryAgain: body.tryAgain)
        }
        return .jsonError(code: code, session: session, body)
    }
}
