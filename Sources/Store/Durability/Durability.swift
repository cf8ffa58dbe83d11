import CLMDB
import Foundation

/// Makes commits durable: syncs the journal, takes checkpoints of the data file, knows how far both have come.
///
/// The writer calls `prepare` and `committing`; another thread may call `makeDurable` and `checkpoint` at
/// the same time.
final class Durability: @unchecked Sendable {
    /// What commits and checkpoints share.
    struct State {
        /// Newest committed version.
        var committed: UInt64
        /// Everything up to here survives a power failure.
        var durable: UInt64
        /// Newest version whose changes are in the journal.
        var journaled: UInt64
        /// Bytes in the journal's area of now, and its epoch.
        var journalUsed = 0
        var journalEpoch: UInt64 = 0
        /// Newest version whose changes are not in the journal: only a checkpoint makes it durable.
        var skipped: UInt64 = 0
        /// Version of the last checkpoint.
        var checkpoint: UInt64
        /// Bytes written to the data file since then, roughly.
        var written = 0
        /// Area and epoch that the journal's newest header names.
        var headerArea = 0
        var headerEpoch: UInt64 = 0
        var isFailed = false
    }

    private let path: String
    private let options: RealmFileOptions
    /// Asked for by threads that must not wait for the disk: never held while something is written.
    let state: Lock<State>
    /// Held while LMDB commits and the journal takes the records, and while a checkpoint begins between two commits.
    private let committing = Lock(true)
    /// Held while syncing the journal, so that who comes later finds the work done. Not of `Void`: the thread sanitizer
    /// takes the address of a value without size for its neighbour's.
    private let syncing = Lock(true)
    /// Held while taking a checkpoint. Commits are acknowledged meanwhile: the journal holds them until it is done.
    private let checkpointing = Lock(true)
    private let work: Lock<Work>

    private struct Work: @unchecked Sendable {
        var journal: Journal?
        /// The newest that is on disk.
        var header: JournalHeader?
        var sequence: UInt64 = 0
        var epoch: UInt64
        var pin: Pin?
        var stamp: FileStamp
    }

    /// A read transaction that keeps the pages of a checkpoint from being overwritten.
    private final class Pin: @unchecked Sendable {
        let environment: Environment
        let transaction: OpaquePointer

        init(_ environment: Environment) throws {
            self.environment = environment
            transaction = try environment.beginRead()
        }

        deinit {
            mdb_txn_abort(transaction)
        }
    }

    /// `epoch` is the greatest that the journal's header names.
    init(path: String, options: RealmFileOptions, stamp: FileStamp, version: UInt64, epoch: UInt64, sequence: UInt64) {
        self.path = path
        self.options = options
        state = Lock(State(committed: version, durable: version, journaled: 0, checkpoint: version))
        work = Lock(Work(sequence: sequence, epoch: epoch, stamp: stamp))
    }

    private var journal: Journal? { work.withLock { $0.journal } }

    /// Whether something was, or was about to be, written since the file was opened.
    var isPrepared: Bool { journal != nil }

    /// Called before the first commit after opening, or at once when what is there may not be on disk: from now on the
    /// file counts as being written.
    func prepare(_ environment: Environment) throws {
        guard journal == nil else { return }
        let journal = try Journal(realm: path, cipher: options.key.map { JournalCipher($0) })
        let epoch = work.withLock { $0.epoch }
        // A torn tail of the former run may hold records of the next epoch.
        journal.restart(after: epoch + 2)
        noteUse(of: journal)
        work.withLock { $0.journal = journal }
        do {
            try checkpoint({ environment })
        } catch {
            work.withLock { $0.journal = nil }
            throw error
        }
    }

    // MARK: The writer's side

    /// Runs LMDB's commit and appends `records`, for which there is room by then. Without records (or room for them)
    /// the versions up to `version` can only become durable by a checkpoint. Throws before the commit when the disk has
    /// no room for the journal.
    func committing(
        _ version: UInt64, records: [JournalRecord], written: Int, _ commit: () throws -> Void
    ) throws {
        let journal = self.journal
        try committing.withLock { _ in
            let fits = try !records.isEmpty && journal.map { try $0.reserve($0.size(of: records)) } ?? false
            try commit()
            var isJournaled = false
            if fits, let journal {
                do {
                    try journal.append(records, durable: state.withLock { $0.durable })
                    isJournaled = true
                } catch {
                    // Committed all the same; a checkpoint will make it durable.
                }
                noteUse(of: journal)
            }
            state.withLock { state in
                state.committed = version
                state.written += written
                if isJournaled { state.journaled = version } else { state.skipped = version }
            }
        }
    }

    private func noteUse(of journal: Journal) {
        state.withLock { state in
            state.journalUsed = journal.used
            state.journalEpoch = journal.epoch
        }
    }

    // MARK: The syncing side

    /// Returns when `version` survives a power failure.
    func makeDurable(through version: UInt64, _ environment: () throws -> Environment) throws {
        try syncing.withLock { _ in
            while true {
                let now = state.withLock { $0 }
                if now.durable >= version { break }
                if now.isFailed { throw failedBefore }
                guard version <= now.committed else {
                    throw StoreError(.inputOutput, "version \(version) was never committed", path: path)
                }
                if now.skipped > now.checkpoint {
                    try checkpoint(environment)
                } else {
                    try failing { try journal?.sync() }
                    state.withLock { $0.durable = max($0.durable, now.journaled) }
                }
            }
        }
        // Whoever doesn't care for checkpoints gets them all the same, before the pages that the last one keeps from
        // being used again make the file grow beyond measure.
        if isDue(times: Durability.patience) { try checkpoint(environment) }
    }

