import Foundation

/// File operations with typed errors.
enum FileSystem {
    static func openFile(_ path: String, _ flags: Int32, mode: mode_t = 0o600) throws -> Int32 {
        let descriptor = open(path, flags | O_CLOEXEC, mode)
        guard descriptor >= 0 else {
            if errno == ELOOP, flags & O_NOFOLLOW != 0 {
                throw StoreError(
                    .permissionDenied, "it is a symbolic link, which is not followed; remove it", path: path,
                    systemCode: ELOOP)
            }
            throw StoreError(lmdb: errno, "opening", path: path)
        }
        return descriptor
    }

    static func syncData(_ descriptor: Int32, path: String) throws {
        guard fdatasync(descriptor) == 0 else { throw StoreError(lmdb: errno, "syncing", path: path) }
    }

    /// Makes what was created, renamed or removed in the directory of `path` durable.
    static func syncDirectory(of path: String) throws {
        let directory = (path as NSString).deletingLastPathComponent
        let descriptor = try openFile(directory.isEmpty ? "." : directory, O_RDONLY | O_DIRECTORY)
        defer { close(descriptor) }
        // Some file systems don't sync directories; they have nothing to lose by it.
        guard fsync(descriptor) == 0 || errno == EINVAL else {
            throw StoreError(lmdb: errno, "syncing the directory", path: path)
        }
    }

    /// Nil when there is no such file.
    static func size(_ path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    static func size(_ descriptor: Int32) -> Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }
}
