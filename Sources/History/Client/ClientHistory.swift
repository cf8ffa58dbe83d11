import Merge
import Model
import Store
import Sync

/// The history of a synced client file: what was written here and isn't on the server yet, and how far both have come.
///
/// Lies in the realm file beside the data, so that one transaction changes both. Not for several threads at a time:
/// whoever writes the realm owns it.
package final class ClientHistory {
    let file: RealmFile
    let options: HistoryOptions
    private(set) var state: ClientState
    /// The sets of subscriptions; nil if the realm is synced by partition.
    package private(set) var subscriptions: ClientSubscriptions?
    /// How far its app's migration to flexible sync is; nil if there was none.
    package private(set) var migration: FlexibleMigration?
    /// What was written here, as merges with the server have it; nil until one comes.
    var merger: (history: MergeHistory, through: UInt64)?
    /// Nil until it is asked for, and after the entries were rewritten.
    var unsentSizes: UnsentSizes?
    /// For those who ask what has become of an object.
    var recent = RecentWrites()

    /// Reads what the file has of it; a file that was never synced begins with its next transaction.
    package init(_ file: RealmFile, options: HistoryOptions = HistoryOptions(), isFlexible: Bool = false) throws {
        self.file = file
        self.options = options
        state = try ClientState(file.snapshot()) ?? ClientState()
        migration = try FlexibleMigration(file.snapshot())
        let hasSubscriptions = isFlexible || migration?.isFlexible == true
        subscriptions = hasSubscriptions ? try ClientSubscriptions(file, options: options) : nil
        try disconnected()
    }

    /// What a session begins with.
    package var clientFile: ClientFile {
        var result = ClientFile(ident: state.ident, newestVersion: newestVersion)
        result.download = state.download
        result.latest = state.latest
        result.upload = state.upload
        return result
    }

    /// The version of the file, where the one of a new file counts as none (P-87).
    var newestVersion: Int64 { file.version == 1 ? 0 : Int64(file.version) }

    // MARK: Writing here

    /// Must be called before the first change of a transaction that the history is to know.
    package func begin(_ transaction: WriteTransaction) {
        transaction.keepsChangeset = true
    }

    /// Adds what was applied since the transaction began, or was sealed, to the history: to be called before it is
    /// sealed. What changed nothing need not be added (C-67).
    package func append(to transaction: WriteTransaction) throws {
        let record = EntryRecord(
            rank: Rank(originTimestamp: options.now(), originFileIdent: 0),
            remoteVersion: UInt64(state.download.server))
        try transaction.putSyncChangeset(HistoryKey.entry(transaction.nextVersion), head: record.head)
    }

    // MARK: The session's requests

    /// Does what a session asks of its file.
    package func answer(_ work: StoreRequest.Work) throws -> StoreAnswer {
        switch work {
        case .saveIdent(let ident):
            var next = state
            next.ident = ident
            next.download.client = 0
            next.upload.client = 0
            try change(to: next) { _ in }
            return .stored(newestVersion: newestVersion)
        case .scan(let after, let end, let softBytes, let hardBytes):
            return try scan(after, end, softBytes, hardBytes)
        case .nextUploadable(let version):
            var found: Int64?
            try eachEntry(after: version) { number, record in
                if !record.changeset.isEmpty { found = number }
                return found == nil
            }
            return .uploadable(found)
        case .integrate(let download):
            if case .flexible(let version, let batch, _) = download.contents, batch != .steadyState {
                return try integrate(download, version: version, isLast: batch == .lastInBatch)
            }
            return try integrate(download)
        }
    }

    private func scan(
        _ after: UploadCursor, _ end: Int64, _ softBytes: Int, _ hardBytes: Int
    ) throws -> StoreAnswer {
        var entries: [UploadEntry] = []
        var bytes = 0
        var reached = after
        var isComplete = true
        try eachEntry(after: after.client) { version, record in
            guard version <= end else { return false }
            let cursor = UploadCursor(client: version, server: Int64(record.remoteVersion))
            if !record.changeset.isEmpty {
                if !entries.isEmpty, bytes >= softBytes || bytes + record.changeset.count > hardBytes {
                    isComplete = false
                    return false
                }
                bytes += record.changeset.count
                entries.append(
                    UploadEntry(
                        cursor: cursor, timestamp: Int64(record.rank.originTimestamp), changeset: record.changeset))
            }
            reached = cursor
            return true
        }
        // Beyond the last entry there are only versions that integrated what came from the server.
        if isComplete, end > reached.client {
            let isNewest = end >= newestVersion
            reached = UploadCursor(client: end, server: isNewest ? state.download.server : reached.server)
        }
        return .scanned(entries, reached: reached)
    }

    func eachEntry(after version: Int64, _ body: (Int64, EntryRecord) throws -> Bool) throws {
        let snapshot = try file.snapshot()
        try snapshot.eachSyncRecord(
            from: HistoryKey.entry(UInt64(version) + 1), to: HistoryKey.entry(.max)
        ) { key, value in
            try body(Int64(HistoryKey.number(key)), try EntryRecord(value))
        }
    }

    // MARK: Integrating

    private func integrate(_ download: ServerMessage.Download) throws -> StoreAnswer {
        try catchingBadChangesets {
            let changesets = try download.entries.map { try RemoteChangeset($0) }
            var history = try pending()
            let merged = try history.merge(changesets, from: ClientHistory.server)
            try change(to: state.advanced(by: download)) { transaction in
                for form in try merged.forms() { try transaction.put(form, of: ClientHistory.server) }
                try forget(through: UInt64(download.progress.client), transaction)
                for (place, changeset) in merged.changesets.enumerated() {
                    if place > 0 { try transaction.seal(uid: nil) }
                    let bytes = try Changeset.encode(changeset.instructions)
                    try bytes.withUnsafeBytes { try transaction.apply($0) }
                }
            }
            history.adopt(merged)
            history.trim(through: UInt64(download.progress.client))
            merger = (history, file.version)
            for (entry, changeset) in zip(download.entries, changesets) {
                recent.append(changeset.rank, entry.changeset)
            }
            return .stored(newestVersion: newestVersion)
        }
    }

    /// Says what the server is told if a changeset can't be integrated (P-61).
    func catchingBadChangesets(_ body: () throws -> StoreAnswer) throws -> StoreAnswer {
        do {
            return try body()
        } catch let error as ChangesetError {
            return .failed(.badChangeset, "\(error)")
        } catch let error as MergeError {
            return .failed(.badChangeset, "\(error)")
        } catch let error as StoreError where error.code == .badChangeset {
            return .failed(.badChangeset, "\(error)")
        }
    }

    /// The server's file ident (C-156).
    static let server: UInt64 = 1

    /// What was written here and the server hadn't when it sent what comes now.
    func pending() throws -> MergeHistory {
        let known = merger ?? (MergeHistory(), UInt64(max(0, state.download.client)))
        var history = known.history
        let isFresh = merger == nil
        let snapshot = try file.snapshot()
        try eachEntry(after: Int64(known.through)) { version, record in
            guard !record.changeset.isEmpty else { return true }
            let rank = Rank(
                originTimestamp: record.rank.originTimestamp, originFileIdent: UInt64(state.ident?.number ?? 0))
            try history.append(
                HistoryEntry(
                    version: UInt64(version), rank: rank, instructions: try Changeset.decode(record.changeset)))
            if isFresh, let form = snapshot.syncRecord(HistoryKey.form(ClientHistory.server, UInt64(version))) {
                try history.restore(
                    ReciprocalForm(version: UInt64(version), decoding: form), of: ClientHistory.server)
            }
            return true
        }
        return history
    }

    /// Entries that the server had before it sent what was integrated: nothing that is still to come can be concurrent
    /// with them (M-24).
    func forget(through version: UInt64, _ transaction: WriteTransaction) throws {
        try noteSent(through: version)
        try transaction.removeSync(from: HistoryKey.entry(0), to: HistoryKey.entry(version + 1))
        try transaction.removeSync(
            from: HistoryKey.form(ClientHistory.server, 0), to: HistoryKey.form(ClientHistory.server, version + 1))
    }

    func change(to next: ClientState, _ body: (WriteTransaction) throws -> Void) throws {
        try write { transaction in
            try transaction.putSync(HistoryKey.state, next.encoded)
            try body(transaction)
        }
        state = next
    }

    /// Runs one transaction, which is durable when this returns.
    func write(_ body: (WriteTransaction) throws -> Void) throws {
        let transaction = try file.beginWrite()
        do {
            try body(transaction)
            try subscriptions?.write(to: transaction)
            let version = try transaction.commit(uid: nil)
            try file.makeDurable(through: version)
        } catch {
            transaction.rollback()
            subscriptions?.didRollBack()
            throw error
        }
        subscriptions?.didCommit()
    }

    func adopt(_ migration: FlexibleMigration?) { self.migration = migration }

    /// Begins to have subscriptions, with a set that is in force: part of a transaction of `write`.
    func importSubscriptions(_ set: SubscriptionSet, _ transaction: WriteTransaction) throws {
        subscriptions = ClientSubscriptions(file, options: options, importing: set)
    }

    /// The file has no subscriptions any more, or not yet.
    func forgetSubscriptions() { subscriptions = nil }

    /// Goes on from what a client reset has put into the file.
    func adopt(_ next: ClientState) {
        state = next
        merger = nil
        unsentSizes = nil
    }
}
