/// What the sync machinery keeps in a client file, as it was read when the session was made (P-85).
package struct ClientFile: Hashable, Sendable {
    /// Nil until the server has given one.
    package var ident: FileIdent?
    package var download = DownloadCursor()
    package var latest = SaltedVersion()
    package var upload = UploadCursor()
    /// The newest version of the file.
    package var newestVersion: Int64

    package init(ident: FileIdent? = nil, newestVersion: Int64) {
        self.ident = ident
        self.newestVersion = newestVersion
    }
}

/// A set of subscriptions that the server doesn't have in force yet (F-4).
package struct PendingQuery: Hashable, Sendable {
    package var query: ClientMessage.Query
    /// Version of the transaction that committed the set: what was written before is uploaded before (P-103).
    package var snapshotVersion: Int64
    /// After it nothing is sent until it is complete (F-99).
    package var isSentinel: Bool

    package init(_ query: ClientMessage.Query, snapshotVersion: Int64, isSentinel: Bool = false) {
        self.query = query
        self.snapshotVersion = snapshotVersion
        self.isSentinel = isSentinel
    }
}

/// What a session of flexible sync must know of a file's sets of subscriptions.
package struct SessionQueries: Hashable, Sendable {
    /// The set in force; nil if the realm is synced by partition.
    package var active: ClientMessage.Query?
    /// Those that wait for the server, by version.
    package var pending: [PendingQuery]

    package init(active: ClientMessage.Query? = nil, pending: [PendingQuery] = []) {
        self.active = active
        self.pending = pending
    }

    /// The version of the newest of these sets; -1 without any.
    package var newest: Int64 { pending.last?.query.version ?? active?.version ?? -1 }
}

/// How a session is to be bound.
package struct ClientSessionOptions: Hashable, Sendable {
    /// Names the session for its whole life: 1, 2, …, never used again by this client (P-116).
    package var session: Int64
    /// The partition value's text, or the JSON of `FlexibleBind`.
    package var path: String
    /// False for the download of a fresh file (P-100).
    package var uploads = true
    /// A client reset is prepared, and will be performed once BIND is out (P-98).
    package var awaitsReset = false
    /// None if the realm is synced by partition.
    package var queries = SessionQueries()

    package init(session: Int64, path: String) {
        self.session = session
        self.path = path
    }
}
