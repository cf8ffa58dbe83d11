import CLMDB
import CPlatform
import Foundation
import Glibc

extension RealmFile {
    /// What opening found.
    struct Opening {
        var environment: Environment
        var stamp: FileStamp
        var version: UInt64
        var wasCreated: Bool
        var mustMove: Bool
        var header: JournalHeader?
        var replay: [JournalRecord] = []
        /// Whether somebody wrote the file and didn't close it.
        var isUnsynced = false
    }

    static func newPath(_ path: String) -> String { path + ".new" }
    static func compactedPath(_ path: String) -> String { path + ".compact" }

    static func open(_ path: String, _ options: RealmFileOptions, _ lock: FileLock) throws -> Opening {
        // Left by a process that was killed while it made them; the lock says that it isn't at it any more.
        unlink(newPath(path))
        unlink(compactedPath(path))
        if options.inMemory { unlink(path) }
        let header = options.inMemory ? nil : try Journal.header(of: path)
        var wasCreated = false
        if try !exists(path) {
            guard options.create else { throw StoreError(.fileNotFound, "there is no file", path: path) }
            unlink(Journal.path(of: path))
            try create(path, FileStamp(identity: UUID(), generation: 1), isDurable: !options.inMemory)
            wasCreated = true
        }
        let descriptor = try FileSystem.openFile(path, O_RDONLY)
        defer { Glibc.close(descriptor) }
        let stamp = try FileStamp.read(descriptor, path: path)
        var replay: [JournalRecord] = []
        let isUnsynced = !wasCreated && header.map { $0.isAbout(stamp) && !$0.isClean } ?? false
        // In another boot the data file may lack pages that were never synced.
        if let header, isUnsynced, header.bootId != options.bootId || header.bootId.isEmpty {
            let writable = try FileSystem.openFile(path, O_RDWR)
            defer { Glibc.close(writable) }
            try MetaPage.restore(header.meta, to: writable, path: path)
            replay = try Journal.records(of: path, after: header)
        }
        try FilePreflight.check(path)
        let isRead = reeve_is_locked_by_others(descriptor) == 1
        let environment = try openEnvironment(path, lock)
        let version = try Snapshot(environment).version
        return Opening(
            environment: environment, stamp: stamp, version: version, wasCreated: wasCreated, mustMove: isRead,
            header: header, replay: replay, isUnsynced: isUnsynced)
    }

    /// A file of no bytes counts as none, if it is a file.
    private static func exists(_ path: String) throws -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw StoreError(lmdb: errno, "opening", path: path) }
            return false
        }
        if status.st_mode & S_IFMT == S_IFREG, status.st_size == 0 { return false }
        return true
    }

    /// Makes a realm without classes beside `path` and puts it there whole, so that nobody ever sees half of one.
    private static func create(_ path: String, _ stamp: FileStamp, isDurable: Bool) throws {
        let directory = (path as NSString).deletingLastPathComponent
        guard directory.isEmpty || FileSystem.size(directory) != nil else {
            throw StoreError(.fileNotFound, "there is no directory \(directory)", path: path)
        }
        let temporary = newPath(path)
        do {
            try RecordCopy.write(to: temporary, stamp: stamp, isDurable: isDurable) { store in
                let databases = store.databases
                var format = FileFormat.version.littleEndian
                try withUnsafeBytes(of: &format) { try store.put(databases.meta, .meta(MetaKey.format), $0) }
                try store.put(databases.meta, .meta(MetaKey.version), number: 1)
                try store.put(databases.meta, .meta(MetaKey.schema), StoredSchema.empty.encoded())
            }
            guard rename(temporary, path) == 0 else { throw StoreError(lmdb: errno, "creating", path: path) }
            if isDurable { try FileSystem.syncDirectory(of: path) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Opens the file at `path` with a reader table of its own, whatever the files before it still use.
    static func openEnvironment(_ path: String, _ lock: FileLock) throws -> Environment {
        unlink(path + "-lock")
        return try openEnvironment(path, flags: MDB_NOSUBDIR | MDB_NOTLS | MDB_NOSYNC, create: false) { [lock] in
            // Readers of this process may outlive the realm file; as long as they do, so does the lock.
            _ = lock
        }
    }

    static func openEnvironment(
        _ path: String, flags: Int32, create: Bool, onClose: @escaping @Sendable () -> Void = {}
    ) throws -> Environment {
        var pointer: OpaquePointer?
        guard mdb_env_create(&pointer) == 0, let pointer else {
            throw StoreError(.inputOutput, "out of memory", path: path)
        }
        do {
            func check(_ code: Int32, _ doing: String) throws {
                guard code == 0 else { throw StoreError(lmdb: code, doing, path: path) }
            }
            try check(mdb_env_set_maxdbs(pointer, FileFormat.databaseCount), "opening")
            try check(mdb_env_set_maxreaders(pointer, readerLimit), "opening")
            try check(mdb_env_set_mapsize(pointer, FileFormat.mapSize), "opening")
            try check(mdb_env_open(pointer, path, UInt32(flags), 0o600), "opening")
            var transaction: OpaquePointer?
            try check(mdb_txn_begin(pointer, nil, create ? 0 : UInt32(MDB_RDONLY), &transaction), "opening")
            guard let transaction else { throw StoreError(.inputOutput, "out of memory", path: path) }
            let databases: Databases
            do {
                if !create { try FileReader.checkFormat(transaction, path: path) }
                databases = try Databases(transaction, create: create)
            } catch {
                mdb_txn_abort(transaction)
                throw error
            }
            try check(mdb_txn_commit(transaction), "opening")
            return Environment(
                pointer: pointer, databases: databases, path: path, checksMetaPage: false, onClose: onClose)
        } catch {
            mdb_env_close(pointer)
            throw error
        }
    }

    /// Snapshots that may be held at a time.
    private static let readerLimit: UInt32 = 4_096
}

extension UnsafeRecordStore {
    /// Puts a number of eight bytes, little-endian.
    func put(_ database: MDB_dbi, _ key: RecordKey, number: UInt64) throws {
        try withUnsafeBytes(of: number.littleEndian) { try put(database, key, $0) }
    }
}

extension JournalHeader {
    /// Whether the journal was kept for the very file that has the stamp.
    fileprivate func isAbout(_ stamp: FileStamp) -> Bool {
        identity == stamp.identity && generation == stamp.generation
    }
}
