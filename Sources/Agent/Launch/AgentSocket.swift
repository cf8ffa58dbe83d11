import EventLoop
import Foundation
import Store
import Wire

/// The agent's listening socket and the file that names it.
///
/// The directory is ours alone (0700) before the socket is made in it, so there is no moment at which another user
/// could connect, whatever the umask. A socket file that nobody listens at is replaced; one that somebody listens at
/// never is.
@LoopActor
final class AgentSocket {
    let location: SocketLocation
    let listener: PipeListener
    /// Whether systemd made the socket and will go on listening after we end.
    let isInherited: Bool
    private let file: FileIdentity?

    /// Listens at `location`; the caller holds the launch lock. Throws `locked` when another program answers there.
    init(location: SocketLocation, accepted: @escaping @LoopActor (PipeConnection) -> Void) throws {
        self.location = location
        isInherited = false
        try Self.removeStale(location)
        listener = try PipeListener(path: location.path, mode: 0o600, accepted: accepted)
        file = FileIdentity(path: location.path)
    }

    /// Takes over a socket that systemd listens at for us.
    init(
        inheriting descriptor: Int32, location: SocketLocation,
        accepted: @escaping @LoopActor (PipeConnection) -> Void
    ) throws {
        self.location = location
        isInherited = true
        listener = try PipeListener(adopting: descriptor, accepted: accepted)
        file = FileIdentity(path: location.path)
    }

    /// Whether the path still leads to this socket.
    var isInPlace: Bool { file != nil && FileIdentity(path: location.path) == file }
    /// Whether the path leads to nothing.
    var isGone: Bool { FileIdentity(path: location.path) == nil }

    /// Stops listening; removes the path if it is ours to remove.
    func close() {
        if !isInherited, isInPlace { unlink(location.path) }
        listener.close()
    }

    private static func removeStale(_ location: SocketLocation) throws(WireError) {
        var status = stat()
        guard lstat(location.path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw WireError(
                .fileExists, "\(location.path) is in the way: it is not a socket; move it, or set REEVE_SOCKET",
                facts: ["path": .string(location.path)])
        }
        // Dial before unlinking: a program may listen there that knows nothing of our lock.
        let pid: Int32
        do throws(WireError) {
            pid = try BlockingConnection(to: location, deadline: .now + .seconds(2)).peerProcess ?? 0
        } catch {
            guard error.code == .agentUnavailable else { throw error }
            unlink(location.path)
            return
        }
        throw WireError(
            .locked, "another program (pid \(pid)) listens at \(location.path)",
            facts: ["path": .string(location.path), "pid": .int32(pid)])
    }
}
