/// A message from a client to a server (section 6 of the protocol).
package enum ClientMessage: Hashable, Sendable {
    case bind(Bind)
    case ident(Ident)
    case query(session: Int64, Query)
    case upload(Upload)
    /// Tell me when everything that is in the history now has been sent (P-58).
    case mark(session: Int64, request: Int64)
    case unbind(session: Int64)
    /// Both in milliseconds of the client's monotonic clock (P-60).
    case ping(timestamp: Int64, roundTrip: Int64)
    /// What the client could not integrate (P-61).
    case error(code: SyncErrorCode, session: Int64, message: String)
    case testCommand(session: Int64, request: Int64, body: String)

    /// Begins a session (P-42 to P-48).
    package struct Bind: Hashable, Sendable {
        package var session: Int64
        /// The partition value, or the JSON that `FlexibleBind` reads.
        package var path: String
        /// Empty in current clients, and ignored (P-44).
        package var token: String
        package var needsIdent: Bool
        /// Always false from clients; to be ignored (P-45).
        package var isSubserver: Bool

        package init(
            session: Int64, path: String, token: String = "", needsIdent: Bool, isSubserver: Bool = false
        ) {
            self.session = session
            self.path = path
            self.token = token
            self.needsIdent = needsIdent
            self.isSubserver = isSubserver
        }
    }

    /// Says who the file is and how far it has come (P-49).
    package struct Ident: Hashable, Sendable {
        package var session: Int64
        package var file: FileIdent
        package var download: DownloadCursor
        package var latest: SaltedVersion
        /// The active subscriptions; flexible sync only, and always there.
        package var query: Query?

        package init(
            session: Int64, file: FileIdent, download: DownloadCursor, latest: SaltedVersion, query: Query? = nil
        ) {
            self.session = session
            self.file = file
            self.download = download
            self.latest = latest
            self.query = query
        }
    }

    /// A numbered set of subscriptions (F-1, F-4).
    package struct Query: Hashable, Sendable {
        package var version: Int64
        package var text: String

        package init(version: Int64, text: String) {
            self.version = version
            self.text = text
        }
    }

    /// Local changes and how far the client has come (P-53).
    package struct Upload: Hashable, Sendable {
        package var session: Int64
        /// Reached by the scan of the local history; not before any entry.
        package var progress: UploadCursor
        /// The server version that the client still needs history from.
        package var lockedServerVersion: Int64
        package var entries: [UploadEntry]

        package init(
            session: Int64, progress: UploadCursor, lockedServerVersion: Int64, entries: [UploadEntry] = []
        ) {
            self.session = session
            self.progress = progress
            self.lockedServerVersion = lockedServerVersion
            self.entries = entries
        }
    }

    /// The session that the message belongs to; nil for PING.
    package var session: Int64? {
        switch self {
        case .bind(let bind): bind.session
        case .ident(let ident): ident.session
        case .query(let session, _): session
        case .upload(let upload): upload.session
        case .mark(let session, _): session
        case .unbind(let session): session
        case .ping: nil
        case .error(_, let session, _): session
        case .testCommand(let session, _, _): session
        }
    }
}
