import Model
import Query
import Store
import Sync

/// A session of flexible sync on a server: what its client is sent next.
///
/// Lives as long as the session, with the realm's owner, and is called on the thread that writes the realm.
package final class FlexibleSession: ServerHistory {
    private let realm: FlexibleRealm
    private let user: PermissionUser
    /// Of the protocol (F-38, F-39).
    private let protocolVersion: Int
    /// Of a file that was migrated (F-98).
    private var partition: PartitionValue?
    /// Once IDENT was accepted.
    private var view: FlexibleView?
    /// Number of the last entry of the file's history that was sent.
    private var sent: UInt64 = 0
    /// The query version of IDENT: the client doesn't know of any before it.
    private var identQuery: Int64 = 0
    /// Entries up to this one were made for queries that the client doesn't know: they go with IDENT's version (F-34).
    private var foreignThrough: UInt64 = 0
    /// Undos up to this version have been told in this session.
    private var told: UInt64 = 0
    /// Bytes of the bootstrap under way that were sent (F-36).
    private var sentOfBootstrap = 0
    /// How the session ends once the client has been sent what it has.
    private var ending: SessionFailure?

    package init(_ realm: FlexibleRealm, user: PermissionUser, protocolVersion: Int = SyncProtocol.versions.upperBound)
    {
        self.realm = realm
        self.user = user
        self.protocolVersion = protocolVersion
    }

    /// The client file of the session, once known.
    package var file: Int64? { view?.file }

    /// The session is over.
    package func close() {
        if let view { realm.forget(view) }
        view = nil
    }

    // MARK: Beginning

    package func open(_ flexible: FlexibleBind?, needsIdent: Bool) throws(SessionFailure) -> FileIdent? {
        if let text = flexible?.migratedPartition, realm.configuration.partitionField != nil {
            guard let partition = PartitionValue(text: text) else {
                throw SessionFailure(.illegalRealmPath, "Illegal partition value (BIND)")
            }
            self.partition = partition
        }
        guard needsIdent else { return nil }
        do { return try realm.base.allocateIdent(user: user.id) } catch { throw realm.base.failure(error) }
    }

    package func record(
        of ident: ClientMessage.Ident
    ) throws(SessionFailure) -> (record: FileRecord?, notices: [SessionFailure]) {
        do {
            guard var record = try realm.base.record(of: ident, user: user.id) else { return (nil, []) }
            guard let stored = try realm.storedView(ident.file.number) else {
                // A client with data that nothing is known of has to begin anew (F-6).
                guard ident.download.server == 0 else { return (nil, []) }
                return try begin(ident, record, ViewRecord())
            }
            record.baseVersion = max(record.baseVersion, Int64(stored.trimmed))
            return try begin(ident, record, stored)
        } catch let failure as SessionFailure {
            throw failure
        } catch {
            throw realm.base.failure(error)
        }
    }

    private func begin(
        _ ident: ClientMessage.Ident, _ record: FileRecord, _ stored: ViewRecord
    ) throws -> (record: FileRecord?, notices: [SessionFailure]) {
        // Nothing is done for a client that will be turned away.
        guard IdentCheck.failure(of: ident, record: record) == nil else { return (record, []) }
        let view = FlexibleView(
            ident.file.number, user: user, partition: partition, record: stored, realm.configuration)
        try realm.load(view)
        let query = ident.query ?? ClientMessage.Query(version: 0, text: "{}")
        let schema = try realm.base.snapshot().schema.realmSchema
        let queries: [String: Condition]
        do throws(QueryRules.Refusal) {
            queries = try view.parse(query.text, schema: schema)
        } catch {
            // It was in force: only a client reset helps (F-8).
            throw SessionFailure(.badClientFileIdent, "The subscriptions aren't allowed any more: \(error.reason)")
        }
        let version = UInt64(max(0, ident.download.server))
        let held = version == 0 ? view.record.states.first : view.record.state(at: version)
        let latest = view.record.states.last
        let isSameText = held.map { $0.text.utf8.elementsEqual(query.text.utf8) } ?? false
        let isSameRole = latest.map { $0.roles == ViewRecord.roles(view.permissions) } ?? false
        // What was put into objects of a migrated file it has never been told (F-98); an application that knows the
        // property has to have it (F-99).
        let isNative = (latest?.wasMigrated ?? false) && partition == nil && protocolVersion >= 14
        let resent: Resent = latest == nil ? .nothing : isSameRole ? isNative ? .partition : .nothing : .everything
        if let latest, !isSameRole, protocolVersion < 14 {
            // The client can't be moved to another view by the server (F-39).
            try realm.adopt(view, latest, queryVersion: latest.queryVersion)
            throw SessionFailure(.serverPermissionsChanged, "The permissions have changed")
        }
        sent = try realm.number(through: version, view, realm.base.snapshot())
        identQuery = query.version
        // What was bootstrapped and not acknowledged is sent again, with the version that the client still waits for.
        let outstanding = (try? latest.map { try view.parse($0.text, schema: schema) }) ?? nil
        if isSameText, isSameRole, !isNative, let latest, let outstanding {
            view.adopt(outstanding)
            if held?.since == latest.since, latest.queryVersion != query.version {
                try realm.adopt(view, latest, queryVersion: query.version)
            }
            try realm.catchUp([view])
            try realm.track(view)
        } else if isSameText, let latest, let outstanding {
            view.adopt(outstanding)
            try realm.bootstrap(
                view, queryVersion: max(query.version, latest.queryVersion), text: latest.text, outstanding,
                resending: resent)
        } else {
            view.adopt(outstanding ?? queries)
            foreignThrough = view.record.last
            try realm.bootstrap(
                view, queryVersion: query.version, text: query.text, queries, resending: resent)
        }
        self.view = view
        var record = record
        record.current = SaltedVersion(version: realm.base.version, salt: Int64(realm.base.state.versionSalt))
        return (record, [])
    }

    // MARK: Changing

    package func integrate(_ uploads: [ClientMessage.Upload], file: Int64) throws(SessionFailure) {
        let view = try present()
        if let ending = try realm.integrate(uploads, of: view) { self.ending = ending }
    }

    package func query(_ query: ClientMessage.Query, file: Int64) throws(SessionFailure) -> String? {
        let view = try present()
        do {
            let schema = try realm.base.snapshot().schema.realmSchema
            let queries: [String: Condition]
            do throws(QueryRules.Refusal) {
                queries = try view.parse(query.text, schema: schema)
            } catch {
                return error.reason
            }
            // What was sent again already is asked for again by clients; those that have a later one don't know an earlier
            // one any more (F-6, F-34).
            if let latest = view.record.states.last, latest.queryVersion >= query.version,
                latest.queryVersion > query.version || latest.text.utf8.elementsEqual(query.text.utf8)
            {
                return nil
            }
            try realm.bootstrap(view, queryVersion: query.version, text: query.text, queries)
            return nil
        } catch {
            throw realm.base.failure(error)
        }
    }

    private func present() throws(SessionFailure) -> FlexibleView {
        guard let view, realm.views[view.file] === view else {
            // Another session speaks for the file now (P-51).
            throw SessionFailure(.sessionClosed, "The file is synced by another session")
        }
        return view
    }

    // MARK: Sending

    package func batch(
        after position: DownloadCursor, file: Int64, byteLimit: Int
    ) throws(SessionFailure) -> DownloadBatch {
        let view = try present()
        do {
            try realm.catchUpTracked(with: view)
            try realm.base.finishChanges()
            return try nextBatch(view, after: position, byteLimit)
        } catch let failure as SessionFailure {
            throw failure
        } catch {
            throw realm.base.failure(error)
        }
    }

    private func nextBatch(
        _ view: FlexibleView, after position: DownloadCursor, _ byteLimit: Int
    ) throws -> DownloadBatch {
        let snapshot = try realm.base.snapshot()
        guard let stored = try realm.base.storedFile(view.file, snapshot) else {
            throw SessionFailure(.badClientFileIdent, "Bad client file identifier")
        }
        let part = try OutgoingPart(view, after: sent, byteLimit, snapshot)
        sent = part.last
        sentOfBootstrap = part.kind == .bootstrap ? sentOfBootstrap + part.bytes : 0
        let isComplete = part.last == view.record.last
        var progress = position
        if part.kind == .steady, isComplete {
            progress = DownloadCursor(server: Int64(view.record.generated), client: view.record.client)
        } else if let last = part.entries.last {
            progress = last.cursor
        }
        var batch = DownloadBatch(
            progress: progress,
            latest: SaltedVersion(version: realm.base.version, salt: Int64(realm.base.state.versionSalt)),
            upload: stored.upload,
            contents: part.contents(
                part.last <= foreignThrough ? identQuery...identQuery : identQuery...Int64.max, view,
                sent: sentOfBootstrap), entries: part.entries,
            hasMore: !isComplete || part.kind != .steady)
        batch.isBootstrapOutstanding = part.isBootstrapOutstanding
        batch.notices = try notices(view, snapshot)
        if isComplete, part.kind == .steady, let ending {
            batch.ending = ending
            self.ending = nil
        }
        return batch
    }

    /// What was undone and not told in this session (F-58, F-59). The undo may go with a later batch than the word that the
    /// changes have been taken, which the client must not hear without knowing what became of them.
    private func notices(_ view: FlexibleView, _ snapshot: Snapshot) throws -> [SessionFailure] {
        let version = max(view.record.generated, told)
        guard version > told else { return [] }
        var notices: [SessionFailure] = []
        let file = UInt64(view.file)
        try snapshot.eachSyncRecord(
            from: HistoryKey.notice(file, told + 1), to: HistoryKey.notice(file, version + 1)
        ) { key, value in
            notices.append(try UndoNotice(value).failure(version: HistoryKey.number(key)))
            return true
        }
        told = version
        return notices
    }
}

