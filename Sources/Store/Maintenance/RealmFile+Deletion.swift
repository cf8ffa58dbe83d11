import CPlatform
import Foundation
import Glibc

extension RealmFile {
    /// Removes a realm that nobody has open, with the files beside it. Returns false, and touches nothing, if there is no
    /// file.
    ///
    /// Throws `notARealm` rather than remove another file, and `locked` when somebody, in whatever process, has it open
    /// to write or to read.
    package static func delete(_ path: String) throws -> Bool {
        guard FileIdentity(path: path) != nil else { return false }
        try checkIsRealm(path)
        let name = try FileLock.name(of: path)
        let file = try FileLock.file(path)
        guard reeve_is_locked_by_others(file.descriptor) == 0 else {
            throw StoreError(.locked, "another process reads the realm; close it there", path: path)
        }
        guard file.isFile(at: path) else {
            throw StoreError(.locked, "the file was replaced while it was to be deleted", path: path)
        }
        guard unlink(path) == 0 else { throw StoreError(lmdb: errno, "deleting", path: path) }
        unlink(CompanionFiles.journal(of: path))
        unlink(CompanionFiles.readerTable(of: path))
        name.remove(CompanionFiles.lock(of: path))
        return true
    }

    private static func checkIsRealm(_ path: String) throws {
        let descriptor = try FileSystem.openFile(path, O_RDONLY | O_NONBLOCK)
        defer { Glibc.close(descriptor) }
        do {
            _ = try FileStamp.read(descriptor, path: path)
        } catch let error as StoreError where error.code == .newerFormat || error.code == .keyMissing {
            // One of ours all the same.
        }
    }
}
