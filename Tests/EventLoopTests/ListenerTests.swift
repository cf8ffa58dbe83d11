import Foundation
import TestSupport
import Testing

@testable import EventLoop

@Suite("Listener", .serialized)
struct ListenerTests {
    private func echoListener(_ path: String) throws -> PipeListener {
        try onLoop { try PipeListener(path: path) { $0.start(delegate: Recorder.echo()) } }
    }

    @Test("200 connections at once are all served")
    func many() throws {
        let directory = TemporaryDirectory()
        let listener = try echoListener(directory.path("s"))
        let peers = try (0..<200).map { _ in try Peer(path: directory.path("s")) }
        for (index, peer) in peers.enumerated() { #expect(peer.send([UInt8(index), 1, 2])) }
        for (index, peer) in peers.enumerated() { #expect(peer.receive(3) == [UInt8(index), 1, 2]) }
        try onLoop { listener.close() }
    }

    @Test("the socket has the mode asked for, and tells who connects")
    func modeAndPeer() throws {
        let directory = TemporaryDirectory()
        let seen = Log()
        let listener = try onLoop {
            try PipeListener(path: directory.path("s")) { connection in
                seen.append(Int(connection.peer?.pid ?? -1))
                seen.append(Int(connection.peer?.uid ?? .max))
                connection.close()
            }
        }
        var status = stat()
        #expect(stat(directory.path("s"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(try Peer(path: directory.path("s")).isAtEnd)
        #expect(seen.values == [Int(getpid()), Int(getuid())])
        try onLoop { listener.close() }
    }

    @Test("a path in use, one too long and a missing directory are refused by name")
    func refusals() throws {
        let directory = TemporaryDirectory()
        let listener = try echoListener(directory.path("s"))
        func code(_ path: String) throws -> Int32? {
            try onLoop {
                do {
                    try PipeListener(path: path) { $0.close() }.close()
                    return nil
                } catch let error as LoopError {
                    return error.errorNumber
                }
            }
        }
        #expect(try code(directory.path("s")) == EADDRINUSE)
        #expect(try code(directory.path(String(repeating: "x", count: 120))) == ENAMETOOLONG)
        #expect(try code(directory.path("missing/s")) == ENOENT)
        try onLoop { listener.close() }
    }

    @Test("an inherited socket is taken over, connections waiting in its queue included")
    func inherited() throws {
        let directory = TemporaryDirectory()
        let socket = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: directory.path("s").utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(bound == 0 && listen(socket, 5) == 0)
        let early = try Peer(path: directory.path("s"))
        #expect(early.send([42]))
        let listener = try onLoop { try PipeListener(adopting: socket) { $0.start(delegate: Recorder.echo()) } }
        #expect(early.receive(1) == [42])
        #expect(fcntl(socket, F_GETFD) & FD_CLOEXEC != 0)
        try onLoop {
            listener.close()
            listener.close()
        }
    }

    @Test("who may not connect gets the refusal and the end")
    func refused() throws {
        let directory = TemporaryDirectory()
        let listener = try echoListener(directory.path("s"))
        try onLoop {
            listener.refusal = [1, 2, 3]
            listener.mayAccept = { false }
        }
        #expect(try Peer(path: directory.path("s")).receiveAll().bytes == [1, 2, 3])
        try onLoop { listener.mayAccept = { true } }
        let peer = try Peer(path: directory.path("s"))
        #expect(peer.send([9]) && peer.receive(1) == [9])
        #expect(try onLoop { listener.refusedCount } == 1)
        try onLoop { listener.close() }
    }
}
