import CLMDB
import Foundation
import Synchronization

/// Handles of the named databases of an environment.
package struct Databases: Sendable {
    package var meta: MDB_dbi = 0
    package var objects: MDB_dbi = 0
    package var keys: MDB_dbi = 0
    package var index: MDB_dbi = 0
    package var backlinks: MDB_dbi = 0
    package var lists: MDB_dbi = 0
    package var blobs: MDB_dbi = 0
    package var changes: MDB_dbi = 0
    /// Nil in files of format 2 and before.
    package var sync: MDB_dbi?

    /// Opens all databases in a transaction, creating them if it may write and `create` is set.
    package init(_ transaction: OpaquePointer, create: Bool) throws {
        func openIfThere(_ name: DatabaseName) throws -> MDB_dbi? {
            var handle: MDB_dbi = 0
            let code = mdb_dbi_open(transaction, name.rawValue, create ? UInt32(MDB_CREATE) : 0, &handle)
            if code == MDB_NOTFOUND { return nil }
            guard code == 0 else { throw StoreError(lmdb: code, "opening database '\(name.rawValue)'") }
            return handle
        }
        func open(_ name: DatabaseName) throws -> MDB_dbi {
            guard let handle = try openIfThere(name) else {
                throw StoreError(.notARealm, "the file has no database '\(name.rawValue)': not a realm")
            }
            return handle
        }
        meta = try open(.meta)
        objects = try open(.objects)
        keys = try open(.keys)
        index = try open(.index)
        backlinks = try open(.backlinks)
        lists = try open(.lists)
        blobs = try open(.blobs)
        changes = try open(.changes)
        sync = try openIfThere(.sync)
    }
}

/// An open LMDB environment and what its snapshots share. Closed when nobody holds it any more, so a snapshot's
/// memory stays mapped while the snapshot lives.
package final class Environment: @unchecked Sendable {
    package let pointer: OpaquePointer
    package let databases: Databases
    package let path: String
    /// Whether LMDB's reader table doesn't know our readers, so that each begin must be checked against the meta page.
    package let checksMetaPage: Bool
    /// The file on disk of which this is the decrypted content; nil if it is the file itself.
    let encrypted: EncryptedFile?
    /// Which file on disk it is.
    let identity: FileIdentity?
    let cache = Lock(SnapshotCache())
    /// Read transactions that are open.
    let readCount = Atomic<Int>(0)
    /// The greatest length that the file has been seen with: it never gets shorter.
    private let length = Atomic<Int>(0)
    private let isTruncated = Atomic<Bool>(false)
    private let descriptorOfFile: Int32
    private let onClose: @Sendable () -> Void
    private var mappingGuard: MappingGuard?
    /// Address space that is reserved for the file.
    let mapSize: Int

    /// Takes over an open environment. `onClose` runs after it was closed.
    init(
        pointer: OpaquePointer, databases: Databases, path: String, checksMetaPage: Bool,
        mappingGuard: MappingGuard? = nil, encrypted: EncryptedFile? = nil,
        onClose: @escaping @Sendable () -> Void = {}
    ) {
        self.encrypted = encrypted
        self.mappingGuard = mappingGuard
        self.pointer = pointer
        mapSize = pointer.mapSize
        self.databases = databases
        self.path = path
        self.checksMetaPage = checksMetaPage
        self.onClose = onClose
        var descriptor: mdb_filehandle_t = -1
        let isOpen = mdb_env_get_fd(pointer, &descriptor) == 0
        identity = encrypted.map(\.identity) ?? (isOpen ? FileIdentity(descriptor: descriptor) : nil)
        descriptorOfFile = descriptor
    }

    deinit {
        mappingGuard = nil
        mdb_env_close(pointer)
        onClose()
    }

    /// Throws when part of the file turned out to be gone: what was read of it is zeros, and what was made of that isn't
    /// to be trusted. To be asked after reading, and before as well where a page that is missing ends the process. Costs
    /// a system call.
    func checkIntact() throws {
        guard mappingGuard?.isIntact ?? true else {
            throw StoreError(
                .corrupt, "pages of the file vanished while it was open; close it everywhere, and open it again",
                path: path)
        }
        guard hasKeptItsLength() else {
            throw StoreError(
                .corrupt, "the file was truncated while it was open; close it everywhere, and open it again",
                path: path)
        }
    }

    /// Whether the file never was shorter than it had been. What is missing of its last page reads as zeros without
    /// anybody being told.
    private func hasKeptItsLength() -> Bool {
        // In this order: a file that grows meanwhile is not shorter.
        let seen = length.load(ordering: .acquiring)
        let now = FileSystem.size(descriptorOfFile)
        if now < seen { isTruncated.store(true, ordering: .relaxed) }
        if now > seen { length.max(now, ordering: .acquiringAndReleasing) }
        return !isTruncated.load(ordering: .relaxed)
    }

    /// Begins a read transaction.
    package func beginRead() throws -> OpaquePointer {
        try checkIntact()
        var transaction: OpaquePointer?
        let code = mdb_txn_begin(pointer, nil, UInt32(MDB_RDONLY), &transaction)
        guard code == 0, let transaction else { throw StoreError(lmdb: code, "beginning to read", path: path) }
        if checksMetaPage { try settle(transaction) }
        return transaction
    }

    /// Two commits can overwrite a meta page while it is being copied; begins anew until it was read whole.
    private func settle(_ transaction: OpaquePointer) throws {
        var info = MDB_envinfo()
        for _ in 0..<1_000 {
            mdb_env_info(pointer, &info)
            if info.me_last_txnid == mdb_txn_id(transaction) { return }
            mdb_txn_reset(transaction)
            let code = mdb_txn_renew(transaction)
            guard code == 0 else {
                mdb_txn_abort(transaction)
                throw StoreError(lmdb: code, "beginning to read", path: path)
            }
        }
        mdb_txn_abort(transaction)
        throw StoreError(.snapshotExpired, "no settled version to read after 1000 attempts", path: path)
    }
}

