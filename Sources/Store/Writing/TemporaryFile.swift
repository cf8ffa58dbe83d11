import Foundation

/// A file that is being made for a place beside it, under a name that nothing else has. Unless it was given its place,
/// it is gone with the object.
final class TemporaryFile {
    let path: String
    /// Says that somebody is at it; and, once the file has its place, that it is open for writing.
    let lock: FileLock
    private let target: String
    private var isPlaced = false

    /// Random names tried before giving up.
    private static let attempts = 100

    /// Makes an empty file beside `target`.
    init(for target: String) throws {
        self.target = target
        for _ in 0..<TemporaryFile.attempts {
            let path = CompanionFiles.temporary(for: target)
            let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                if errno == EEXIST { continue }
                throw StoreError(lmdb: errno, "making a file beside it", path: target)
            }
            // Who removes what others left may have taken it for that before it was locked.
            guard let lock = try? FileLock(descriptor, of: target), lock.isFile(at: path) else { continue }
            (self.path, self.lock) = (path, lock)
            return
        }
        throw StoreError(.inputOutput, "no file can be made and locked beside it", path: target)
    }

    deinit {
        if !isPlaced { unlink(path) }
    }

    /// Puts the file in its place, instead of what may be there.
    func replace() throws {
        guard rename(path, target) == 0 else { throw StoreError(lmdb: errno, "replacing the file", path: target) }
        isPlaced = true
    }

    /// Puts the file in its place. Throws `fileExists` rather than replace what came there meanwhile.
    func place() throws {
        if link(path, target) == 0 {
            unlink(path)
        } else {
            let code = errno
            // Some file systems have no links.
            guard code == EPERM || code == EOPNOTSUPP || code == ENOSYS, FileIdentity(path: target) == nil,
                rename(path, target) == 0
            else {
                throw code == EEXIST
                    ? StoreError(.fileExists, "there is a file already", path: target)
                    : StoreError(lmdb: code, "creating", path: target)
            }
        }
        isPlaced = true
    }

    /// Removes what processes that were killed left of files for `target`; what somebody is still at stays.
    static func removeLeftovers(of target: String) {
        for path in CompanionFiles.temporaries(of: target) {
            guard let descriptor = try? FileSystem.openFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
                let lock = try? FileLock(descriptor, of: target)
            else { continue }
            lock.remove(path)
        }
    }
}
