import CLMDB
import CPlatform
import Foundation
import Glibc

extension RealmFile {
    /// What the data file lacks.
    enum Recovery {
        case none
        /// All commits are in the page cache, but perhaps not on disk.
        case sync
        /// It is at the journal's checkpoint; these follow.
        case replay([JournalRecord])
    }

    /// What opening found.
    struct Opening {
        var environment: Environment
        var stamp: FileStamp
        var version: UInt64
        var wasCreated: Bool
        var mustMove: Bool
        /// Whether this process may read the file but not write it.
        var isReadOnly: Bool
        /// When the file was modified before it was opened.
        var modified: timespec?
        var header: JournalHeader?
        var recovery: Recovery
    }

    /// The lock on the realm's name; of a file that can't be written in a directory that can't be either, that on the
    /// file itself.
    static func lockName(of path: String) throws -> FileLock {
        do {
            return try FileLock.name(of: path)
        } catch let error as StoreError where error.code == .permissionDenied {
            guard try exists(path), try isReadOnly(path) else { throw error }
            return try FileLock.file(path)
        }
    }

    static func open(_ path: String, _ options: RealmFileOptions, _ lock: FileLock) throws -> Opening {
        if !options.inMemory, try exists(path), try isReadOnly(path) { return try openReadOnly(path, options, lock) }
        if options.inMemory { unlink(path) }
        if let key = options.key { return try openEncrypted(path, key, options, lock) }
        let header = options.inMemory ? nil : try Journal.header(of: path)
        // Left by a process that was killed while it made them.
        if header?.isClean == false { TemporaryFile.removeLeftovers(of: path) }
        let (fileLock, wasCreated) = try lockOrCreate(path, options)
        let stamp = try FileStamp.read(fileLock.descriptor, path: path)
        let isRead = reeve_is_locked_by_others(fileLock.descriptor) == 1
        let recovery = try wasCreated ? .none : recover(path, header, stamp, options, isRead: isRead)
        try FilePreflight.check(path)
        // What this process has just made is sound, and so is what nobody has touched since it was.
        if !wasCreated, !SoundnessMark.holds(fileLock.descriptor) {
            try FilePreflight.checkStructure(fileLock.descriptor, path)
        }
        let modified = wasCreated ? nil : SoundnessMark.modified(fileLock.descriptor)
        let environment = try openEnvironment(path, lock, fileLock, options)
        if !wasCreated { try SoundnessMark.clear(environment.descriptor, path: path) }
        let version = try Snapshot(environment).version
        return Opening(
            environment: environment, stamp: stamp, version: version, wasCreated: wasCreated, mustMove: isRead,
            isReadOnly: false, modified: modified, header: header, recovery: recovery)
    }

    /// Whether the file may be read only: its mode, or the file system, says so.
    private static func isReadOnly(_ path: String) throws -> Bool {
        let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
        guard descriptor < 0 else {
            Glibc.close(descriptor)
            return false
        }
        return [EACCES, EPERM, EROFS].contains(errno)
    }

    /// Nothing is made beside the file, and nobody writes to it as long as it is locked: LMDB needs no reader table.
    private static func openReadOnly(
        _ path: String, _ options: RealmFileOptions, _ lock: FileLock
    ) throws -> Opening {
        let fileLock = lock.isFile(at: path) ? lock : try FileLock.file(path)
        if let key = options.key {
            return try openEncryptedReadOnly(path, key, lock, fileLock)
        }
        let stamp = try FileStamp.read(fileLock.descriptor, path: path)
        if let header = try Journal.header(of: path), !header.isClean, header.isAbout(stamp),
            header.bootId != options.bootId || header.bootId.isEmpty
        {
            throw StoreError(
                .permissionDenied, "the file must be recovered after a failure, and may not be written", path: path)
        }
        try FilePreflight.check(path)
        if !SoundnessMark.holds(fileLock.descriptor) {
            try FilePreflight.checkStructure(fileLock.descriptor, path)
        }
        let environment = try openEnvironment(
            path, flags: MDB_NOSUBDIR | MDB_NOTLS | MDB_RDONLY | MDB_NOLOCK, create: false
        ) { [lock, fileLock] in _ = (lock, fileLock) }
        return Opening(
            environment: environment, stamp: stamp, version: try Snapshot(environment).version, wasCreated: false,
            mustMove: false, isReadOnly: true, modified: nil, header: nil, recovery: .none)
    }