/// What is worth keeping from one snapshot to the next.
struct SnapshotCache {
    var schema: StoredSchema?
    var directories: [TableId: ClusterDirectory] = [:]
}

extension StoreError {
    /// The error for a return code of LMDB about a file that is being written. LMDB calls it a failure of the disk when
    /// that takes only part of what is written.
    init(lmdb code: Int32, _ doing: String, path: String?, writingTo descriptor: Int32) {
        self.init(lmdb: code == EIO && FileSystem.isFull(descriptor) ? ENOSPC : code, doing, path: path)
    }

    /// The same for the file of a write transaction that is open.
    init(lmdb code: Int32, _ doing: String, path: String?, in transaction: OpaquePointer?) {
        var descriptor: Int32 = -1
        if code == EIO, let transaction { mdb_env_get_fd(mdb_txn_env(transaction), &descriptor) }
        self.init(lmdb: code, doing, path: path, writingTo: descriptor)
    }

    /// The error for a return code of LMDB or an errno.
    package init(lmdb code: Int32, _ doing: String, path: String? = nil) {
        let reason = mdb_strerror(code).map { String(cString: $0) } ?? "error \(code)"
        let kind: Code =
            switch code {
            case MDB_INVALID, MDB_BAD_VALSIZE: .notARealm
            case MDB_VERSION_MISMATCH, MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_PANIC, MDB_NOTFOUND: .corrupt
            case MDB_MAP_FULL, ENOSPC, EDQUOT, EFBIG: .diskFull
            case EACCES, EPERM, EROFS: .permissionDenied
            case ENOENT: .fileNotFound
            case EISDIR: .isADirectory
            case EMFILE, ENFILE, ENOMEM, EAGAIN, MDB_READERS_FULL, MDB_TLS_FULL, MDB_DBS_FULL: .outOfResources
            default: .inputOutput
            }
        self.init(kind, "\(doing): \(reason)", path: path, systemCode: code)
    }
}
