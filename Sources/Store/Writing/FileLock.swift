import Foundation

/// Keeps other processes from opening the same realm for writing: an exclusive lock on `<path>.lock`.
final class FileLock: Sendable {
    private let descriptor: Int32

    /// Throws `locked` when another process holds it.
    init(realm path: String) throws {
        let name = path + ".lock"
        descriptor = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(lmdb: errno, "opening the lock file", path: name) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            close(descriptor)
            guard code == EWOULDBLOCK else { throw StoreError(lmdb: code, "locking", path: name) }
            throw StoreError(.locked, "another process has the realm open for writing", path: path, systemCode: code)
        }
    }

    deinit {
        // Closing isn't enough: a process that this one is just starting may hold the descriptor a moment longer.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
