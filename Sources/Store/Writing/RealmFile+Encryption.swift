import CLMDB
import CPlatform
import Foundation
import Glibc

extension RealmFile {
    /// Opens an encrypted realm: its last checkpoint is decrypted into memory, to be brought up to date by the journal.
    static func openEncrypted(
        _ path: String, _ key: RealmKey, _ options: RealmFileOptions, _ lock: FileLock
    ) throws -> Opening {
        let (fileLock, wasCreated) = try lockOrCreate(path, options)
        let environment = try openEncrypted(path, key, lock, fileLock)
        guard let file = environment.encrypted else {
            throw StoreError(.inputOutput, "the encrypted file isn't open", path: path)
        }
        let stamp = file.state.withLock { $0.header.stamp }
        var recovery = Recovery.none
        var header: JournalHeader?
        if !file.isClean {
            TemporaryFile.removeLeftovers(of: path)
            (recovery, header) = try recoverEncrypted(path, key, stamp, version: file.version)
        }
        return Opening(
            environment: environment, stamp: stamp, version: try Snapshot(environment).version, wasCreated: wasCreated,
            // Readers of former runs have memory of their own.
            mustMove: false, isReadOnly: false, modified: nil, header: header, recovery: recovery)
    }

    /// As for a plain file that may not be written: nothing is made beside it, and one that must be recovered is refused.
    static func openEncryptedReadOnly(
        _ path: String, _ key: RealmKey, _ lock: FileLock, _ fileLock: FileLock
    ) throws -> Opening {
        let environment = try openEncrypted(path, key, lock, fileLock, O_RDONLY)
        guard let file = environment.encrypted, file.isClean else {
            throw StoreError(
                .permissionDenied, "the file must be recovered after a failure, and may not be written", path: path)
        }
        return Opening(
            environment: environment, stamp: file.state.withLock { $0.header.stamp },
            version: try Snapshot(environment).version, wasCreated: false, mustMove: false, isReadOnly: true,
            modified: nil, header: nil, recovery: .none)
    }

    /// What the journal holds beyond the checkpoint of `version`.
    private static func recoverEncrypted(
        _ path: String, _ key: RealmKey, _ stamp: FileStamp, version: UInt64
    ) throws -> (Recovery, JournalHeader?) {
        guard let (header, cipher) = try Journal.header(of: path, key), !header.isClean, header.isAbout(stamp) else {
            return (.replay([]), nil)
        }
        guard header.version <= version else {
            throw StoreError(
                .corrupt,
                "the file is older than its journal, perhaps put back from a copy; to open it as it is, remove the journal",
                path: path)
        }
        return (.replay(try Journal.records(of: path, after: header, cipher, version: version)), header)
    }

    /// Decrypts the file at `path`, which `fileLock` holds, into memory and opens that. Readers of this process may
    /// outlive the realm file; as long as they do, so do the locks.
    static func openEncrypted(
        _ path: String, _ key: RealmKey, _ lock: FileLock, _ fileLock: FileLock, _ flags: Int32 = O_RDWR
    ) throws -> Environment {
        let descriptor = try FileSystem.openFile(path, flags)
        guard FileIdentity(descriptor: descriptor) == FileIdentity(descriptor: fileLock.descriptor) else {
            Glibc.close(descriptor)
            throw StoreError(.inputOutput, "the file was replaced while it was opened; try again", path: path)
        }
        let (file, memory) = try EncryptedFile.open(descriptor, path, key)
        try file.checkStructure(memory)
        let table = try MemoryFile("reeve-readers", of: path)
        try reserveReaderTable(table.descriptor, of: path)
        let environment = try MemoryFileNames.with(data: memory, table: table, of: path) { name in
            try openEnvironment(name, flags: MDB_NOSUBDIR | MDB_NOTLS | MDB_NOSYNC, create: false, of: file) {
                [lock, fileLock] in _ = (lock, fileLock)
            }
        }
        memory.protect()
        return environment
    }
}
