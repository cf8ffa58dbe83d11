import CPlatform
import Foundation

/// A client's end of the socket, in plain POSIX calls.
///
/// One thread may receive while others send; each `send` goes out whole. `shutdown()` wakes them all. The descriptor
/// is closed when the object goes.
package final class BlockingConnection: @unchecked Sendable {
    package typealias Deadline = ContinuousClock.Instant

    /// A frame of its own memory, and the descriptor that came with it, which is now the caller's to close.
    package struct Frame: Sendable {
        package var bytes: [UInt8]
        package var descriptor: Int32?
    }

    private let socket: Int32
    private let frameLimit: Int
    private let sending = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let incoming: ReceiveBuffer

    /// Takes over a connected blocking socket.
    package init(adopting socket: Int32, frameLimit: Int = Int(Limits().frame)) {
        self.socket = socket
        self.frameLimit = frameLimit
        incoming = ReceiveBuffer(frameLimit: frameLimit)
        pthread_mutex_init(sending, nil)
    }

    deinit {
        close(socket)
        pthread_mutex_destroy(sending)
        sending.deallocate()
    }

    /// Connects to the agent at `location`.
    ///
    /// Throws `agentUnavailable` when nobody listens there, `timedOut`, `permissionDenied`, `unsafeSocketDirectory`,
    /// or `wrongUser` when another user's process (other than root's) answers.
    package convenience init(
        to location: SocketLocation, deadline: Deadline? = nil, frameLimit: Int = Int(Limits().frame)
    ) throws(WireError) {
        try location.checkDirectory()
        let socket = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else {
            throw WireError(
                .outOfResources, "can't make a socket: \(String(cString: strerror(errno)))",
                facts: ["errno": .int32(errno)])
        }
        self.init(adopting: socket, frameLimit: frameLimit)
        try connect(to: location.path, deadline: deadline)
        try checkPeer()
    }

    private func connect(to path: String, deadline: Deadline?) throws(WireError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        while true {
            // A Unix socket's connect waits only while the listener's queue is full; the send timeout bounds it.
            setSendTimeout(deadline.map { max(.milliseconds(1), ContinuousClock.now.duration(to: $0)) } ?? .zero)
            let status = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Foundation.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            let code = errno
            if status == 0 {
                setSendTimeout(.zero)
                return
            }
            let facts: BSONDocument = ["path": .string(path), "errno": .int32(code)]
            switch code {
            case EINTR: continue
            case ENOENT: throw WireError(.agentUnavailable, "no agent is running: no socket at \(path)", facts: facts)
            case ECONNREFUSED:
                throw WireError(.agentUnavailable, "no agent is running: nobody listens at \(path)", facts: facts)
            case EAGAIN: throw WireError(.timedOut, "the agent at \(path) doesn't accept connections", facts: facts)
            case EACCES, EPERM: throw WireError(.permissionDenied, "may not connect to \(path)", facts: facts)
            default:
                throw WireError(
                    .agentUnavailable, "can't connect to \(path): \(String(cString: strerror(code)))", facts: facts)
            }
        }
    }

    private func setSendTimeout(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var time = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    private func checkPeer() throws(WireError) {
        var uid = uid_t()
        var gid = gid_t()
        var pid = pid_t()
        guard reeve_peer_credentials(socket, &uid, &gid, &pid) == 0 else { return }
        guard uid == getuid() || uid == 0 else {
            throw WireError(
                .wrongUser, "the agent's socket is served by uid \(uid) (pid \(pid)), not by \(getuid())",
                facts: ["uid": .int64(Int64(uid)), "pid": .int32(pid)])
        }
    }

    /// Process id of the other end when it began to listen.
    package var peerProcess: Int32? {
        var uid = uid_t()
        var gid = gid_t()
        var pid = pid_t()
        return reeve_peer_credentials(socket, &uid, &gid, &pid) == 0 ? pid : nil
    }

    /// Ends both directions: threads in `send` and `receive` return with `connectionLost`. Idempotent, any thread.
    package func shutdown() {
        _ = Foundation.shutdown(socket, Int32(SHUT_RDWR))
    }

    /// Ends our direction: the agent answers what is under way and closes.
    package func shutdownWriting() {
        _ = Foundation.shutdown(socket, Int32(SHUT_WR))
    }

    static func lost(_ code: Int32) -> WireError {
        WireError(
            .connectionLost, "the connection to the agent is lost: \(String(cString: strerror(code)))",
            facts: ["errno": .int32(code)])
    }

    /// Waits until `events` are possible. Throws `timedOut`.
    private func wait(for events: Int32, until deadline: Deadline) throws(WireError) {
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            let (seconds, attoseconds) = left.components
            let milliseconds = Double(seconds) * 1000 + Double(attoseconds) / 1e15
            var entry = pollfd(fd: socket, events: Int16(events), revents: 0)
            let count = poll(&entry, 1, Int32(max(0, min(milliseconds.rounded(.up), 1e9))))
            if count > 0 { return }
            if count < 0, errno != EINTR { throw Self.lost(errno) }
            if count == 0, ContinuousClock.now >= deadline {
                throw WireError(.timedOut, "the agent doesn't answer in time")
            }
        }
    }
}

