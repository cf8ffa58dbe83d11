import CPlatform
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

    /// Writes all of `bytes`; false with `errno` if that can't be. A disk that fills up takes part of them first.
    static func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress.map { $0 + done }, $0.count - done, off_t(offset + done))
            }
            if count > 0 {
                done += count
            } else if count == 0 {
                errno = ENOSPC
                return false
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    /// Room that is asked for to tell whether a disk is full.
    private static let probeBytes: off_t = 1 << 20

    /// Whether the file can't grow: the disk is full, or what the user may have of it, or of a file.
    static func isFull(_ descriptor: Int32) -> Bool {
        let end = off_t(size(descriptor))
        guard reeve_has_room(descriptor, end, probeBytes) != 0 else { return false }
        switch errno {
        case ENOSPC, EDQUOT, EFBIG: return true
        case EOPNOTSUPP, ENOSYS:
            var status = statvfs()
            guard fstatvfs(descriptor, &status) == 0 else { return false }
            return status.f_bavail * UInt(status.f_frsize) < UInt(probeBytes)
        default: return false
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
