import Sync

/// A server realm as one user's sessions see it.
package struct ServerRealmAccess: ServerHistory {
    package let realm: ServerRealm
    package let user: String
    /// What the permissions of the partition refuse (P-48); nil if the user may write.
    package var writeRefusal: SessionFailure?

    package init(_ realm: ServerRealm, user: String, writeRefusal: SessionFailure? = nil) {
        self.realm = realm
        self.user = user
        self.writeRefusal = writeRefusal
    }

    package mutating func open(_ flexible: FlexibleBind?, needsIdent: Bool) throws(SessionFailure) -> FileIdent? {
        guard needsIdent else { return nil }
        do { return try realm.allocateIdent(user: user) } catch { throw realm.failure(error) }
    }

    package mutating func record(
        of ident: ClientMessage.Ident
    ) throws(SessionFailure) -> (record: FileRecord?, notices: [SessionFailure]) {
        do { return (try realm.record(of: ident, user: user), []) } catch { throw realm.failure(error) }
    }

    package mutating func integrate(_ uploads: [ClientMessage.Upload], file: Int64) throws(SessionFailure) {
        if let writeRefusal, uploads.contains(where: { !$0.entries.isEmpty }) { throw writeRefusal }
        try realm.integrate(uploads, file: file)
    }

    package mutating func query(_ query: ClientMessage.Query, file: Int64) throws(SessionFailure) -> String? {
        "this realm is synced by partition"
    }

    package mutating func batch(
        after position: DownloadCursor, file: Int64, byteLimit: Int
    ) throws(SessionFailure) -> DownloadBatch {
        try realm.batch(after: position, file: file, byteLimit: byteLimit)
    }
}