    /// The lock on the file, which is made if there is none.
    static func lockOrCreate(_ path: String, _ options: RealmFileOptions) throws -> (FileLock, wasCreated: Bool) {
        if try exists(path) { return (try FileLock.file(path), false) }
        guard options.create else { throw noRealm(path) }
        unlink(CompanionFiles.journal(of: path))
        return (try create(path, FileStamp(identity: UUID(), generation: 1), options), true)
    }

    /// Brings the data file back to the journal's checkpoint if it may lack pages that were never synced: after an
    /// unclean end in another boot, or one in which a sync failed.
    private static func recover(
        _ path: String, _ header: JournalHeader?, _ stamp: FileStamp, _ options: RealmFileOptions, isRead: Bool
    ) throws -> Recovery {
        guard let header, !header.isClean, header.isAbout(stamp) else { return .none }
        if header.bootId == options.bootId, !header.bootId.isEmpty { return .sync }
        // A file that is older than the checkpoint isn't the one that the journal was kept for, but a backup of it: it
        // has none of the pages that the checkpoint's meta page names.
        guard let newest = FilePreflight.newestTransaction(path), newest >= MetaPage.transaction(header.meta) else {
            return .none
        }
        guard !isRead else {
            throw StoreError(
                .locked, "the file must be recovered, but another process reads it; close it there", path: path)
        }
        let writable = try FileSystem.openFile(path, O_RDWR)
        defer { Glibc.close(writable) }
        try MetaPage.restore(header.meta, to: writable, path: path)
        return .replay(try Journal.records(of: path, after: header))
    }

    /// Throws what opening would throw if something else than a realm is at `path`, before anything is made beside it.
    static func checkFile(_ path: String, _ options: RealmFileOptions) throws {
        guard try exists(path) else {
            guard options.create else { throw noRealm(path) }
            return
        }
        // Opening a pipe would wait for who writes to it.
        let descriptor = try FileSystem.openFile(path, O_RDONLY | O_NONBLOCK)
        defer { Glibc.close(descriptor) }
        if let key = options.key {
            _ = try EncryptedFile.newestHeader(descriptor, path, key)
        } else {
            _ = try FileStamp.read(descriptor, path: path)
        }
    }

