import Foundation

/// An exclusive lock (`flock`) on a file, for as long as the object lives. The kernel gives it up with the process,
/// however that ends.
final class FileLock: Sendable {
    let descriptor: Int32
    private let whenReleased = Lock<[@Sendable () -> Void]>([])

    /// Locks an open file and takes it over, or closes it. Throws `locked` when somebody else has locked it.
    init(_ descriptor: Int32, of realm: String) throws {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR { continue }
            close(descriptor)
            guard code == EWOULDBLOCK else { throw StoreError(lmdb: code, "locking", path: realm) }
            throw StoreError(
                .locked, "the realm is open for writing elsewhere, perhaps under another name", path: realm,
                systemCode: code)
        }
        self.descriptor = descriptor
    }

    deinit {
        // Closing isn't enough: a process that this one is just starting may hold the descriptor a moment longer.
        flock(descriptor, LOCK_UN)
        close(descriptor)
        for body in whenReleased.withLock({ $0 }) { body() }
    }

    /// Locks the name of a realm: `<path>.lock`. Who has it may make, replace and recover the realm's files.
    static func name(of realm: String) throws -> FileLock {
        let path = CompanionFiles.lock(of: realm)
        while true {
            let lock = try FileLock(FileSystem.openFile(path, O_RDWR | O_CREAT | O_NOFOLLOW), of: realm)
            // Whoever had it before may have removed the file between its opening and its locking.
            if lock.isFile(at: path) { return lock }
        }
    }

    /// Locks the realm file itself, whatever its name: hard links lead to one file, and a file that was renamed is
    /// still the one that its former name's owner writes.
    static func file(_ realm: String) throws -> FileLock {
        try FileLock(FileSystem.openFile(realm, O_RDONLY), of: realm)
    }

    func isFile(at path: String) -> Bool {
        FileIdentity(path: path).map { $0 == FileIdentity(descriptor: descriptor) } ?? false
    }

    /// Removes the name `path` if it is this file's.
    func remove(_ path: String) {
        if isFile(at: path) { unlink(path) }
    }

    /// Calls `body`, on any thread, when nobody holds the lock any more.
    func whenReleased(_ body: @escaping @Sendable () -> Void) {
        whenReleased.withLock { $0.append(body) }
    }
}
