/// A message from a server to a client (section 7 of the protocol).
package enum ServerMessage: Hashable, Sendable {
    /// The identity of a new file (P-64).
    case ident(session: Int64, FileIdent)
    case download(Download)
    /// Everything that was in the history when the mark came has been sent (P-71).
    case mark(session: Int64, request: Int64)
    /// The last message of a session (P-72).
    case unbound(session: Int64)
    case pong(timestamp: Int64)
    /// For clients below version 4 only (P-74). Session 0 is the connection.
    case error(code: SyncErrorCode, session: Int64, message: String, tryAgain: Bool)
    /// Session 0 is the connection (P-75).
    case jsonError(code: SyncErrorCode, session: Int64, ErrorBody)
    /// A set of subscriptions is refused; the session goes on (P-77).
    case queryError(code: SyncErrorCode, session: Int64, queryVersion: Int64, message: String)
    /// Session 0 is the connection (P-82).
    case log(session: Int64, LogBody)
    case testCommand(session: Int64, request: Int64, body: String)

    /// A part of the history (P-65).
    package struct Download: Hashable, Sendable {
        package var session: Int64
        /// Where the scan of the server history has come to.
        package var progress: DownloadCursor
        /// The newest version at the time of sending.
        package var latest: SaltedVersion
        /// What is integrated of the client's changes at the time of sending.
        package var upload: UploadCursor
        package var contents: Contents
        package var entries: [DownloadEntry]

        package init(
            session: Int64, progress: DownloadCursor, latest: SaltedVersion, upload: UploadCursor,
            contents: Contents, entries: [DownloadEntry] = []
        ) {
            self.session = session
            self.progress = progress
            self.latest = latest
            self.upload = upload
            self.contents = contents
            self.entries = entries
        }
    }

    /// What a DOWNLOAD is part of, by the kind of sync.
    package enum Contents: Hashable, Sendable {
        /// Bytes still to come after this message, estimated.
        case partition(downloadableBytes: Int64)
        /// The estimate is the part of the bootstrap that is done, 0 to 1; not sent below version 12.
        case flexible(queryVersion: Int64, batch: BatchState, estimate: Double)
    }

    /// Where in a bootstrap a DOWNLOAD of flexible sync is.
    package enum BatchState: Int64, Hashable, Sendable, CaseIterable {
        case moreToCome = 0
        case lastInBatch = 1
        case steadyState = 2
    }

    /// The session that the message belongs to; 0 for the connection.
    package var session: Int64 {
        switch self {
        case .ident(let session, _): session
        case .download(let download): download.session
        case .mark(let session, _): session
        case .unbound(let session): session
        case .pong: 0
        case .error(_, let session, _, _): session
        case .jsonError(_, let session, _): session
        case .queryError(_, let session, _, _): session
        case .log(let session, _): session
        case .testCommand(let session, _, _): session
        }
    }
}