// MARK: - Sending
extension BlockingConnection {
    /// Sends all of `bytes`, after what other threads are sending. Throws `connectionLost`, or `timedOut`, upon
    /// which the connection is of no more use: half a frame may have gone out.
    package func send(_ bytes: UnsafeRawBufferPointer, deadline: Deadline? = nil) throws(WireError) {
        pthread_mutex_lock(sending)
        defer { pthread_mutex_unlock(sending) }
        var rest = bytes
        while !rest.isEmpty {
            let flags = Int32(MSG_NOSIGNAL) | (deadline == nil ? 0 : Int32(MSG_DONTWAIT))
            let count = Foundation.send(socket, rest.baseAddress, rest.count, flags)
            if count > 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if errno == EAGAIN || errno == EWOULDBLOCK, let deadline {
                do {
                    try wait(for: POLLOUT, until: deadline)
                } catch {
                    shutdown()
                    throw error
                }
            } else if errno != EINTR {
                throw Self.lost(errno)
            }
        }
    }

    package func send(_ bytes: [UInt8], deadline: Deadline? = nil) throws(WireError) {
        // Typed throws don't pass through withUnsafeBytes' rethrows in every compiler of the 6 series.
        let outcome: Result<Void, WireError> = bytes.withUnsafeBytes { bytes in
            do throws(WireError) {
                return .success(try send(bytes, deadline: deadline))
            } catch {
                return .failure(error)
            }
        }
        try outcome.get()
    }
}

// MARK: - Receiving
extension BlockingConnection {
    /// Waits for the next frame and hands it out in place, with the descriptor that came along, which is then the
    /// caller's to close. Not for several threads at once.
    ///
    /// Throws `connectionLost` at the end of the stream, `timedOut` (the connection stays good), `badFrame`,
    /// `frameTooLarge`.
    package func receive<Result>(
        deadline: Deadline? = nil, _ body: (UnsafeRawBufferPointer, Int32?) throws -> Result
    ) throws -> Result {
        while true {
            if let length = try incoming.completeFrame() {
                defer { incoming.removeFrame(length) }
                return try body(incoming.front(length), incoming.takeDescriptor(length))
            }
            if let deadline { try wait(for: POLLIN, until: deadline) }
            try incoming.fill(from: socket, waiting: deadline == nil)
        }
    }

    /// Waits for the next frame and copies it.
    package func receiveFrame(deadline: Deadline? = nil) throws -> Frame {
        try receive(deadline: deadline) { Frame(bytes: Array($0), descriptor: $1) }
    }

    /// Waits until something has come, without reading it: true also at the end of the stream and on errors, of which
    /// `receive` then tells. False after `timeout`. May be called while another thread receives.
    package func waitForInput(timeout: Duration?) -> Bool {
        let deadline = timeout.map { ContinuousClock.now + $0 }
        while true {
            var milliseconds: Int32 = -1
            if let deadline {
                let (seconds, attoseconds) = ContinuousClock.now.duration(to: deadline).components
                let left = Double(seconds) * 1000 + Double(attoseconds) / 1e15
                milliseconds = Int32(max(0, min(left.rounded(.up), 1e9)))
            }
            var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            let count = poll(&entry, 1, milliseconds)
            if count > 0 || count < 0 && errno != EINTR { return true }
            if count == 0, milliseconds == 0 { return false }
        }
    }

    /// Whether a whole frame is here already: `receive` wouldn't wait.
    package var hasFrame: Bool { (try? incoming.completeFrame()) != nil }
}
