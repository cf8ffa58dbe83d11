import CUV
import Foundation

/// Options of TCP sockets.
enum TCPSocket {
    /// Seconds of silence after which the kernel asks whether the peer is still there, then seconds between questions,
    /// and how many remain unanswered before the connection counts as broken.
    static let keepAlive: (idle: Int32, interval: Int32, count: Int32) = (60, 15, 4)

    /// A non-blocking socket that children don't inherit.
    static func make(_ domain: Int32) throws -> Int32 {
        let socket = Foundation.socket(
            domain, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard socket >= 0 else { throw LoopError("socket", errorNumber: errno) }
        return socket
    }

    /// Sends without waiting for more to send, and notices a peer that has vanished. Best effort.
    static func configure(_ socket: Int32) {
        set(socket, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        set(socket, SOL_SOCKET, SO_KEEPALIVE, 1)
        set(socket, Int32(IPPROTO_TCP), TCP_KEEPIDLE, keepAlive.idle)
        set(socket, Int32(IPPROTO_TCP), TCP_KEEPINTVL, keepAlive.interval)
        set(socket, Int32(IPPROTO_TCP), TCP_KEEPCNT, keepAlive.count)
    }

    static func set(_ socket: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        _ = setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    static func get(_ socket: Int32, _ level: Int32, _ option: Int32) -> Int32 {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(socket, level, option, &value, &length) == 0 ? value : -1
    }
}
