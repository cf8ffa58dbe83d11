import CPlatform
import Foundation
import TestSupport
import Testing

@testable import EventLoop

@Suite("TCP", .serialized)
struct TCPTests {
    private let network = try! onLoop { SystemNetwork() }

    private func echoServer(_ host: String) throws -> any NetworkListener {
        try onLoop { [network] in
            try network.listen(Endpoint(host, 0)) { $0.start(StreamRecorder.echo()) }
        }
    }

    private func connect(_ endpoint: Endpoint, within deadline: Duration = .seconds(10)) throws -> Attempt {
        try onLoop { [network] in
            let attempt = Attempt()
            _ = network.connect(endpoint, within: deadline) { attempt.finish($0) }
            return attempt
        }
    }

    @Test("bytes of any number come back over both families", arguments: ["127.0.0.1", "::1"], [1, 70_000, 600_000])
    func echo(host: String, count: Int) throws {
        let listener = try echoServer(host)
        let attempt = try connect(Endpoint(host, onLoop { listener.endpoint.port }))
        #expect(try eventuallyOnLoop { attempt.isDone })
        let recorder = try onLoop { StreamRecorder() }
        try onLoop {
            let stream = try #require(attempt.stream)
            #expect(stream.peerName.hasSuffix(":\(listener.endpoint.port)"))
            stream.start(recorder)
            stream.write(pattern(count))
            stream.shutdownWriting()
        }
        #expect(try eventuallyOnLoop { recorder.ends == 1 })
        #expect(try onLoop { recorder.received } == pattern(count))
        try onLoop {
            attempt.stream?.close()
            listener.close()
        }
    }

    @Test("a host name is resolved, and the family that nobody listens on is passed over")
    func names() throws {
        let listener = try echoServer("localhost")
        let attempt = try connect(Endpoint("localhost", onLoop { listener.endpoint.port }))
        #expect(try eventuallyOnLoop { attempt.isDone })
        #expect(try onLoop { attempt.error } == nil)
        try onLoop {
            attempt.stream?.close()
            listener.close()
        }
    }

    @Test("a listener on * takes both families")
    func bothFamilies() throws {
        let listener = try echoServer("*")
        for host in ["127.0.0.1", "::1"] {
            let attempt = try connect(Endpoint(host, onLoop { listener.endpoint.port }))
            #expect(try eventuallyOnLoop { attempt.stream != nil }, "\(host)")
            try onLoop { attempt.stream?.close() }
        }
        try onLoop { listener.close() }
    }

    @Test("nobody listens: the error names the address and the reason")
    func refused() throws {
        let listener = try echoServer("127.0.0.1")
        let port = try onLoop {
            defer { listener.close() }
            return listener.endpoint.port
        }
        // The socket is closed with the handle, a moment later.
        try onLoop {}
        let attempt = try connect(Endpoint("127.0.0.1", port))
        #expect(try eventuallyOnLoop { attempt.isDone })
        let error = try #require(try onLoop { attempt.error })
        #expect(error.code == .connect)
        #expect(error.message.contains("127.0.0.1:\(port)") && error.message.contains("refused"), "\(error)")
    }

    @Test("a name without address, an empty one, and one that is none", arguments: ["reeve.invalid", "", "a b\u{1}c"])
    func unknownNames(host: String) throws {
        let attempt = try connect(Endpoint(host, 80))
        #expect(try eventuallyOnLoop { attempt.isDone })
        #expect(try onLoop { attempt.error?.code } == .resolve)
    }

    @Test("ports out of range are refused", arguments: [-1, 0, 65536])
    func ports(port: Int) throws {
        let attempt = try connect(Endpoint("127.0.0.1", port))
        #expect(try eventuallyOnLoop { attempt.isDone })
        #expect(try onLoop { attempt.error?.code } == .address)
    }

    @Test("whoever doesn't answer is given up in time")
    func timeout() throws {
        // A listener that never accepts, with a full queue, leaves connection attempts unanswered.
        let socket = try TCPSocket.make(AF_INET)
        defer { close(socket) }
        let address = try #require(SocketAddress(numeric: "127.0.0.1", port: 0))
        #expect(address.withSockaddr { bind(socket, $0, $1) } == 0)
        #expect(listen(socket, 0) == 0)
        let port = try #require(SocketAddress(ofSocket: socket)?.port)
        let attempts = try (0..<4).map { _ in try connect(Endpoint("127.0.0.1", port), within: .milliseconds(300)) }
        #expect(try eventuallyOnLoop { attempts.allSatisfy(\.isDone) })
        #expect(try onLoop { attempts.last?.error?.code } == .timeout)
        try onLoop { for attempt in attempts { attempt.stream?.close() } }
    }

    @Test("an attempt that was cancelled tells nothing, and leaves no descriptor")
    func cancel() throws {
        let listener = try echoServer("127.0.0.1")
        let told = try onLoop { StreamRecorder() }
        let before = openDescriptors()
        try onLoop { [network] in
            for host in ["127.0.0.1", "localhost", "reeve.invalid"] {
                network.connect(Endpoint(host, listener.endpoint.port), within: .seconds(5)) { _ in told.ends += 1 }
                    .cancel()
            }
        }
        #expect(eventually { openDescriptors() <= before })
        #expect(try onLoop { told.ends } == 0)
        try onLoop { listener.close() }
    }

    private func openDescriptors() -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
    }

    @Test("sockets send at once and notice vanished peers")
    func options() throws {
        let listener = try echoServer("127.0.0.1")
        let attempt = try connect(Endpoint("127.0.0.1", onLoop { listener.endpoint.port }))
        #expect(try eventuallyOnLoop { attempt.isDone })
        try onLoop {
            let connection = try #require(attempt.stream as? PipeConnection)
            let socket = try #require(connection.descriptor)
            #expect(TCPSocket.get(socket, Int32(IPPROTO_TCP), TCP_NODELAY) == 1)
            #expect(TCPSocket.get(socket, SOL_SOCKET, SO_KEEPALIVE) == 1)
            #expect(TCPSocket.get(socket, Int32(IPPROTO_TCP), TCP_KEEPIDLE) == TCPSocket.keepAlive.idle)
            connection.close()
            listener.close()
        }
    }

    @Test("a port that is taken is refused, with the address in the message")
    func taken() throws {
        let listener = try echoServer("127.0.0.1")
        let port = try onLoop { listener.endpoint.port }
        #expect {
            try onLoop { [network] in _ = try network.listen(Endpoint("127.0.0.1", port)) { _ in } }
        } throws: {
            "\($0)".contains("127.0.0.1:\(port)") && ($0 as? LoopError)?.errorNumber == EADDRINUSE
        }
        #expect(throws: NetworkError.self) {
            try onLoop { [network] in _ = try network.listen(Endpoint("example.org", 0)) { _ in } }
        }
        try onLoop { listener.close() }
    }

    @Test("addresses of both families are tried in turns")
    func interleaving() throws {
        func addresses(_ hosts: String...) throws -> [SocketAddress] {
            try hosts.map { try #require(SocketAddress(numeric: $0, port: 1)) }
        }
        let list = try addresses("::1", "::2", "::3", "10.0.0.1")
        let interleaved = try onLoop { TCPConnector.interleaved(list) }
        #expect(try interleaved == addresses("::1", "10.0.0.1", "::2", "::3"))
        #expect(try onLoop { TCPConnector.interleaved([]) } == [])
    }
}