/// Entries of a file's history that make one DOWNLOAD.
private struct OutgoingPart {
    var kind = OutgoingRecord.Kind.steady
    var entries: [DownloadEntry] = []
    /// The number of the last entry.
    var last: UInt64
    /// There are parts of a bootstrap behind these.
    var isBootstrapOutstanding = false
    private var queryVersion: Int64?
    private(set) var bytes = 0
    private var bytesLeft = 0

    init(_ view: FlexibleView, after sent: UInt64, _ byteLimit: Int, _ snapshot: Snapshot) throws {
        last = sent
        var isFull = false
        var lastVersion: UInt64 = 0
        let file = UInt64(view.file)
        try snapshot.eachSyncRecord(
            from: HistoryKey.outgoing(file, sent + 1), to: HistoryKey.outgoing(file, view.record.last + 1)
        ) { key, value in
            let record = try OutgoingRecord(value)
            if isFull {
                // Only what there is to say of the rest.
                isBootstrapOutstanding = isBootstrapOutstanding || record.kind != .steady
                if kind != .steady, record.kind != .steady { bytesLeft += record.changeset.count }
                return kind == .bootstrap ? record.kind == .bootstrap : !isBootstrapOutstanding
            }
            if !ends(with: record, lastVersion, byteLimit) {
                kind = record.kind
                queryVersion = record.queryVersion
                lastVersion = record.version
                last = HistoryKey.number(key)
                bytes += record.changeset.count
                entries.append(DownloadEntry(record))
                isFull = record.kind == .bootstrapEnd
                return true
            }
            isFull = true
            isBootstrapOutstanding = record.kind != .steady
            if kind != .steady { bytesLeft += record.changeset.count }
            return true
        }
    }

