import CLMDB
import CPlatform
import Foundation

/// A realm file opened for writing. The process that holds it is the file's only writer; others may read it meanwhile,
/// as long as each of their snapshots is covered by one of `snapshot()`.
///
/// Opening recovers what a killed process or a power failure left. Snapshots may be taken on any thread, one write
/// transaction may be open at a time, and `makeDurable` may run beside it.
package final class RealmFile: @unchecked Sendable {
    package let path: String
    package let options: RealmFileOptions
    /// Whether opening made the file.
    package let wasCreated: Bool
    /// Whether this process may read the file but not write it: its mode, or the file system, says so.
    package let isReadOnly: Bool
    let lock: FileLock
    /// Nil for realms in memory, and those that may not be written.
    let durability: Durability?
    let gate = WriterGate()
    let state: Lock<State>

    struct State {
        /// Nil once closed.
        var environment: Environment?
        var stamp: FileStamp
        var version: UInt64
        /// Pages may be in use by readers that nobody pinned: before the first write the realm moves to a new file.
        var mustMove: Bool
        /// Oldest version that change summaries are wanted from.
        var changesWantedAfter: UInt64 = 0
        /// Length that the file is known to have.
        var length = 0
        /// When the file was modified before it was opened; nil if it was made by this opening.
        var modified: timespec?
    }

    /// Opens or creates the realm at `path`. A file without any bytes is made a realm too, but only with `create`.
    ///
    /// Throws `fileNotFound`, `notARealm`, `newerFormat`, `corrupt`, `permissionDenied`, `isADirectory`, and `locked`
    /// when another process has it open for writing.
    package init(path: String, options: RealmFileOptions = RealmFileOptions()) throws {
        self.path = path
        self.options = options
        if !options.inMemory { try RealmFile.checkFile(path, options) }
        lock = try RealmFile.lockName(of: path)
        let opening: Opening
        do {
            opening = try RealmFile.open(path, options, lock)
        } catch {
            // Nothing stays beside what isn't a realm.
            lock.remove(CompanionFiles.lock(of: path))
            throw error
        }
        wasCreated = opening.wasCreated
        isReadOnly = opening.isReadOnly
        state = Lock(
            State(
                environment: opening.environment, stamp: opening.stamp, version: opening.version,
                mustMove: opening.mustMove, length: FileSystem.size(opening.environment.descriptor),
                modified: opening.modified))
        guard !options.inMemory, !isReadOnly else {
            durability = nil
            return
        }
        durability = Durability(
            path: path, options: options, stamp: opening.stamp, version: opening.version,
            epoch: opening.header?.epoch ?? 0, sequence: opening.header?.sequence ?? 0)
        switch opening.recovery {
        case .none: break
        // Those who wrote them may have been told nothing yet; from here on they count as durable.
        case .sync: try durability?.prepare(try environment())
        case .replay(let records): try replay(records)
        }
    }

    /// Newest committed version.
    package var version: UInt64 { state.withLock { $0.version } }

    /// Counts the files that have taken each other's place under this path.
    package var generation: UInt64 { state.withLock { $0.stamp.generation } }

    /// What names the realm, whatever its file is called: new for each that is made, copies included.
    package var realmIdentity: UUID { state.withLock { $0.stamp.identity } }

    /// The file of the current generation, whatever its name; nil once closed.
    package var identity: FileIdentity? {
        (try? environment())?.identity
    }

    /// Whether the path still leads to this file: nobody has deleted or replaced it. To be asked on the thread that
    /// writes or while it is idle, since compaction puts another file there.
    package var isInPlace: Bool {
        identity.map { $0 == FileIdentity(path: path) } ?? false
    }

    /// Gives up the names of the files beside the realm, when the path leads to another file by now, so that that one
    /// can be opened. What is open stays readable.
    package func leavePath() {
        unlink(CompanionFiles.readerTable(of: path))
        durability?.removeJournal()
        lock.remove(CompanionFiles.lock(of: path))
    }

    /// Calls `body`, on any thread, when the realm was closed and its last snapshot is gone: from then on it can be
    /// opened again. Must be called before `close`.
    package func whenReleased(_ body: @escaping @Sendable () -> Void) {
        lock.whenReleased(body)
    }

    /// Length of the file as far as this process has made it grow; 0 before it has.
    package var notedLength: Int { state.withLock { $0.length } }

    /// The newest committed version, readable while it is held.
    package func snapshot() throws -> Snapshot {
        try Snapshot(try environment())
    }

    /// Snapshots of the current generation that are held. LMDB has room for 4,096 of them.
    package var snapshotCount: Int { (try? environment().readCount.load(ordering: .relaxed)) ?? 0 }

    /// A descriptor of the current generation, opened for reading only: to be passed to a reader.
    package func duplicateReadOnlyDescriptor() throws -> Int32 {
        try FileSystem.openFile("/proc/self/fd/\(try environment().descriptor)", O_RDONLY)
    }

    /// Begins the write transaction; waits while another one is open. It must be ended on the thread that began it.
    package func beginWrite() throws -> WriteTransaction {
        try checkWritable()
        gate.enter()
        do {
            let mapSize = try environment().mapSize
            // A file for which there may soon be no room in memory is mapped anew, as another one.
            let isOutgrown = mapSize < FileFormat.largestFile && notedLength > mapSize / 2
            if isOutgrown || state.withLock({ $0.mustMove }) { try moveToNewGeneration() }
            try durability?.prepare(try environment())
            return try WriteTransaction(self, isReplay: false)
        } catch {
            gate.leave()
            throw error
        }
    }

    func checkWritable() throws {
        guard !isReadOnly else {
            throw StoreError(.permissionDenied, "the file may be read, but not written", path: path)
        }
    }

    /// Returns when all versions up to `version` survive a power failure. At once for realms in memory.
    package func makeDurable(through version: UInt64) throws {
        try durability?.makeDurable(through: version) { [self] in try environment() }
    }

    /// Whether `checkpoint()` would pay now. Cheap; ask after acknowledging commits and when idle.
    package var isCheckpointDue: Bool { durability?.isCheckpointDue ?? false }

    /// Brings everything committed into the data file itself, so that journal and pinned pages can be reused. May run
    /// beside a write transaction; it takes as long as the disk does.
    package func checkpoint() throws {
        try durability?.checkpoint { [self] in try environment() }
    }

    /// Change summaries after this version are wanted (by a pinned snapshot); older ones may be dropped early.
    package func keepChanges(after version: UInt64) {
        state.withLock { $0.changesWantedAfter = version }
    }

    /// The version that the transaction with this uid made; nil when there was none among those remembered.
    package func outcome(of uid: TransactionUID) throws -> UInt64? {
        let environment = try environment()
        let transaction = ReadTransaction(
            pointer: try environment.beginRead(), environment: environment, ownsTransaction: true)
        return try transaction.withCursor(environment.databases.changes) { cursor in
            var found = cursor.last()
            while found {
                if ChangeRecord.uid(of: cursor.value) == uid, cursor.key.count == 8 {
                    return UInt64(bigEndian: cursor.key.loadUnaligned(as: UInt64.self))
                }
                found = cursor.previous()
            }
            return nil
        }
    }

    /// Whether the uids of all transactions after `version` are remembered, so that one that isn't found never was.
    /// False for a version that the file hasn't come to: then another file was meant.
    package func remembersTransactions(after version: UInt64) throws -> Bool {
        let snapshot = try snapshot()
        guard version < snapshot.version else { return version == snapshot.version }
        // They are dropped oldest first.
        return snapshot.transaction.get(snapshot.transaction.environment.databases.changes, .changes(version + 1))
            != nil
    }

    /// Ends writing: takes a last checkpoint and gives up the lock once no snapshot is held any more. Realms in memory
    /// are removed.
    package func close() throws {
        gate.enter()
        defer { gate.leave() }
        guard let environment = state.withLock({ $0.environment }) else { return }
        defer { state.withLock { $0.environment = nil } }
        // Another file at the path has companions of its own by now.
        let isInPlace = self.isInPlace
        if isReadOnly { return }
        if isInPlace { unlink(CompanionFiles.readerTable(of: path)) }
        if options.inMemory {
            if isInPlace { unlink(path) }
        } else {
            let isUnchanged = durability?.isPrepared == false
            try durability?.close(environment)
            guard environment.encrypted == nil else { return }
            SoundnessMark.set(environment.descriptor, modified: isUnchanged ? state.withLock { $0.modified } : nil)
        }
    }

    func environment() throws -> Environment {
        guard let environment = state.withLock({ $0.environment }) else {
            throw StoreError(.inputOutput, "the realm was closed", path: path)
        }
        return environment
    }

    /// Applies what the journal holds beyond the checkpoint.
    private func replay(_ records: [JournalRecord]) throws {
        // Keeps the checkpoint's pages from being overwritten, should the power fail again.
        let checkpoint = try snapshot()
        defer { withExtendedLifetime(checkpoint) {} }
        for record in records {
            let version = state.withLock { $0.version }
            guard record.version > version else { continue }
            guard record.version == version + 1 else { break }
            gate.enter()
            let transaction: WriteTransaction
            do { transaction = try WriteTransaction(self, isReplay: true) } catch {
                gate.leave()
                throw error
            }
            do {
                try transaction.replay(record)
                try transaction.commit(uid: record.uid)
            } catch {
                transaction.rollback()
                throw StoreError(
                    .corrupt, "version \(record.version) of the journal can't be applied: \(error)", path: path)
            }
        }
        // From here on the journal isn't needed any more; until the checkpoint is done it can be replayed again.
        try durability?.prepare(try environment())
    }
}
