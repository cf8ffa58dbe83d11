import TestSupport
import Testing

@testable import EventLoop

@Suite("HTTP proxy")
struct ProxyNetworkTests {
    /// A proxy that answers `answer`, and then is an echo.
    @LoopActor
    final class Setup {
        let time = ManualScheduler()
        let memory: MemoryNetwork
        let network: ProxyNetwork
        let attempt = Attempt()
        let atProxy = StreamRecorder()

        init(_ answer: String, ends: Bool = false) throws {
            memory = MemoryNetwork(time)
            network = ProxyNetwork(memory, proxy: Endpoint("proxy", 3128), scheduler: time)
            var hasAnswered = false
            atProxy.onReceive = { [atProxy] stream, bytes in
                if hasAnswered { return stream.write(bytes) }
                atProxy.received += bytes
                guard atProxy.text.hasSuffix("\r\n\r\n") else { return }
                hasAnswered = true
                stream.write(Array(answer.utf8))
                if ends { stream.close(drainingFor: .seconds(1)) }
            }
            _ = try memory.listen(Endpoint("proxy", 3128)) { [atProxy] in $0.start(atProxy) }
        }

        @discardableResult
        func connect(_ endpoint: Endpoint = Endpoint("sync.local", 443)) -> any Cancellable {
            network.connect(endpoint, within: .seconds(10)) { [attempt] in attempt.finish($0) }
        }
    }

    @Test("a connection through a proxy, once it has answered 2xx (P-10)", arguments: [1, Int.max])
    func connect(pieceSize: Int) throws {
        try onLoop {
            let setup = try Setup("HTTP/1.1 200 Connection established\r\nX: y\r\n\r\n")
            setup.memory.pieceSize = pieceSize
            setup.connect()
            #expect(setup.time.settle())
            #expect(setup.atProxy.text == "CONNECT sync.local:443 HTTP/1.1\r\nHost: sync.local:443\r\n\r\n")
            let stream = try #require(setup.attempt.stream)
            let recorder = StreamRecorder()
            stream.start(recorder)
            stream.write([1, 2])
            setup.time.advance(by: .seconds(60))
            #expect(recorder.received == [1, 2] && recorder.errors.isEmpty)
            stream.close()
        }
    }

    @Test("anything else is a failure to connect (P-10)")
    func refusals() throws {
        try onLoop {
            for (answer, ends, code) in [
                (
                    "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n", false,
                    NetworkError.Code.connect
                ),
                ("HTTP/1.1 302 Found\r\n\r\n", false, .connect), ("", true, .connect), ("", false, .timeout),
                ("SSH-2.0\r\n\r\n", false, .http), ("HTTP/1.1 200 OK\r\n\r\nmore", false, .http)
            ] {
                let setup = try Setup(answer, ends: ends)
                setup.connect()
                setup.time.advance(by: .seconds(11))
                #expect(setup.attempt.error?.code == code, "\(answer)")
                #expect(setup.memory.links.allSatisfy { $0.client.isClosed })
            }
            let nobody = try Setup("")
            let network = ProxyNetwork(nobody.memory, proxy: Endpoint("proxy", 1), scheduler: nobody.time)
            _ = network.connect(Endpoint("h", 80), within: .seconds(10)) { [attempt = nobody.attempt] in
                attempt.finish($0)
            }
            #expect(nobody.time.settle())
            #expect(nobody.attempt.error?.code == .connect)
        }
    }

    @Test("a cancelled attempt tells nothing", arguments: [0, 1, 2])
    func cancelling(steps: Int) throws {
        try onLoop {
            let setup = try Setup("HTTP/1.1 200 OK\r\n\r\n")
            let call = setup.connect()
            for _ in 0..<steps { setup.time.step() }
            call.cancel()
            setup.time.advance(by: .seconds(20))
            #expect(!setup.attempt.isDone && setup.memory.links.allSatisfy { $0.client.isClosed })
        }
    }

    @Test("IPv6 addresses have brackets")
    func brackets() throws {
        try onLoop {
            let setup = try Setup("")
            setup.connect(Endpoint("::1", 80))
            #expect(setup.time.settle())
            #expect(setup.atProxy.text.hasPrefix("CONNECT [::1]:80 HTTP/1.1\r\n"))
        }
    }
}
