import CPlatform
import Foundation
import Wire

/// The lock that makes an agent the only one at its socket: a file beside the socket, locked for as long as the
/// process lives. The kernel gives it up when the process dies, however it dies, so a lock is never stale.
package final class LaunchLock {
    package let path: String
    private let descriptor: Int32

    /// Takes the lock at `path`, whose directory must exist, or returns nil when another process has it. Throws
    /// `permissionDenied`, `diskFull` or `outOfResources` if the file can't be made.
    package init?(path: String) throws(WireError) {
        self.path = path
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else {
                let code = errno
                // A link that isn't followed, say, is for a person to look at.
                let kind = WireError.Code(systemCode: code)
                throw WireError(
                    kind == .ioError ? .permissionDenied : kind,
                    "can't open the agent's lock file \(path): \(String(cString: strerror(code)))",
                    facts: ["path": .string(path), "errno": .int32(code)])
            }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let code = errno
                close(descriptor)
                if code == EINTR { continue }
                if code == EWOULDBLOCK { return nil }
                throw WireError(
                    .ioError, "can't lock \(path): \(String(cString: strerror(code)))",
                    facts: ["path": .string(path), "errno": .int32(code)])
            }
            // Whoever had it before may have removed the file between our opening and our locking it.
            guard Self.isFile(descriptor, at: path) else {
                close(descriptor)
                continue
            }
            self.descriptor = descriptor
            break
        }
        let text = Array("\(getpid())\n".utf8)
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, text, text.count, 0) }
    }

    deinit { close(descriptor) }

    /// Whether the file is still the one at its path. If not, another agent may start beside this one.
    package var isInPlace: Bool { Self.isFile(descriptor, at: path) }

    /// Pid that the holder of the lock at `path` wrote into it.
    package static func holder(at path: String) -> Int32? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        return Int32(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    private static func isFile(_ descriptor: Int32, at path: String) -> Bool {
        var ours = stat()
        var there = stat()
        return fstat(descriptor, &ours) == 0 && lstat(path, &there) == 0 && ours.st_ino == there.st_ino
            && ours.st_dev == there.st_dev
    }
}
