import CPlatform
import Foundation
import TestSupport

@testable import EventLoop

/// A peer of the loop under test: a blocking socket with a receive timeout.
final class Peer: @unchecked Sendable {
    let socket: Int32

    init(adopting socket: Int32) {
        self.socket = socket
        var time = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Connects to a listener.
    convenience init(path: String) throws {
        try self.init(
            connecting: Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0), to: path)
    }

    /// Connects a socket made before.
    convenience init(connecting socket: Int32, to path: String) throws {
        guard socket >= 0 else { throw LoopError("socket", errorNumber: errno) }
        self.init(adopting: socket)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { throw LoopError("connect", errorNumber: errno) }
    }

    deinit { close(socket) }

    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Foundation.send(socket, $0.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Up to `count` bytes; fewer at the end of the stream or after the timeout.
    func receive(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var got = 0
        while got < count {
            let n = bytes.withUnsafeMutableBytes { recv(socket, $0.baseAddress.map { $0 + got }, count - got, 0) }
            guard n > 0 else { break }
            got += n
        }
        return Array(bytes[..<got])
    }

    /// Everything up to the end, with descriptors and the number of bytes read when each had come.
    func receiveAll(from start: [UInt8] = []) -> (bytes: [UInt8], descriptors: [(after: Int, descriptor: Int32)]) {
        var bytes = start
        var descriptors: [(Int, Int32)] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            var descriptor: Int32 = -1
            let n = chunk.withUnsafeMutableBytes {
                reeve_receive_descriptor(socket, $0.baseAddress, $0.count, 0, &descriptor)
            }
            guard n > 0 else { return (bytes, descriptors) }
            bytes += chunk[..<n]
            if descriptor >= 0 { descriptors.append((bytes.count, descriptor)) }
        }
    }

    /// Whether the peer has ended or broken the connection.
    var isAtEnd: Bool {
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, 0)
        return count == 0 || count < 0 && errno != EAGAIN
    }

    func shutdownWriting() { _ = shutdown(socket, Int32(SHUT_WR)) }
}

/// A connected pair: one end on the loop, one for the test.
func connectedPair(
    _ configure: @escaping @Sendable @LoopActor (PipeConnection) -> any PipeConnectionDelegate
) throws -> (Peer, PipeConnection) {
    var sockets: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &sockets) == 0 else {
        throw LoopError("socketpair", errorNumber: errno)
    }
    let ours = sockets[0]
    let connection = try EventLoop.shared.run { @LoopActor in
        let connection = try PipeConnection(adopting: ours)
        connection.start(delegate: configure(connection))
        return connection
    }
    return (Peer(adopting: sockets[1]), connection)
}

/// Notes what it is told, and does what a test plugs in.
@LoopActor
final class Recorder: PipeConnectionDelegate {
    var received: [UInt8] = []
    var reads = 0
    var ends = 0
    var pressure: [Bool] = []
    var errors: [LoopError] = []
    var onReceive: (@LoopActor (PipeConnection, UnsafeRawBufferPointer) -> Void)?
    var onEnd: (@LoopActor (PipeConnection) -> Void)?
    var onPressure: (@LoopActor (PipeConnection, Bool) -> Void)?

    func connection(_ connection: PipeConnection, didReceive bytes: UnsafeRawBufferPointer) {
        reads += 1
        if let onReceive { onReceive(connection, bytes) } else { received += bytes }
    }

    func connectionDidReachEnd(_ connection: PipeConnection) {
        ends += 1
        onEnd?(connection)
    }

    func connection(_ connection: PipeConnection, pressureDidChange isHigh: Bool) {
        pressure.append(isHigh)
        onPressure?(connection, isHigh)
    }

    func connection(_ connection: PipeConnection, didFail error: LoopError) {
        errors.append(error)
    }

    /// Answers what it gets, and ends when the peer does.
    static func echo() -> Recorder {
        let recorder = Recorder()
        recorder.onReceive = { $0.write($1) }
        recorder.onEnd = { $0.close(drainingFor: .seconds(10)) }
        return recorder
    }
}

/// Runs `body` on the loop.
func onLoop<Result: Sendable>(_ body: @escaping @Sendable @LoopActor () throws -> Result) throws -> Result {
    try EventLoop.shared.run(body)
}

/// Waits until `condition` holds on the loop.
func eventuallyOnLoop(
    within deadline: Duration = .seconds(10), _ condition: @escaping @Sendable @LoopActor () -> Bool
) throws -> Bool {
    try eventually(within: deadline) { try onLoop(condition) }
}

/// Bytes that differ by position.
func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
}