    /// Whether an entry has to wait for the next message: it is full, or it is of another kind. Entries of one version stay
    /// together (F-49).
    private func ends(with record: OutgoingRecord, _ lastVersion: UInt64, _ byteLimit: Int) -> Bool {
        guard !entries.isEmpty else { return false }
        if (record.kind == .steady) != (kind == .steady) { return true }
        if record.kind == .steady, record.version == lastVersion { return false }
        return bytes + record.changeset.count > byteLimit
    }

    /// `versions`: those that the client knows of.
    func contents(
        _ versions: ClosedRange<Int64>, _ view: FlexibleView, sent: Int
    ) -> ServerMessage.Contents {
        let own = queryVersion ?? view.record.states.last?.queryVersion ?? 0
        let version = min(max(own, versions.lowerBound), versions.upperBound)
        switch kind {
        case .steady: return .flexible(queryVersion: version, batch: .steadyState, estimate: 1)
        case .bootstrapEnd: return .flexible(queryVersion: version, batch: .lastInBatch, estimate: 1)
        case .bootstrap:
            let estimate = Double(sent) / Double(max(1, sent + bytesLeft))
            return .flexible(queryVersion: version, batch: .moreToCome, estimate: estimate)
        }
    }
}

extension DownloadEntry {
    fileprivate init(_ record: OutgoingRecord) {
        self.init(
            cursor: DownloadCursor(server: Int64(record.version), client: record.client),
            timestamp: Int64(record.timestamp), originFile: Int64(record.origin), changeset: record.changeset)
    }
}
