import CLMDB
import Foundation

/// Writes realm files as a whole: new ones, compacted ones, copies.
enum RecordCopy {
    /// So many bytes are put into one transaction, which LMDB holds in memory.
    private static let batchBytes = 64 << 20

    /// Makes a realm file that holds what `fill` puts, closed and (if durable) synced when this returns, to be put at
    /// `path`.
    static func write(
        for path: String, stamp: FileStamp, key: RealmKey? = nil, isDurable: Bool,
        _ fill: (UnsafeRecordStore) throws -> Void
    ) throws -> TemporaryFile {
        try making(path, stamp, key, isDurable, 0) { environment in
            try transaction(environment, fill)
        }
    }

    /// Copies all records of a snapshot, in key order and without gaps, into a file to be put at `path`.
    static func copy(_ snapshot: Snapshot, for path: String, stamp: FileStamp, key: RealmKey?) throws -> TemporaryFile {
        let source = snapshot.transaction
        let size = FileSystem.size(source.environment.descriptor)
        return try making(path, stamp, key, true, size) { environment in
            let from = source.environment.databases
            let to = environment.databases
            try snapshot.checkIntact()
            for (database, target) in [
                (from.meta, to.meta), (from.objects, to.objects), (from.keys, to.keys), (from.index, to.index),
                (from.backlinks, to.backlinks), (from.lists, to.lists), (from.blobs, to.blobs),
                (from.changes, to.changes), (from.sync, to.sync)
            ] {
                guard let database, let target else { continue }
                try source.withCursor(database) { cursor in
                    var hasMore = cursor.first()
                    while hasMore {
                        try transaction(environment) { store in
                            let writer = try store.cursor(target)
                            var size = 0
                            while hasMore, size < batchBytes {
                                try writer.put(cursor.key, cursor.value, appending: true)
                                // An index has nothing but keys.
                                size += cursor.key.count + cursor.value.count
                                hasMore = cursor.next()
                            }
                        }
                    }
                    if let code = cursor.failure {
                        throw StoreError(lmdb: code, "copying", path: source.environment.path)
                    }
                }
            }
            // A copy of what is gone would look sound.
            try snapshot.checkIntact()
        }
    }

    private static func making(
        _ path: String, _ stamp: FileStamp, _ key: RealmKey?, _ isDurable: Bool, _ expectedSize: Int,
        _ body: (Environment) throws -> Void
    ) throws -> TemporaryFile {
        let made = try TemporaryFile(for: path)
        let descriptor = made.lock.descriptor
        // Nobody else knows the file yet: no lock file, no reader table.
        let flags = MDB_NOSUBDIR | MDB_NOTLS | MDB_NOLOCK | MDB_NOSYNC
        if let key {
            let memory = try MemoryFile("reeve-copy", of: path)
            let environment = try RealmFile.openEnvironment(
                memory.path, flags: flags, create: true, expectedSize: expectedSize)
            try body(environment)
            try stamp.write(to: memory.descriptor, path: path)
            try EncryptedFile.create(descriptor, path, key, environment)
            if isDurable { try FileSystem.syncData(descriptor, path: path) }
            return made
        }
        try body(RealmFile.openEnvironment(made.path, flags: flags, create: true, expectedSize: expectedSize))
        try reachLastPage(descriptor, path)
        try stamp.write(to: descriptor, path: path)
        SoundnessMark.set(descriptor, modified: nil)
        if isDurable { try FileSystem.syncData(descriptor, path: path) }
        return made
    }

    private static func transaction(_ environment: Environment, _ body: (UnsafeRecordStore) throws -> Void) throws {
        var pointer: OpaquePointer?
        let code = mdb_txn_begin(environment.pointer, nil, 0, &pointer)
        guard code == 0, let pointer else { throw StoreError(lmdb: code, "copying", path: environment.path) }
        let store = UnsafeRecordStore(pointer, environment.databases, path: environment.path)
        do {
            try body(store)
        } catch {
            store.closeCursors()
            mdb_txn_abort(pointer)
            throw error
        }
        store.closeCursors()
        let outcome = mdb_txn_commit(pointer)
        guard outcome == 0 else {
            throw StoreError(
                lmdb: outcome, "copying", path: environment.path, writingTo: environment.descriptor)
        }
    }

    /// Pages that were taken and given back in one transaction may never be written: the file must be as long as its
    /// meta page says all the same, since readers check.
    static func reachLastPage(_ descriptor: Int32, _ path: String) throws {
        var bytes = [UInt8](repeating: 0, count: MetaPage.usedSize)
        var length: UInt64 = 0
        guard pread(descriptor, &bytes, bytes.count, 0) == bytes.count else { return }
        let pageSize = bytes.withUnsafeBytes { UInt64($0.loadUnaligned(fromByteOffset: 40, as: UInt32.self)) }
        for page in 0..<2 {
            guard pread(descriptor, &bytes, bytes.count, off_t(UInt64(page) * pageSize)) == bytes.count else { return }
            let last = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 136, as: UInt64.self) }
            length = max(length, (last + 1) * pageSize)
        }
        if UInt64(FileSystem.size(descriptor)) < length {
            guard ftruncate(descriptor, off_t(length)) == 0 else {
                throw StoreError(lmdb: errno, "extending", path: path)
            }
        }
    }
}
