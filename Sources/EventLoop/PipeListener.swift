import CPlatform
import CUV
import Foundation

/// A listening Unix socket on the loop.
///
/// When the process runs out of descriptors it neither spins nor stops: a spare descriptor lets it accept, refuse
/// politely (`refusal`) and close what waits, and it serves newcomers again as soon as descriptors are free.
@LoopActor
package final class PipeListener {
    /// Connections that came while descriptors were short, or beyond `connectionLimit`.
    package private(set) var refusedCount = 0
    /// What a refused peer is sent before its connection is closed. Best effort.
    package var refusal: [UInt8] = []
    /// Consulted before each connection; false refuses it.
    package var mayAccept: @LoopActor () -> Bool = { true }
    /// The socket's path, if this listener made it.
    package let path: String?

    private var handle: UnsafeMutablePointer<uv_poll_t>?
    private let socket: Int32
    private var spare: Int32
    private var retryTimer: LoopTimer?
    private let accepted: @LoopActor (PipeConnection) -> Void

    /// Connections taken in one go before other sockets get their turn.
    private static let batch = 64

    /// Listens on a new socket at `path` with the given permission bits. The path must not exist: whoever calls has
    /// removed a stale one. Throws `EADDRINUSE`, `ENAMETOOLONG`, …
    package convenience init(
        path: String, mode: mode_t = 0o600, accepted: @escaping @LoopActor (PipeConnection) -> Void
    ) throws {
        let socket = Foundation.socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard socket >= 0 else { throw LoopError("socket", errorNumber: errno, path: path) }
        do {
            try Self.bind(socket, to: path)
            // Between bind and listen nobody can connect yet.
            guard chmod(path, mode) == 0 else { throw LoopError("chmod", errorNumber: errno, path: path) }
        } catch {
            Foundation.close(socket)
            throw error
        }
        try self.init(socket: socket, path: path, accepted: accepted)
    }

    /// Takes over a socket that is bound already, such as one inherited from systemd.
    package convenience init(
        adopting descriptor: Int32, accepted: @escaping @LoopActor (PipeConnection) -> Void
    ) throws {
        let status = fcntl(descriptor, F_GETFL)
        guard status >= 0, fcntl(descriptor, F_SETFL, status | O_NONBLOCK) >= 0,
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) >= 0
        else { throw LoopError("fcntl", errorNumber: errno) }
        try self.init(socket: descriptor, path: nil, accepted: accepted)
    }

    private init(socket: Int32, path: String?, accepted: @escaping @LoopActor (PipeConnection) -> Void) throws {
        self.socket = socket
        self.path = path
        self.accepted = accepted
        spare = Self.openSpare()
        guard listen(socket, SOMAXCONN) == 0 else {
            let error = LoopError("listen", errorNumber: errno, path: path)
            Foundation.close(socket)
            if spare >= 0 { Foundation.close(spare) }
            throw error
        }
        let handle = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
        let status = uv_poll_init(EventLoop.shared.uv, handle, socket)
        guard status == 0 else {
            handle.deallocate()
            Foundation.close(socket)
            if spare >= 0 { Foundation.close(spare) }
            throw LoopError("uv_poll_init", status: status, path: path)
        }
        handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
        self.handle = handle
        startPolling()
    }

    /// Stops listening and closes the socket; its path stays. Idempotent; connections made stay.
    package func close() {
        guard let handle else { return }
        self.handle = nil
        retryTimer?.close()
        retryTimer = nil
        giveUpSpare()
        closeHandle(handle) { @Sendable handle in
            guard let data = handle?.pointee.data else { return }
            let listener = Unmanaged<PipeListener>.fromOpaque(data)
            Foundation.close(listener.takeUnretainedValue().socket)
            listener.release()
            UnsafeMutableRawPointer(handle)?.assumingMemoryBound(to: uv_poll_t.self).deallocate()
        }
    }

    /// Closes the spare descriptor, so that the next `accept` finds room.
    func giveUpSpare() {
        if spare >= 0 { Foundation.close(spare) }
        spare = -1
    }

    private func startPolling() {
        guard let handle else { return }
        uv_poll_start(handle, Int32(UV_READABLE.rawValue)) { @Sendable handle, _, _ in
            guard let data = handle?.pointee.data else { return }
            let listener = Unmanaged<PipeListener>.fromOpaque(data).takeUnretainedValue()
            EventLoop.shared.enter { LoopActor.assumeIsolated { listener.acceptWaiting() } }
        }
    }

    private func acceptWaiting() {
        for _ in 0..<Self.batch where handle != nil {
            let descriptor = reeve_accept(socket)
            if descriptor >= 0 {
                guard mayAccept() else {
                    refuse(descriptor)
                    continue
                }
                if let connection = try? PipeConnection(adopting: descriptor) { accepted(connection) }
                continue
            }
            switch errno {
            case EAGAIN, EWOULDBLOCK: return
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE:
                switch refuseWithSpare() {
                case .refused: continue
                case .nobodyWaiting: return
                case .noSpare: return pauseAccepting()
                }
            default: return pauseAccepting()
            }
        }
    }

    private enum SpareOutcome { case refused, nobodyWaiting, noSpare }

    /// Gives up the spare descriptor for the time it takes to turn one peer away. Without a free descriptor the kernel
    /// doesn't even say whether somebody waits.
    private func refuseWithSpare() -> SpareOutcome {
        guard spare >= 0 else { return .noSpare }
        giveUpSpare()
        let descriptor = reeve_accept(socket)
        let isEmpty = descriptor < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
        if descriptor >= 0 { refuse(descriptor) }
        // Another thread may have taken the descriptor meanwhile.
        spare = Self.openSpare()
        if spare < 0 { return .noSpare }
        return descriptor >= 0 ? .refused : isEmpty ? .nobodyWaiting : .noSpare
    }

    private func refuse(_ descriptor: Int32) {
        refusedCount += 1
        if !refusal.isEmpty {
            _ = send(descriptor, refusal, refusal.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        Foundation.close(descriptor)
    }

    /// Lets peers wait in the kernel's queue for a moment: the poll is level-triggered and would spin.
    private func pauseAccepting() {
        guard let handle else { return }
        uv_poll_stop(handle)
        let timer =
            retryTimer
            ?? LoopTimer { [unowned self] in
                if spare < 0 { spare = Self.openSpare() }
                startPolling()
            }
        retryTimer = timer
        timer.start(after: .milliseconds(50))
    }

    private static func openSpare() -> Int32 {
        open("/dev/null", O_RDONLY | O_CLOEXEC)
    }

    private static func bind(_ socket: Int32, to path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < capacity else { throw LoopError("bind", errorNumber: ENAMETOOLONG, path: path) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { throw LoopError("bind", errorNumber: errno, path: path) }
    }
}
