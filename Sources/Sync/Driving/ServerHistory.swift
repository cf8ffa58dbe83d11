/// The history of one server realm, as the sessions bound to it need it.
///
/// The machine asks by effects and waits, so that a server may answer from a store thread, from a database, or, as the
/// tests do, on the spot with `answer(_:)`.
package protocol ServerHistory {
    /// Checks that the user may read the realm, and allocates an ident if one is needed.
    ///
    /// Idents are 2, 3, …; 1 is the server's own. Salts are uniformly random in 1…2^63−1 (P-83). The allocation is durable
    /// before this returns (P-135): an ident that a client got to know must never be given to another.
    mutating func open(_ flexible: FlexibleBind?, needsIdent: Bool) throws(SessionFailure) -> FileIdent?

    /// What is stored of the file that IDENT names, nil if nothing is, and what must be said before its first DOWNLOAD.
    ///
    /// For flexible sync this is also where the query of IDENT is taken up, and where views that the client never
    /// acknowledged are rolled back (F-6).
    mutating func record(
        of ident: ClientMessage.Ident
    ) throws(SessionFailure) -> (record: FileRecord?, notices: [SessionFailure])

    /// Integrates uploads of a file, in order.
    ///
    /// Changesets up to the last integrated client version are skipped (P-56), the others merged, applied and appended,
    /// with the origin and the timestamp as received (P-138). All of it, the progress and the locked version of each
    /// upload too, is durable before this returns (P-135). `historyGrew` is called for the other sessions of the realm.
    mutating func integrate(_ uploads: [ClientMessage.Upload], file: Int64) throws(SessionFailure)

    /// Puts a query in force for a file; the bootstrap comes with the next batches (F-29). Returns why it is refused.
    mutating func query(_ query: ClientMessage.Query, file: Int64) throws(SessionFailure) -> String?

    /// The history after a position, without entries of the file itself and without empty ones (P-66).
    ///
    /// Entries carry the last version of the file that was integrated before them, and the merge has been applied to
    /// them as far as that version. `DownloadBatch.upload` never runs ahead of what the client has (section 20, 5).
    mutating func batch(
        after position: DownloadCursor, file: Int64, byteLimit: Int
    ) throws(SessionFailure) -> DownloadBatch
}

extension ServerHistory {
    /// Does the work of a request on the spot.
    package mutating func answer(_ work: ServerRequest.Work) -> ServerAnswer {
        do throws(SessionFailure) {
            switch work {
            case .open(_, let flexible, let needsIdent):
                return .opened(try open(flexible, needsIdent: needsIdent))
            case .lookUp(let ident):
                let found = try record(of: ident)
                return .file(found.record, notices: found.notices)
            case .integrate(let file, let uploads):
                try integrate(uploads, file: file)
                return .integrated
            case .query(let file, let query): return .query(refusal: try self.query(query, file: file))
            case .fetch(let file, let position, let byteLimit):
                return .batch(try batch(after: position, file: file, byteLimit: byteLimit))
            }
        } catch {
            return .failed(error)
        }
    }
}