    private static func noRealm(_ path: String) -> StoreError {
        FileSystem.size(path) == nil
            ? StoreError(.fileNotFound, "there is no file", path: path)
            : StoreError(.notARealm, "it is an empty file, not a realm", path: path)
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
    /// - Returns: the lock on the file.
    private static func create(_ path: String, _ stamp: FileStamp, _ options: RealmFileOptions) throws -> FileLock {
        let directory = (path as NSString).deletingLastPathComponent
        guard directory.isEmpty || FileSystem.size(directory) != nil else {
            throw StoreError(.fileNotFound, "there is no directory \(directory)", path: path)
        }
        TemporaryFile.removeLeftovers(of: path)
        let made = try RecordCopy.write(for: path, stamp: stamp, key: options.key, isDurable: !options.inMemory) {
            store in
            let databases = store.databases
            var format = FileFormat.version.littleEndian
            try withUnsafeBytes(of: &format) { try store.put(databases.meta, .meta(MetaKey.format), $0) }
            try store.put(databases.meta, .meta(MetaKey.version), number: 1)
            try store.put(databases.meta, .meta(MetaKey.schema), StoredSchema.empty.encoded())
        }
        // A file of no bytes is in the way of nothing.
        if FileIdentity(path: path) == nil { try made.place() } else { try made.replace() }
        if !options.inMemory { try FileSystem.syncDirectory(of: path) }
        return made.lock
    }

    /// Opens the file at `path`, which `fileLock` holds, with a reader table of its own, whatever the files before it
    /// still use. Readers of this process may outlive the realm file; as long as they do, so do the locks.
    static func openEnvironment(
        _ path: String, _ lock: FileLock, _ fileLock: FileLock, _ options: RealmFileOptions
    ) throws -> Environment {
        let table = CompanionFiles.readerTable(of: path)
        let memory = try makeReaderTable(table, of: path)
        // LMDB has it open by its own descriptor, and the name would lead elsewhere one day.
        defer { if memory != nil { unlink(table) } }
        let environment = try openEnvironment(
            path, flags: MDB_NOSUBDIR | MDB_NOTLS | MDB_NOSYNC, create: false, smallestMap: options.smallestMap
        ) {
            [lock, fileLock] in _ = (lock, fileLock)
        }
        guard FileIdentity(descriptor: environment.descriptor) == FileIdentity(descriptor: fileLock.descriptor) else {
            throw StoreError(.inputOutput, "the file was replaced while it was opened; try again", path: path)
        }
        return environment
    }

    /// LMDB makes the file as a hole and writes to its mapping, which ends the process when the disk has no room for it:
    /// then the table is in memory, and the realm can still be read, and written once there is room.
    /// - Returns: the memory that the name leads to, to be kept until LMDB has opened it; nil for one on the disk.
    private static func makeReaderTable(_ table: String, of path: String) throws -> MemoryFile? {
        unlink(table)
        do {
            let descriptor = try FileSystem.openFile(table, O_RDWR | O_CREAT | O_EXCL)
            defer { Glibc.close(descriptor) }
            try reserveReaderTable(descriptor, of: path)
            return nil
        } catch let error as StoreError {
            unlink(table)
            guard error.code == .diskFull else { throw error }
            let memory = try MemoryFile("reeve reader table", of: path)
            try reserveReaderTable(memory.descriptor, of: path)
            guard symlink(memory.path, table) == 0 else { throw error }
            return memory
        }
    }

    static func reserveReaderTable(_ descriptor: Int32, of path: String) throws {
        let code = posix_fallocate(descriptor, 0, off_t(readerLimit) * 64 + 4_096)
        guard code == 0 else { throw StoreError(lmdb: code, "making the reader table", path: path) }
    }

    /// `encrypted`: the file that `path`, which is in memory, is the content of. `expectedSize`: what a new one will
    /// have about.
    static func openEnvironment(
        _ path: String, flags: Int32, create: Bool, of encrypted: EncryptedFile? = nil, expectedSize: Int = 0,
        smallestMap: Int = FileFormat.smallestMap, onClose: @escaping @Sendable () -> Void = {}
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
            let mapSize = FileFormat.mapSize(
                forFileOf: max(FileSystem.size(path) ?? 0, expectedSize), atLeast: smallestMap)
            try check(mdb_env_set_mapsize(pointer, mapSize), "opening")
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
            let mapping = MappedMemory(of: pointer)
            mapping?.excludeFromCores()
            return Environment(
                pointer: pointer, databases: databases, path: encrypted?.path ?? path, checksMetaPage: false,
                mappingGuard: create ? nil : mapping.map { MappingGuard($0) }, encrypted: encrypted, onClose: onClose)
        } catch {
            mdb_env_close(pointer)
            throw error
        }
    }

    /// Snapshots that may be held at a time.
    static let readerLimit: UInt32 = 4_096
}

extension UnsafeRecordStore {
    /// Puts a number of eight bytes, little-endian.
    func put(_ database: MDB_dbi, _ key: RecordKey, number: UInt64) throws {
        try withUnsafeBytes(of: number.littleEndian) { try put(database, key, $0) }
    }
}

extension JournalHeader {
    /// Whether the journal was kept for the very file that has the stamp.
    func isAbout(_ stamp: FileStamp) -> Bool {
        identity == stamp.identity && generation == stamp.generation
    }
}
