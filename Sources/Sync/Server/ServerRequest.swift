/// What a session needs from the history of its realm. Answered later, by its number.
package struct ServerRequest: Hashable, Sendable {
    /// Names the request on its connection. Answers to a session that has ended meanwhile are ignored.
    package var number: Int64
    package var session: Int64
    package var work: Work

    package enum Work: Hashable, Sendable {
        /// Find the realm, check that the user may read it, and allocate a file ident if one is needed: durably,
        /// before the answer (P-42, P-47, P-48, P-135). Answered by `opened` or `failed`.
        case open(path: String, flexible: FlexibleBind?, needsIdent: Bool)
        /// What is stored of the file that this message names (P-50). Answered by `file` or `failed`.
        case lookUp(ClientMessage.Ident)
        /// Integrate these uploads in order, durably before the answer; skip changesets that were integrated before
        /// (P-56). Answered by `integrated` or `failed`.
        case integrate(file: Int64, [ClientMessage.Upload])
        /// Put a set of subscriptions in force (F-7). Answered by `query` or `failed`.
        case query(file: Int64, ClientMessage.Query)
        /// The history after this position without the file's own entries, about `byteLimit` bytes of it, at least one
        /// entry if there is one (P-66). Answered by `batch` or `failed`.
        case fetch(file: Int64, after: DownloadCursor, byteLimit: Int)
    }
}

/// The answer to a `ServerRequest`.
package enum ServerAnswer: Hashable, Sendable {
    /// The new ident, exactly if one was needed.
    case opened(FileIdent?)
    /// Nil: no such file. Notices go out before the first DOWNLOAD: 231 that weren't acknowledged, 236 (F-59, F-88).
    case file(FileRecord?, notices: [SessionFailure] = [])
    case integrated
    /// A refusal is the text for the application (F-8).
    case query(refusal: String?)
    case batch(DownloadBatch)
    /// The session ends; with a code below 200 the whole connection does (P-57).
    case failed(SessionFailure)
}

/// What a server keeps of a client file that its IDENT is held against (P-50, P-134).
package struct FileRecord: Hashable, Sendable {
    package var salt: Int64
    /// An ordinary client file, neither the server's own nor a deleted one.
    package var isOrdinary = true
    /// The ident was allocated to the user of this connection.
    package var isOwnedByUser = true
    /// Not seen for longer than the maximum offline time (P-136).
    package var isExpired = false
    /// First version from which this file's history is retained.
    package var baseVersion: Int64 = 0
    /// The newest version of the realm.
    package var current: SaltedVersion
    /// Last version of the file that is integrated.
    package var uploaded: Int64 = 0
    /// The salt stored for the version that IDENT gave as its latest; nil if there is no such version.
    package var latestSalt: Int64?

    package init(salt: Int64, current: SaltedVersion, uploaded: Int64, latestSalt: Int64?) {
        self.salt = salt
        self.current = current
        self.uploaded = uploaded
        self.latestSalt = latestSalt
    }
}

/// A part of the history for one file, to be sent as one DOWNLOAD.
package struct DownloadBatch: Hashable, Sendable {
    /// The position behind this part.
    package var progress: DownloadCursor
    package var latest: SaltedVersion
    /// What is durably integrated from the file.
    package var upload: UploadCursor
    package var contents: ServerMessage.Contents
    package var entries: [DownloadEntry]
    /// There is more right now.
    package var hasMore: Bool
    /// A bootstrap for a query that was received isn't complete with this part: marks have to wait (F-37).
    package var isBootstrapOutstanding = false
    /// 231 for undos in this part; they go out before it (F-58).
    package var notices: [SessionFailure] = []
    /// The session ends after this part: a refused asymmetric object (F-68).
    package var ending: SessionFailure?

    package init(
        progress: DownloadCursor, latest: SaltedVersion, upload: UploadCursor, contents: ServerMessage.Contents,
        entries: [DownloadEntry] = [], hasMore: Bool = false
    ) {
        self.progress = progress
        self.latest = latest
        self.upload = upload
        self.contents = contents
        self.entries = entries
        self.hasMore = hasMore
    }
}
