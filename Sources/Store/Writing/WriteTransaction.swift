import CLMDB
import Foundation
import Model

/// The open write transaction of a realm: changesets are applied to it, and it ends by `commit` or `rollback`, on the
/// thread that began it.
///
/// It may take the transactions of several clients: `seal` ends one of them, and `commit` makes all visible at once.
/// After a method threw, nothing of the whole can be committed any more.
package final class WriteTransaction {
    let file: RealmFile
    let environment: Environment
    let store: UnsafeRecordStore
    /// The version that it builds on.
    package let baseVersion: UInt64
    /// The classes as this transaction sees them.
    package internal(set) var schema: StoredSchema
    /// While recovering: nothing is journaled.
    let isReplay: Bool

    /// Whether the schema was changed and not yet written.
    var schemaIsDirty = false
    var writers: [TableId: TableWriter] = [:]
    var lists: [CollectionAddress: ListBuffer] = [:]
    var recentList: ListBuffer?
    /// The number of the next collection inside a Mixed, once one was made.
    var nextNestedId: UInt64?
    var backlinks = BacklinkChanges()
    /// How many things that go hold on to the one that is going.
    var removalDepth = 0
    let scratch = UnsafeKeyScratch()
    let linkScratch = UnsafeKeyScratch()
    var stream = InstructionStream()
    /// Whether creating an object that exists is an error.
    var mustCreate = false
    /// Throws if no object of a class may be created; asked before the first of a stream. What it throws is what `apply`
    /// throws.
    package var checkCreation: ((StoredTable) throws -> Void)?

    /// Versions sealed so far.
    private var sealed: [JournalRecord] = []
    private var isJournalable = true
    /// The changeset of the part under way, as far as it is kept.
    private var changes: [UInt8] = []
    /// Whether the changeset of each part is kept whole, for `putSyncChangeset`.
    package var keepsChangeset = false
    /// What the part under way did to the `sync` database.
    var syncOperations: [SyncOperation] = []
    private var schemaChanged = false
    private var appliedBytes = 0
    private var pendingBytes = 0
    private var isFailed = false
    private var isEnded = false

    /// Changes of so many bytes are written from memory into LMDB's transaction.
    private static let flushBytes = 64 << 20

    init(_ file: RealmFile, isReplay: Bool) throws {
        self.file = file
        self.isReplay = isReplay
        environment = try file.environment()
        try environment.checkIntact()
        try file.checkLength(environment)
        var pointer: OpaquePointer?
        let code = mdb_txn_begin(environment.pointer, nil, 0, &pointer)
        guard code == 0, let pointer else { throw StoreError(lmdb: code, "beginning to write", path: file.path) }
        store = UnsafeRecordStore(pointer, environment.databases, path: file.path)
        do {
            let snapshot = try Snapshot(transaction: pointer, of: environment, ownsTransaction: false)
            baseVersion = snapshot.version
            schema = snapshot.schema
        } catch {
            mdb_txn_abort(pointer)
            throw error
        }
    }

    deinit {
        // Whoever forgets it leaves nothing behind.
        end()
    }

    /// The version that the part under way will make.
    package var nextVersion: UInt64 { baseVersion + UInt64(sealed.count) + 1 }

    // MARK: Changing

    /// Applies whole instructions, which continue those of earlier calls since the transaction began or was sealed.
    /// `mustCreate`: creating an object that exists is refused with `objectExists`.
    package func apply(_ bytes: UnsafeRawBufferPointer, mustCreate: Bool = false) throws {
        try running {
            self.mustCreate = mustCreate
            try applyInstructions(bytes)
            noteJournal(bytes)
            appliedBytes += bytes.count
            pendingBytes += bytes.count
            if pendingBytes > WriteTransaction.flushBytes { try flush() }
        }
    }

    /// Runs a change; if it throws, the transaction is good for nothing but rollback.
    func running<R>(_ body: () throws -> R) throws -> R {
        guard !isEnded else { throw StoreError(.inputOutput, "the write transaction has ended", path: file.path) }
        guard !isFailed else {
            throw StoreError(.badChangeset, "the write transaction failed before and can only be rolled back")
        }
        do {
            return try body()
        } catch {
            isFailed = true
            throw error
        }
    }

    private func noteJournal(_ bytes: UnsafeRawBufferPointer) {
        let isJournaled = isJournalable && !isReplay && file.durability != nil
        guard isJournaled || keepsChangeset else { return }
        if changes.count + bytes.count > file.options.largestJournaledChange { skipJournal() }
        if isJournalable || keepsChangeset { changes.append(contentsOf: bytes) }
    }

    /// What happens can't be journaled: a checkpoint must make it durable.
    func skipJournal() {
        isJournalable = false
        if !keepsChangeset { changes = [] }
    }

    /// Notes that classes or properties were changed.
    func noteSchemaChange() {
        schemaIsDirty = true
        schemaChanged = true
    }

    /// Writes everything and gives the writers up, since their tables are about to change.
    func dropWriters() throws {
        try flush()
        for (id, writer) in writers where !writer.changes.isEmpty {
            droppedChanges[id, default: TableChanges()].merge(writer.changes)
        }
        writers = [:]
        stream.forgetClasses()
    }

    /// The writer of a table, made on first use.
    func writer(_ table: StoredTable) throws -> TableWriter {
        if let writer = writers[table.id] { return writer }
        let writer = try TableWriter(table, schema, store)
        writers[table.id] = writer
        return writer
    }

    // MARK: Reading

    /// The state with all changes so far. Valid until the next change, and not beyond the transaction.
    package func reader() throws -> Snapshot {
        try running {
            try flush()
            return try Snapshot(transaction: store.transaction, of: environment, ownsTransaction: false)
        }
    }

    /// Writes what is in memory into LMDB's transaction.
    func flush() throws {
        for list in lists.values { try list.flush(store) }
        lists.removeAll(keepingCapacity: true)
        recentList = nil
        for writer in writers.values { try writer.flush(version: nextVersion) }
        try backlinks.flush(store)
        if let nextNestedId {
            try store.put(environment.databases.meta, .meta(MetaKey.nextNested), number: nextNestedId)
        }
        if schemaIsDirty {
            try raiseFormat()
            try store.put(environment.databases.meta, .meta(MetaKey.schema), schema.encoded())
            schemaIsDirty = false
        }
        try store.put(environment.databases.meta, .meta(MetaKey.version), number: nextVersion)
        pendingBytes = 0
    }

    /// Notes the format that the schema needs, if it is newer than the file's.
    private func raiseFormat() throws {
        let needed = schema.neededFormat
        let meta = environment.databases.meta
        guard let bytes = store.get(meta, .meta(MetaKey.format)), bytes.count == 4,
            UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)) < needed
        else { return }
        try withUnsafeBytes(of: needed.littleEndian) { try store.put(meta, .meta(MetaKey.format), $0) }
        try file.raiseFormat(to: needed)
    }

    // MARK: Ending

    /// Ends one client's transaction within this one: what was changed since the last seal makes one version. The next
    /// `apply` begins a new instruction stream.
    /// - Returns: that version.
    @discardableResult
    package func seal(uid: TransactionUID?) throws -> UInt64 {
        try running {
            if !file.options.keepsAsymmetricObjects { try dropAsymmetricObjects() }
            let version = nextVersion
            var summary = ChangeSummary()
            summary.schemaChanged = schemaChanged
            summary.tables = droppedChanges
            droppedChanges = [:]
            for (id, writer) in writers {
                if !writer.changes.isEmpty { summary.tables[id, default: TableChanges()].merge(writer.changes) }
                writer.beginPart()
            }
            try store.put(
                environment.databases.changes, .changes(version), ChangeRecord.encoded(summary, uid: uid))
            for case .putChangeset(let key, let head) in syncOperations {
                try carryOut(.putChangeset(key: key, head: head), changeset: changes)
            }
            var sync = ByteWriter()
            for operation in syncOperations { operation.encode(to: &sync) }
            if sync.bytes.count > file.options.largestJournaledChange { skipJournal() }
            sealed.append(
                JournalRecord(
                    version: version, uid: uid, bytes: isJournalable ? changes : [],
                    sync: isJournalable ? sync.bytes : []))
            changes = []
            syncOperations = []
            schemaChanged = false
            stream = InstructionStream()
            return version
        }
    }

    /// Changes of tables whose writer was given up when the schema changed.
    var droppedChanges: [TableId: TableChanges] = [:]

    /// Seals what wasn't, and makes everything visible. Durable only after `RealmFile.makeDurable`.
    /// - Returns: the new version.
    @discardableResult
    package func commit(uid: TransactionUID?) throws -> UInt64 {
        try seal(uid: uid)
        return try commitSealed()
    }

    /// Makes everything visible that was sealed; what was changed since is an error.
    @discardableResult
    package func commitSealed() throws -> UInt64 {
        try running {
            let version = nextVersion - 1
            guard version > baseVersion else {
                end()
                return version
            }
            try flushSealed(version)
            try trimChanges(version)
            store.closeCursors()
            try environment.checkIntact()
            let records = isJournalable && !isReplay ? sealed : []
            let written = 40 << 10 + appliedBytes * 2
            let commit = { [self] in
                isEnded = true
                let code = mdb_txn_commit(store.transaction)
                guard code == 0 else {
                    throw StoreError(
                        lmdb: code, "committing", path: file.path, writingTo: environment.descriptor)
                }
                // Committed in any case; what fails here is done by the next commit.
                try? file.noteLength(environment)
            }
            defer { file.gateLeft(by: self) }
            do {
                if let durability = file.durability {
                    try durability.committing(version, records: records, written: written, commit)
                } else {
                    try commit()
                }
            } catch {
                if !isEnded {
                    mdb_txn_abort(store.transaction)
                    isEnded = true
                }
                throw error
            }
            file.state.withLock { $0.version = version }
            return version
        }
    }

    /// Undoes everything.
    package func rollback() {
        end()
    }

    private func flushSealed(_ version: UInt64) throws {
        try flush()
        try store.put(environment.databases.meta, .meta(MetaKey.version), number: version)
    }

    private func end() {
        guard !isEnded else { return }
        isEnded = true
        store.closeCursors()
        mdb_txn_abort(store.transaction)
        file.gateLeft(by: self)
    }

    // MARK: History

    /// Every so many versions old change summaries are dropped.
    private static let trimInterval: UInt64 = 64

    private func trimChanges(_ version: UInt64) throws {
        let interval = WriteTransaction.trimInterval
        guard version / interval != baseVersion / interval else { return }
        let limit = UInt64(file.options.changeHistoryLimit)
        if version > limit { try forgetChanges(through: version - limit) }
        var statistics = MDB_stat()
        mdb_stat(store.transaction, environment.databases.changes, &statistics)
        guard statistics.ms_leaf_pages + statistics.ms_overflow_pages > file.options.changeHistoryPages else { return }
        let wanted = file.state.withLock { $0.changesWantedAfter }
        try dropSummaries(through: min(wanted == 0 ? version : wanted, version - interval))
    }

    private func forgetChanges(through oldest: UInt64) throws {
        let cursor = try store.cursor(environment.databases.changes)
        while try cursor.first(), cursor.key.count == 8,
            UInt64(bigEndian: cursor.key.loadUnaligned(as: UInt64.self)) <= oldest
        {
            try cursor.delete()
        }
    }

    /// Leaves only the uids: who lost its connection may ask for one long after the last reader of the changes has gone.
    private func dropSummaries(through newest: UInt64) throws {
        let cursor = try store.cursor(environment.databases.changes)
        var stubs: [(version: UInt64, record: [UInt8])] = []
        var isThere = try cursor.seek(before: .changes(newest + 1))
        while isThere, cursor.key.count == 8, !ChangeRecord.isStub(cursor.value) {
            let version = UInt64(bigEndian: cursor.key.loadUnaligned(as: UInt64.self))
            stubs.append((version, ChangeRecord.stub(of: cursor.value)))
            isThere = try cursor.previous()
        }
        for stub in stubs { try store.put(environment.databases.changes, .changes(stub.version), stub.record) }
    }
}
