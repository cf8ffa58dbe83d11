import EventLoop
import Foundation
import History
import Store
import Wire

/// What opening a file brings.
struct OpenedFile: Sendable {
    var snapshot: HeldSnapshot
    var wasCreated: Bool
    /// Of a synced realm.
    var origin: SyncOrigin?
}

/// The thread that writes a realm: opens the file, applies, commits, compacts, closes. Everything but `perform`,
/// `performSync`, `sync`, `finish`, `line`, `syncEncoder` and `file` belongs to that thread.
final class RealmWriter: @unchecked Sendable {
    private let thread: WorkerThread
    private let syncThread: WorkerThread
    /// What is on its way to the disk.
    let line = CommitLine()
    /// Where answers are built.
    let encoder = FrameEncoder()
    /// Where the sync thread builds them.
    let syncEncoder = FrameEncoder()
    private var lastVersion: UInt64 = 0
    let path: String
    private let isInMemory: Bool
    private let key: RealmKey?
    /// Of a synced realm: what was written here and isn't on the server yet, and where it belongs.
    var history: ClientHistory?
    var origin: SyncOrigin?
    /// Under way while the realm is given the server's state.
    var reset: ClientReset?
    /// Sets of subscriptions that have come to another state, and that nobody was told of.
    var changedSets: [SubscriptionSet] = []
    /// Bytes of changes that one transaction may have.
    private let transactionLimit: Int
    /// What may wait for the server.
    var queue: QueueLimit
    private let openedFile = Lock<RealmFile?>(nil)
    private var transaction: WriteTransaction?
    /// Bytes of changes in it.
    private var transactionBytes = 0
    /// Why the open transaction can't commit any more.
    private var failure: WireError?

    init(path: String, isInMemory: Bool, key: RealmKey?, transactionLimit: Int, queueLimit: Int) {
        self.key = key
        self.path = path
        self.isInMemory = isInMemory
        self.transactionLimit = transactionLimit
        queue = QueueLimit(bytes: queueLimit)
        thread = WorkerThread("reeve-write")
        syncThread = WorkerThread("reeve-sync")
    }

    func perform(_ job: @escaping @Sendable (RealmWriter) -> Void) {
        thread.perform { job(self) }
    }

    /// Runs beside the writer thread, one sync after another.
    func performSync(_ job: @escaping @Sendable (RealmWriter) -> Void) {
        syncThread.perform { job(self) }
    }

    func finish() {
        thread.finish()
        syncThread.finish()
    }

    /// Opens or, with `create`, creates the file. Creating is decided here, by one thread of one process, so that two
    /// clients can't both do it.
    func open(create: Bool) throws(WireError) -> OpenedFile {
        do {
            var options = RealmFileOptions()
            options.create = create
            options.inMemory = isInMemory
            options.key = key
            let file = try RealmFile(path: path, options: options)
            openedFile.withLock { $0 = file }
            origin = try SyncOrigin(file.snapshot())
            // May write: what a bootstrap has left that wasn't complete goes.
            if let origin { history = try history(file, of: origin) }
            let snapshot = try snapshot()
            line.open(at: snapshot)
            lastVersion = snapshot.version
            return OpenedFile(snapshot: snapshot, wasCreated: file.wasCreated, origin: origin)
        } catch {
            throw WireError(reporting: error, path: path)
        }
    }

    /// Closes the file; calls `released`, on any thread, when its last snapshot is gone too.
    func close(_ released: @escaping @Sendable () -> Void) {
        rollBack()
        abandonReset()
        history = nil
        guard let file else { return released() }
        file.whenReleased(released)
        do {
            try file.close()
        } catch {
            AgentLog.write("closing \(path): \(error)")
        }
        openedFile.withLock { $0 = nil }
        if isInMemory {
            unlink(path)
            for companion in CompanionFiles.suffixes { unlink(path + companion) }
        }
    }

    /// Set between opening and closing. Any thread may ask.
    var file: RealmFile? { openedFile.withLock { $0 } }

    func openFile() throws -> RealmFile {
        guard let file else { throw WireError(.shuttingDown, "the realm is closed", facts: ["path": .string(path)]) }
        return file
    }

    /// The file, to be written: whatever went to a file that has lost its name would be lost with it.
    func fileToWrite() throws -> RealmFile {
        let file = try openFile()
        guard file.isInPlace else {
            throw WireError(
                .fileNotFound, "the realm's file was deleted or replaced while it was open; open it anew",
                facts: ["path": .string(path)])
        }
        return file
    }

    func snapshot() throws -> HeldSnapshot {
        let file = try openFile()
        return HeldSnapshot(snapshot: try file.snapshot(), generation: file.generation)
    }
}

