import CLMDB
import Foundation

extension RealmFile {
    /// Writes a compacted copy, puts it in the place of the file and goes on there. Snapshots of the old generation
    /// stay readable until they are released. Waits for an open write transaction.
    package func compact() throws {
        try checkWritable()
        gate.enter()
        defer { gate.leave() }
        try durability?.prepare(try environment())
        try moveToNewGeneration()
    }

    /// Writes a compacted copy of a snapshot to a new file, as a realm of its own.
    ///
    /// The copy is encrypted with `key`, if there is one, whatever the realm is.
    ///
    /// Throws `fileExists` when there is something at `path`, `fileNotFound` when its directory isn't there.
    package static func writeCopy(of snapshot: Snapshot, to path: String, key: RealmKey? = nil) throws {
        guard FileSystem.size(path) == nil else {
            throw StoreError(.fileExists, "there is a file already", path: path)
        }
        TemporaryFile.removeLeftovers(of: path)
        try RecordCopy.copy(snapshot, for: path, stamp: FileStamp(identity: UUID(), generation: 1), key: key)
            .place()
        try FileSystem.syncDirectory(of: path)
    }

    /// The gate must be held and no transaction open.
    func moveToNewGeneration() throws {
        let old = try environment()
        let snapshot = try Snapshot(old)
        let stamp = state.withLock {
            FileStamp(format: $0.stamp.format, identity: $0.stamp.identity, generation: $0.stamp.generation + 1)
        }
        let made = try RecordCopy.copy(snapshot, for: path, stamp: stamp, key: options.key)
        guard let durability else {
            _ = try replaceFile(by: made, stamp)
            return
        }
        try durability.moving(to: stamp) { try replaceFile(by: made, stamp) }
    }

    private func replaceFile(by made: TemporaryFile, _ stamp: FileStamp) throws -> Environment {
        // What somebody else put there in the meantime isn't ours to replace.
        guard isInPlace else {
            throw StoreError(.fileNotFound, "the file was deleted or replaced while it was compacted", path: path)
        }
        try made.replace()
        if !options.inMemory { try FileSystem.syncDirectory(of: path) }
        let new: Environment
        do {
            new =
                if let key = options.key {
                    try RealmFile.openEncrypted(path, key, lock, made.lock)
                } else {
                    try RealmFile.openEnvironment(path, lock, made.lock, options)
                }
        } catch {
            // The old file has no name any more: what would be written to it would be lost.
            state.withLock { $0.environment = nil }
            throw error
        }
        state.withLock { state in
            state.environment = new
            state.stamp = stamp
            state.mustMove = false
            state.length = FileSystem.size(new.descriptor)
        }
        return new
    }

    /// Bytes of the file.
    package func fileSize() throws -> Int {
        FileSystem.size(try environment().descriptor)
    }

    /// Bytes of the file that the newest version uses; the others can be given back by `compact()`.
    package func usedBytes() throws -> Int {
        let environment = try environment()
        let transaction = try environment.beginRead()
        defer { mdb_txn_abort(transaction) }
        var information = MDB_envinfo()
        mdb_env_info(environment.pointer, &information)
        var statistics = MDB_stat()
        mdb_env_stat(environment.pointer, &statistics)
        var cursor: OpaquePointer?
        // Database 0 is LMDB's own list of free pages: each record begins with how many it names.
        guard mdb_cursor_open(transaction, 0, &cursor) == 0, let cursor else { return try fileSize() }
        defer { mdb_cursor_close(cursor) }
        var free: UInt = 0
        var key = MDB_val()
        var value = MDB_val()
        while mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0 {
            // No record can name more pages than it has room for.
            if let data = value.mv_data, value.mv_size >= 8 {
                free += min(data.loadUnaligned(as: UInt.self), UInt(value.mv_size / 8))
            }
        }
        let last = UInt(information.me_last_pgno)
        return Int(last + 1 - min(free, last)) * Int(statistics.ms_psize)
    }

    /// Files up to this size are never compacted by themselves.
    private static let smallFile = 8 << 20

    /// Whether the file is large and more than half of it unused.
    package func isCompactionDue() throws -> Bool {
        let size = try fileSize()
        return try size > RealmFile.smallFile && usedBytes() < size / 2
    }

    /// Sees to it that the file is as long as its last commit says: pages that a transaction took and gave back may
    /// never be written, and readers take a shorter file for a damaged one.
    func noteLength(_ environment: Environment) throws {
        var information = MDB_envinfo()
        mdb_env_info(environment.pointer, &information)
        let needed = (information.me_last_pgno + 1) * environment.pageSize
        guard needed > state.withLock({ $0.length }) else { return }
        let descriptor = environment.descriptor
        var length = FileSystem.size(descriptor)
        if length < needed {
            guard ftruncate(descriptor, off_t(needed)) == 0 else {
                throw StoreError(lmdb: errno, "extending the file", path: path)
            }
            length = needed
        }
        state.withLock { $0.length = length }
    }

    /// Throws when the file is shorter than this process has left it: what LMDB would read of it isn't there.
    func checkLength(_ environment: Environment) throws {
        guard FileSystem.size(environment.descriptor) < state.withLock({ $0.length }) else { return }
        throw StoreError(
            .corrupt, "the file was truncated while it was open; close it everywhere, and open it again", path: path)
    }

    /// A write transaction has ended.
    func gateLeft(by transaction: WriteTransaction) {
        gate.leave()
    }
}

extension Environment {
    var pageSize: Int {
        var statistics = MDB_stat()
        mdb_env_stat(pointer, &statistics)
        return Int(statistics.ms_psize)
    }
}
