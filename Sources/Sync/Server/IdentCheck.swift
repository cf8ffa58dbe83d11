/// The checks of IDENT, in their order (P-50).
package enum IdentCheck {
    /// Nil if the file may go on from where it says it is.
    package static func failure(of ident: ClientMessage.Ident, record: FileRecord?) -> SessionFailure? {
        guard let record, ident.file.number > 1 else {
            return SessionFailure(.badClientFileIdent, "Bad client file identifier (IDENT)")
        }
        let checks: [(isRight: Bool, code: SyncErrorCode, message: String)] = [
            (ident.file.salt == record.salt, .divergingHistories, "Bad client file identifier salt (IDENT)"),
            (
                // Who begins is given what the history has become.
                ident.download.server >= record.baseVersion || ident.download.server == 0, .badServerVersion,
                "The history that the client needs was trimmed (IDENT)"
            ),
            (!record.isExpired, .clientFileExpired, "The client was offline for too long (IDENT)"),
            (
                ident.download.server <= record.current.version, .badServerVersion,
                "The client is ahead of the server (IDENT)"
            ),
            (
                ident.download.client <= record.uploaded && ident.download.isConsistent, .badClientVersion,
                "Bad client version (IDENT)"
            ),
            (
                ident.download.server <= ident.latest.version && ident.latest.version <= record.current.version,
                .badServerVersion, "Bad latest server version (IDENT)"
            ),
            (
                ident.latest.salt == record.latestSalt, .divergingHistories,
                "The server's history isn't the one that the client knows (IDENT)"
            ),
            (record.isOrdinary, .badClientFileIdent, "Not the identifier of a client file (IDENT)"),
            (record.isOwnedByUser, .userMismatch, "The file belongs to another user (IDENT)")
        ]
        return checks.first { !$0.isRight }.map { SessionFailure($0.code, $0.message) }
    }
}