extension RealmWriter {
    /// How many transactions a turn committed that has left `version` and answers so many.
    func countCommits(_ version: UInt64, _ answers: Int) -> Int {
        defer { lastVersion = version }
        return version == lastVersion ? 0 : max(1, answers)
    }
}

// MARK: - A client's open transaction
extension RealmWriter {
    /// The transaction of the client whose turn it is; begins with its first use.
    func current() throws -> WriteTransaction {
        if let failure { throw failure }
        if let transaction { return transaction }
        let begun = try beginWrite()
        transaction = begun
        return begun
    }

    /// Applies the next bytes. A failure is kept, and what was applied is undone at once.
    func append(_ changes: [UInt8]) {
        guard failure == nil else { return }
        do {
            transactionBytes += changes.count
            guard transactionBytes <= transactionLimit else { throw tooLarge }
            let transaction = try current()
            try changes.withUnsafeBytes { try transaction.apply($0) }
        } catch {
            rollBack()
            failure = WireError(reporting: error, path: path)
        }
    }

    private var tooLarge: WireError {
        WireError(
            .transactionTooLarge, "the transaction has more than \(transactionLimit) bytes of changes; split it",
            facts: ["limit": .int64(Int64(transactionLimit))])
    }

    /// Commits what was appended and `changes`. Without any changes there is nothing to commit.
    /// - Returns: the version that this made.
    func commitOpen(_ changes: [UInt8], uid: TransactionUID) throws(WireError) -> UInt64? {
        if !changes.isEmpty { append(changes) }
        do {
            if let failure { throw failure }
            guard let transaction else { return nil }
            self.transaction = nil
            transactionBytes = 0
            do {
                try history?.append(to: transaction)
                return try transaction.commit(uid: uid)
            } catch {
                transaction.rollback()
                throw error
            }
        } catch {
            rollBack()
            throw WireError(reporting: error, path: path)
        }
    }

    func rollBack() {
        transaction?.rollback()
        transaction = nil
        transactionBytes = 0
        failure = nil
    }
}

// MARK: - Whole transactions
extension RealmWriter {
    /// Commits whole transactions, in order, in one LMDB transaction if all of them apply. Says of each which version it
    /// made, or why it didn't.
    func commitWhole(_ commits: [WholeCommit]) -> [Result<UInt64, WireError>] {
        var failures = [WireError?](repeating: nil, count: commits.count)
        var versions = [UInt64](repeating: 0, count: commits.count)
        func outcomes() -> [Result<UInt64, WireError>] {
            zip(failures, versions).map { failure, version in failure.map { .failure($0) } ?? .success(version) }
        }
        do {
            // One that doesn't apply undoes those before it, which then are applied anew without it.
            var left = Array(commits.indices)
            while !left.isEmpty {
                let transaction = try beginWrite()
                guard let (index, error) = attempt(left, commits, in: transaction, &versions) else {
                    return outcomes()
                }
                transaction.rollback()
                guard let index else {
                    for index in left { failures[index] = error }
                    return outcomes()
                }
                failures[index] = error
                left.removeAll { $0 == index }
            }
        } catch {
            let failure = WireError(reporting: error, path: path)
            for index in failures.indices where failures[index] == nil { failures[index] = failure }
        }
        return outcomes()
    }

    /// Nil if everything is committed, else whose fault it is (nil: nobody's) and what happened.
    private func attempt(
        _ indices: [Int], _ commits: [WholeCommit], in transaction: WriteTransaction, _ versions: inout [UInt64]
    ) -> (Int?, WireError)? {
        var version = transaction.baseVersion
        for (place, index) in indices.enumerated() {
            let commit = commits[index]
            do {
                if let expected = commit.ifVersion, expected != version {
                    throw WireError(
                        .versionChanged, "the realm is at version \(version), not \(expected)",
                        facts: ["version": .int64(Int64(bitPattern: version))])
                }
                guard commit.changes.count <= transactionLimit else { throw tooLarge }
                try commit.changes.withUnsafeBytes { try transaction.apply($0, mustCreate: commit.mustCreate) }
                try history?.append(to: transaction)
                guard place < indices.count - 1 else { break }
                version = try transaction.seal(uid: commit.uid)
                versions[index] = version
            } catch {
                return (index, WireError(reporting: error, path: path))
            }
        }
        guard let last = indices.last else { return nil }
        do {
            versions[last] = try transaction.commit(uid: commits[last].uid)
            return nil
        } catch {
            return (nil, WireError(reporting: error, path: path))
        }
    }
}
