import Foundation

/// Where the agent of this user listens.
///
/// `$REEVE_SOCKET` if set, else `$XDG_RUNTIME_DIR/reeve/agent.sock`, else `/tmp/reeve-<uid>/agent.sock`. The
/// directory must be a real one, ours, and closed to others: whoever could replace the socket could read and write
/// every realm in our name.
package struct SocketLocation: Hashable, Sendable {
    /// Absolute path of the socket.
    package let path: String

    /// Bytes that the kernel takes for a socket's path.
    package static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// A location of one's own choice, by the same rules. Throws `badSocketPath`.
    package init(path: String) throws(WireError) {
        guard path.hasPrefix("/"), !path.hasSuffix("/"), !path.utf8.contains(0) else {
            throw WireError(
                .badSocketPath, "\"\(path)\" can't be the agent's socket: give an absolute path of a file",
                facts: ["path": .string(path)])
        }
        guard path.utf8.count <= Self.longestPath else {
            throw WireError(
                .badSocketPath,
                "\"\(path)\" is too long for a socket: \(path.utf8.count) bytes, at most \(Self.longestPath); "
                    + "set REEVE_SOCKET to a shorter path",
                facts: [
                    "path": .string(path), "size": .int64(Int64(path.utf8.count)),
                    "limit": .int64(Int64(Self.longestPath))
                ])
        }
        self.path = path
    }

    /// The place that the environment names.
    package static func resolve(
        environment: [String: String] = ProcessInfo.processInfo.environment, uid: uid_t = getuid()
    ) throws(WireError) -> SocketLocation {
        if let path = environment["REEVE_SOCKET"], !path.isEmpty { return try SocketLocation(path: path) }
        // A relative XDG_RUNTIME_DIR is to be ignored, says its specification.
        if let directory = environment["XDG_RUNTIME_DIR"], directory.hasPrefix("/") {
            let trimmed = directory.count > 1 && directory.hasSuffix("/") ? String(directory.dropLast()) : directory
            return try SocketLocation(path: "\(trimmed)/reeve/agent.sock")
        }
        return try SocketLocation(path: "/tmp/reeve-\(uid)/agent.sock")
    }

    /// Directory of the socket.
    package var directory: String {
        let parent = path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)
        return parent.isEmpty ? "/" : String(parent)
    }

    /// Throws `unsafeSocketDirectory` if somebody else might have put the socket there, `agentUnavailable` if there
    /// is no directory. For clients, before they connect.
    package func checkDirectory(uid: uid_t = getuid()) throws(WireError) {
        var status = stat()
        guard lstat(directory, &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR {
                throw WireError(
                    .agentUnavailable, "no agent is running: there is no directory \(directory)",
                    facts: ["path": .string(path), "errno": .int32(errno)])
            }
            throw refusal("can't be examined: \(String(cString: strerror(errno)))", advice: "")
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: break
        case S_IFLNK: throw refusal("is a symbolic link", advice: "remove it, or set REEVE_SOCKET to the real path")
        default: throw refusal("is not a directory", advice: "remove it")
        }
        guard status.st_uid == uid else {
            throw refusal(
                "belongs to uid \(status.st_uid), not to \(uid)",
                advice: "set REEVE_SOCKET to a path in a directory of your own")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw refusal("is open to other users", advice: "run: chmod 700 \(directory)")
        }
    }

    /// Makes the directory if it is missing (its parent must exist), then checks it. For the agent.
    package func prepareDirectory(uid: uid_t = getuid()) throws(WireError) {
        if mkdir(directory, 0o700) != 0, errno != EEXIST {
            throw WireError(
                .permissionDenied, "can't make the directory \(directory): \(String(cString: strerror(errno)))",
                facts: ["path": .string(directory), "errno": .int32(errno)])
        }
        try checkDirectory(uid: uid)
    }

    private func refusal(_ problem: String, advice: String) -> WireError {
        WireError(
            .unsafeSocketDirectory,
            "the socket's directory \(directory) \(problem)" + (advice.isEmpty ? "" : "; \(advice)"),
            facts: ["path": .string(directory)])
    }
}
