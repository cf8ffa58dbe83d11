/// What a client session needs from its file. A session has one request at a time, answered by its number.
package struct StoreRequest: Hashable, Sendable {
    package var number: Int64
    package var session: Int64
    package var work: Work

    package enum Work: Hashable, Sendable {
        /// Store the file's identity, durably, and zero the client parts of both cursors (P-86). Answered by `stored`.
        case saveIdent(FileIdent)
        /// Uploadable changesets after a client version, up to another, within the limits (P-102, P-39). Answered by
        /// `scanned`.
        case scan(after: UploadCursor, upTo: Int64, softBytes: Int, hardBytes: Int)
        /// Integrate the changesets and store the progress in one transaction, durably (P-109); parts of a bootstrap
        /// go to the bootstrap store until the last has come (F-40). Answered by `stored` or `failed`.
        case integrate(ServerMessage.Download)
        /// The first version after this one that is to be uploaded. Answered by `uploadable`.
        case nextUploadable(after: Int64)
    }
}

/// The answer to a `StoreRequest`.
package enum StoreAnswer: Hashable, Sendable {
    /// Done; the newest version of the file is this.
    case stored(newestVersion: Int64)
    /// `reached`: where the scan came to, past entries that aren't uploadable, and the last server version integrated
    /// there. Never beyond what was asked for. No entries: there are none up to the end.
    case scanned([UploadEntry], reached: UploadCursor)
    case uploadable(Int64?)
    /// The download can't be integrated: 212 bad changeset, 233 bad progress, 112 too large, 201 anything else (P-61).
    case failed(SyncErrorCode, String)
}
