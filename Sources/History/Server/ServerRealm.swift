import Merge
import Model
import Store
import Sync

/// The history of one server realm, and its state, in a realm file: all that a partition's clients have written, merged
/// into one order.
///
/// Not for several threads at a time: whoever owns it calls it on the thread that writes.
package final class ServerRealm {
    let file: RealmFile
    let options: HistoryOptions
    /// Drawn once per opening: a history that was restored from a backup goes on with another (P-137).
    let versionSalt: UInt64
    private(set) var state: ServerState
    /// Whether changes wait for `makeDurable`, so that one sync covers several; nothing may be answered before.
    package var groupsSyncs = false
    private var committed: UInt64?
    /// For peers that have uploaded lately: the history as merges with them have it.
    var mergers: [MergerCache] = []

    /// Opens the realm file at `path`, making it if there is none.
    package init(path: String, file: RealmFileOptions = RealmFileOptions(), options: HistoryOptions = HistoryOptions())
        throws
    {
        var file = file
        file.keepsAsymmetricObjects = true
        self.file = try RealmFile(path: path, options: file)
        self.options = options
        versionSalt = UInt64(bitPattern: options.salt())
        state = try ServerState(self.file.snapshot()) ?? ServerState()
    }

    /// The newest version of the history; 0 if it is empty.
    package var version: Int64 { Int64(state.version) }

    /// The realm's data as of now.
    package func snapshot() throws -> Snapshot { try file.snapshot() }

    package func close() throws { try file.close() }

    // MARK: Files

    /// Gives a new client file its ident, durably (P-135).
    package func allocateIdent(user: String) throws -> FileIdent {
        let ident = FileIdent(number: Int64(state.nextIdent), salt: options.salt())
        var next = state
        next.nextIdent += 1
        try change(to: next) { transaction in
            let file = ServerFile(salt: ident.salt, user: user, lastSeen: options.now())
            try transaction.putSync(HistoryKey.file(UInt64(ident.number)), file.encoded)
        }
        return ident
    }

    /// What IDENT is held against; nil for a file that was never here. A file that comes back in time was heard of now.
    package func record(of ident: ClientMessage.Ident, user: String) throws -> FileRecord? {
        let snapshot = try file.snapshot()
        guard ident.file.number > 0, var found = try storedFile(ident.file.number, snapshot) else { return nil }
        let latest = UInt64(max(0, ident.latest.version))
        let latestSalt: UInt64? = latest == 0 ? 0 : try entry(latest, snapshot)?.salt
        var record = FileRecord(
            salt: found.salt,
            current: SaltedVersion(version: version, salt: Int64(state.versionSalt)), uploaded: found.upload.client,
            latestSalt: latestSalt.map { Int64($0) })
        let now = options.now()
        record.isOrdinary = found.isOrdinary
        record.isOwnedByUser = found.user == user
        record.isExpired = now > found.lastSeen && now - found.lastSeen > options.maximumOfflineTime
        // A place between the entries that a compaction has made is one only for who has downloaded those before it.
        record.baseVersion = Int64(found.isNew ? max(state.baseVersion, state.compactedThrough) : state.baseVersion)
        let isTrimmed = ident.download.server > 0 && ident.download.server < record.baseVersion
        if found.salt == ident.file.salt, !record.isExpired, record.isOwnedByUser {
            found.lastSeen = now
            if !isTrimmed { found.isNew = false }
            try change(to: state) { try $0.putSync(HistoryKey.file(UInt64(ident.file.number)), found.encoded) }
        }
        return record
    }

    func storedFile(_ number: Int64, _ snapshot: Snapshot) throws -> ServerFile? {
        try snapshot.syncRecord(HistoryKey.file(UInt64(number))).map { try ServerFile($0) }
    }

    func entry(_ version: UInt64, _ snapshot: Snapshot) throws -> EntryRecord? {
        try snapshot.syncRecord(HistoryKey.entry(version)).map { try EntryRecord($0) }
    }

    // MARK: Changing

    /// Runs one transaction that leaves a new state, durable when this returns. `body` seals what are versions of their
    /// own; the state is part of the first of them.
    /// `isDurable`: false if a later change will make it durable, or `finishChanges`.
    func change(
        to next: ServerState, isDurable: Bool = true, _ body: (WriteTransaction) throws -> Void
    ) throws {
        let transaction = try file.beginWrite()
        transaction.keepsChangeset = true
        do {
            try transaction.putSync(HistoryKey.state, next.encoded)
            try body(transaction)
            committed = try transaction.commit(uid: nil)
        } catch {
            transaction.rollback()
            throw error
        }
        state = next
        if isDurable { try finishChanges() }
    }

    /// Makes durable what was changed, unless that is done for several requests together.
    func finishChanges() throws {
        if !groupsSyncs { try makeDurable() }
    }

    /// Makes everything durable that was changed. If it throws, nobody knows what is: the realm is to be opened anew.
    package func makeDurable() throws {
        guard let version = committed else { return }
        try file.makeDurable(through: version)
        committed = nil
        if file.isCheckpointDue { try file.checkpoint() }
    }
}
