import CLMDB
import CPlatform
import Foundation

/// A realm file opened only for reading.
///
/// In an app: opened on the descriptor that the agent passed. LMDB's reader table doesn't know it; the agent must hold
/// a read transaction for each snapshot, begun before and ended after it.
package final class FileReader: Sendable {
    package let environment: Environment

    /// Opens the file behind a descriptor as a description of its own; the descriptor may be closed afterwards.
    package convenience init(descriptor: Int32) throws {
        try self.init(opening: "/proc/self/fd/\(descriptor)", name: "/proc/self/fd/\(descriptor)")
    }

    /// Opens a file that nobody writes, such as one that is bundled with an app. An encrypted one is decrypted into
    /// memory of this process.
    package convenience init(path: String, key: RealmKey? = nil) throws {
        if let key {
            let opened = try EncryptedFile.open(try FileSystem.openFile(path, O_RDONLY), path, key)
            // Its name leads to it only while it is open.
            defer { withExtendedLifetime(opened.memory) {} }
            try opened.file.checkStructure(opened.memory)
            try self.init(opening: opened.memory.path, name: path)
            return
        }
        // No agent has looked at it.
        try FilePreflight.check(path)
        let descriptor = try FileSystem.openFile(path, O_RDONLY)
        defer { close(descriptor) }
        if FileSystem.size(descriptor) <= FilePreflight.smallFile, !SoundnessMark.holds(descriptor) {
            try FilePreflight.checkStructure(descriptor, path)
        }
        try self.init(opening: path, name: path)
    }

    private init(opening path: String, name: String) throws {
        try FilePreflight.check(path)
        var pointer: OpaquePointer?
        guard mdb_env_create(&pointer) == 0, let pointer else {
            throw StoreError(.inputOutput, "out of memory", path: name)
        }
        do {
            func check(_ code: Int32, _ doing: String) throws {
                guard code == 0 else { throw StoreError(lmdb: code, doing, path: name) }
            }
            try check(mdb_env_set_maxdbs(pointer, FileFormat.databaseCount), "opening")
            let mapSize = FileFormat.mapSize(forFileOf: FileSystem.size(path) ?? 0)
            try check(mdb_env_set_mapsize(pointer, mapSize), "opening")
            let flags = UInt32(MDB_NOSUBDIR | MDB_RDONLY | MDB_NOLOCK | MDB_NOTLS)
            try check(mdb_env_open(pointer, path, flags, 0), "opening")
            var descriptor: Int32 = -1
            try check(mdb_env_get_fd(pointer, &descriptor), "opening")
            // A new agent sees by this lock that somebody still reads the file.
            guard reeve_lock_shared(descriptor) == 0 else {
                throw StoreError(.locked, "the file can't be locked for reading", path: name, systemCode: errno)
            }
            let databases = try FileReader.openDatabases(pointer, name)
            MappedMemory(of: pointer)?.excludeFromCores()
            environment = Environment(pointer: pointer, databases: databases, path: name, checksMetaPage: true)
        } catch {
            mdb_env_close(pointer)
            throw error
        }
    }

    /// The newest version.
    package func snapshot() throws -> Snapshot {
        try Snapshot(environment)
    }

    /// The newest version by another schema than the file's.
    package func snapshot(presenting schema: StoredSchema) throws -> Snapshot {
        try Snapshot(environment, presenting: schema)
    }

    private static func openDatabases(_ environment: OpaquePointer, _ name: String) throws -> Databases {
        var transaction: OpaquePointer?
        let code = mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction)
        guard code == 0, let transaction else { throw StoreError(lmdb: code, "opening", path: name) }
        do {
            try FileReader.checkFormat(transaction, path: name)
            let databases = try Databases(transaction, create: false)
            mdb_txn_commit(transaction)
            return databases
        } catch {
            mdb_txn_abort(transaction)
            throw error
        }
    }

    /// Refuses files of other formats. Looks at nothing but the `format` record, which all versions have.
    package static func checkFormat(_ transaction: OpaquePointer, path: String) throws {
        var meta: MDB_dbi = 0
        guard mdb_dbi_open(transaction, DatabaseName.meta.rawValue, 0, &meta) == 0 else {
            throw StoreError(.notARealm, "an LMDB file, but not a realm", path: path)
        }
        var value = MDB_val()
        let code = RecordKey.meta(MetaKey.format).withUnsafeBytes { bytes in
            var name = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            return mdb_get(transaction, meta, &name, &value)
        }
        guard code == 0, value.mv_size == 4, let data = value.mv_data else {
            throw StoreError(.notARealm, "an LMDB file, but not a realm", path: path)
        }
        let format = UInt32(littleEndian: data.loadUnaligned(as: UInt32.self))
        guard format <= FileFormat.version else {
            throw StoreError(
                .newerFormat, "the file has format \(format); this version reads formats up to \(FileFormat.version)",
                path: path)
        }
        guard format >= FileFormat.oldestVersion else {
            throw StoreError(.corrupt, "the file has format \(format), which never existed", path: path)
        }
    }
}