    /// How many times too late a checkpoint is taken without being asked for.
    private static let patience = 8

    /// Whether enough was written since the last checkpoint that another one pays.
    var isCheckpointDue: Bool { isDue(times: 1) }

    private func isDue(times: Int) -> Bool {
        guard journal != nil else { return false }
        return state.withLock { state in
            state.written > options.checkpointFileBytes * times
                || state.headerEpoch == state.journalEpoch && state.journalUsed > options.checkpointJournalBytes
        }
    }

    /// Makes the newest version durable in the data file itself.
    func checkpoint(_ environment: () throws -> Environment, isClean: Bool = false) throws {
        // Asked for only now: the file may have been replaced while another checkpoint was waited for.
        try checkpointing.withLock { _ in try takeCheckpoint(try environment(), isClean: isClean) }
    }

    private func takeCheckpoint(_ environment: Environment, isClean: Bool) throws {
        guard let journal else { return }
        // A sync that succeeds after one that failed says nothing about the pages of before.
        if state.withLock({ $0.isFailed }) { throw failedBefore }
        let (pin, version, meta) = try committing.withLock { _ in
            let pin = try Pin(environment)
            let meta = try MetaPage.read(environment, transaction: mdb_txn_id(pin.transaction))
            // Records of before stay where the newest header looks for them until the next header is written.
            if state.withLock({ $0.headerEpoch }) == journal.epoch, journal.used > 0 { journal.switchArea() }
            noteUse(of: journal)
            let version = state.withLock { state in
                state.written = 0
                return state.committed
            }
            return (pin, version, meta)
        }
        let (area, epoch) = (journal.area, journal.epoch)
        let (stamp, sequence) = work.withLock { ($0.stamp, $0.sequence + 1) }
        if let file = environment.encrypted {
            try write(pin, meta, version, isClean: isClean, to: file)
        } else {
            try sync(environment.descriptor)
        }
        // An encrypted file has a header of its own that names the meta page.
        let header = JournalHeader(
            sequence: sequence, isClean: isClean, identity: stamp.identity, generation: stamp.generation,
            bootId: options.bootId, version: version, area: area, epoch: epoch,
            meta: environment.encrypted == nil ? meta : [])
        try journal.write(header)
        try failing { try journal.sync() }
        work.withLock { work in
            work.header = header
            work.sequence = sequence
            work.epoch = epoch
            work.pin = pin
        }
        state.withLock { state in
            state.checkpoint = version
            state.durable = max(state.durable, version)
            state.headerArea = area
            state.headerEpoch = epoch
        }
    }

    private func sync(_ descriptor: Int32) throws {
        try failing {
            guard options.syncFile(descriptor) == 0 else {
                throw StoreError(lmdb: errno, "syncing", path: path)
            }
        }
    }

    /// Brings a version to an encrypted file. When the disk is full it can be tried again; only a failed sync leaves
    /// nobody knowing what is there.
    private func write(
        _ pin: Pin, _ meta: [UInt8], _ version: UInt64, isClean: Bool, to file: EncryptedFile
    ) throws {
        try file.markInUse { try sync(file.descriptor) }
        let staged = try file.stage(
            pin.environment, pin.transaction, meta: meta, version: version, isClean: isClean)
        try sync(file.descriptor)
        try file.write(header: staged.header)
        try sync(file.descriptor)
        file.adopt(staged)
    }

    /// Calls `body` while no checkpoint is being taken.
    func betweenCheckpoints<R>(_ body: () throws -> R) rethrows -> R {
        try checkpointing.withLock { _ in try body() }
    }

    private var failedBefore: StoreError {
        StoreError(.inputOutput, "an earlier sync of the file failed; open it again", path: path)
    }

    /// After a failed sync nobody knows what is on disk, and the page cache may have given up what isn't: nothing more
    /// is acknowledged, and the next opening goes back to the last checkpoint and replays the journal.
    private func failing<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch {
            state.withLock { $0.isFailed = true }
            distrustCache()
            throw error
        }
    }

    /// Lets the newest header say that it was written in no boot that is known, as far as the disk takes it.
    private func distrustCache() {
        guard let journal, var header = work.withLock({ $0.header }) else { return }
        header.sequence += 1
        header.bootId = ""
        try? journal.write(header)
        try? journal.sync()
    }

    /// Lets `move` put another file in the place of the realm's, with the same content and durable as it is, and goes
    /// on there. No checkpoint of the old file may be under way meanwhile, or it would be taken for one of the new.
    func moving(to stamp: FileStamp, _ move: () throws -> Environment) throws {
        try checkpointing.withLock { _ in
            // What is copied might be what the disk has instead of what was written.
            if state.withLock({ $0.isFailed }) { throw failedBefore }
            let environment = try move()
            work.withLock { work in
                work.stamp = stamp
                work.pin = nil
            }
            try takeCheckpoint(environment, isClean: false)
        }
    }

    /// Nothing will be written any more.
    func close(_ environment: Environment) throws {
        guard journal != nil else { return }
        try checkpoint({ environment }, isClean: true)
        let closed = work.withLock { work in
            defer { work.journal = nil }
            work.pin = nil
            return work.journal
        }
        closed?.removeName()
    }

    /// Removes the journal's name, if there is one and it is still this journal's.
    func removeJournal() {
        journal?.removeName()
    }
}
