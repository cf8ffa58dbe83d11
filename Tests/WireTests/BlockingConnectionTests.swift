import CPlatform
import Foundation
import TestSupport
import Testing

@testable import Wire

@Suite("Blocking connection")
struct BlockingConnectionTests {
    /// The far end of a connection, in plain calls.
    private final class FarEnd: @unchecked Sendable {
        let socket: Int32
        init(_ socket: Int32) { self.socket = socket }
        deinit { close(socket) }
        func write(_ bytes: [UInt8]) { _ = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
        func write(_ bytes: [UInt8], descriptor: Int32) {
            _ = reeve_send_descriptor(socket, bytes, bytes.count, descriptor)
        }
        func read(_ count: Int) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            let got = recv(socket, &bytes, count, Int32(MSG_WAITALL))
            return Array(bytes[..<max(0, got)])
        }
    }

    private func pair(frameLimit: Int = 1 << 20) throws -> (BlockingConnection, FarEnd) {
        var sockets: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &sockets) == 0)
        return (BlockingConnection(adopting: sockets[0], frameLimit: frameLimit), FarEnd(sockets[1]))
    }

    private func name(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch { return (error as? WireError)?.name ?? "\(error)" }
    }

    private var soon: ContinuousClock.Instant { .now + .seconds(10) }

    @Test("frames come whole however they were sent", arguments: [1, 3, 100_000])
    func frames(piece: Int) throws {
        let (connection, far) = try pair()
        let frames = try [0, 10, 70_000, 3].map { size in
            let document: BSONDocument = ["b": .binary(subtype: 0, Data(count: size))]
            return try document.encoded()
        }
        let stream = frames.flatMap { $0 }
        Thread {
            for start in stride(from: 0, to: stream.count, by: piece) {
                far.write(Array(stream[start..<min(start + piece, stream.count)]))
            }
        }.start()
        for frame in frames { #expect(try connection.receiveFrame(deadline: soon).bytes == frame) }
        #expect(!connection.hasFrame)
    }

    @Test("each descriptor comes with its own frame, even when frames before and after are in the same read")
    func descriptors() throws {
        let directory = TemporaryDirectory()
        let (connection, far) = try pair()
        let empty = bytes(hex: "0500000000")
        let document: BSONDocument = ["b": .binary(subtype: 0, Data(count: 300_000))]
        let large = try document.encoded()
        let files = try (0..<3).map { index in
            let descriptor = open(directory.path("\(index)"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            try #require(write(descriptor, "\(index)", 1) == 1)
            return descriptor
        }
        Thread {
            far.write(empty + empty)
            far.write(empty, descriptor: files[0])
            far.write(empty)
            far.write(empty, descriptor: files[1])
            far.write(large, descriptor: files[2])
            far.write(empty)
        }.start()
        var found: [Int32?] = []
        for _ in 0..<7 {
            let frame = try connection.receiveFrame(deadline: soon)
            found.append(
                frame.descriptor.map { descriptor in
                    var byte: UInt8 = 0
                    _ = pread(descriptor, &byte, 1, 0)
                    #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
                    close(descriptor)
                    return Int32(byte) - 0x30
                })
        }
        #expect(found == [nil, nil, 0, nil, 1, 2, nil])
        for file in files { close(file) }
    }

    @Test("a deadline passes without harm while receiving")
    func receiveDeadline() throws {
        let (connection, far) = try pair()
        far.write([5, 0])
        #expect(name { _ = try connection.receiveFrame(deadline: .now + .milliseconds(20)) } == "timedOut")
        #expect(!connection.waitForInput(timeout: .milliseconds(1)))
        far.write([0, 0, 0])
        #expect(connection.waitForInput(timeout: nil))
        #expect(try connection.receiveFrame(deadline: soon).bytes == bytes(hex: "0500000000"))
    }

    @Test("a peer that doesn't read makes a send time out, and ends the connection")
    func sendDeadline() throws {
        let (connection, far) = try pair()
        let much = [UInt8](repeating: 0, count: 8 << 20)
        #expect(name { try connection.send(much, deadline: .now + .milliseconds(50)) } == "timedOut")
        #expect(name { try connection.send([1]) } == "connectionLost")
        withExtendedLifetime(far) {}
    }

    @Test("the end of the stream, also in the middle of a frame, is connectionLost")
    func end() throws {
        for partial in [[], [5], [9, 0, 0, 0, 0]] as [[UInt8]] {
            let (connection, far) = try pair()
            far.write(partial)
            shutdown(far.socket, Int32(SHUT_WR))
            #expect(connection.waitForInput(timeout: nil))
            #expect(name { _ = try connection.receiveFrame(deadline: soon) } == "connectionLost")
        }
    }

    @Test("shutdown wakes a thread that receives")
    func shutdownWakes() throws {
        let (connection, far) = try pair()
        let done = DispatchSemaphore(value: 0)
        Thread {
            _ = try? connection.receiveFrame()
            done.signal()
        }.start()
        connection.shutdown()
        connection.shutdown()
        #expect(done.wait(timeout: .now() + 10) == .success)
        withExtendedLifetime(far) {}
    }

    @Test("impossible lengths are refused", arguments: [("04000000", "badFrame"), ("01001000", "frameTooLarge")])
    func lengths(length: String, expected: String) throws {
        let (connection, far) = try pair()
        far.write(bytes(hex: length))
        #expect(name { _ = try connection.receiveFrame(deadline: soon) } == expected)
    }

    @Test("sends of several threads don't mix")
    func concurrentSends() throws {
        let (connection, far) = try pair()
        let size = 50_000
        DispatchQueue.global().async {
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                try? connection.send([UInt8](repeating: UInt8(thread), count: size))
            }
        }
        for _ in 0..<8 {
            let block = far.read(size)
            #expect(block.count == size && Set(block).count == 1)
        }
    }

    @Test("nobody there: agentUnavailable; an open directory: unsafeSocketDirectory")
    func connecting() throws {
        let directory = TemporaryDirectory()
        let location = try SocketLocation(path: directory.path("s"))
        #expect(name { _ = try BlockingConnection(to: location) } == "agentUnavailable")
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: location.path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        #expect(name { _ = try BlockingConnection(to: location) } == "agentUnavailable")
        try #require(listen(listener, 0) == 0)
        let first = try BlockingConnection(to: location, deadline: soon)
        #expect(first.peerProcess == getpid())
        // The queue is full: the next waits, and gives up.
        #expect(name { _ = try BlockingConnection(to: location, deadline: .now + .milliseconds(30)) } == "timedOut")
        chmod(directory.path, 0o755)
        #expect(name { _ = try BlockingConnection(to: location) } == "unsafeSocketDirectory")
        close(listener)
        withExtendedLifetime(first) {}
    }
}
