import TestSupport
import Testing

@testable import EventLoop

@Suite("WebSocket")
struct WebSocketTests {
    /// Notes what a WebSocket tells.
    @LoopActor
    final class SocketRecorder: WebSocketDelegate {
        var messages: [[UInt8]] = []
        var texts: [String] = []
        var pressure: [Bool] = []
        var ends: [WebSocketEnd] = []
        var onMessage: (@LoopActor (WebSocket, [UInt8]) -> Void)?

        func webSocket(_ socket: WebSocket, didReceive message: [UInt8]) {
            messages.append(message)
            onMessage?(socket, message)
        }
        func webSocket(_ socket: WebSocket, didReceive text: String) { texts.append(text) }
        func webSocket(_ socket: WebSocket, pressureDidChange isHigh: Bool) { pressure.append(isHigh) }
        func webSocket(_ socket: WebSocket, didEnd end: WebSocketEnd) { ends.append(end) }
    }

    /// A server that takes WebSockets, and a client of it.
    @LoopActor
    final class Setup {
        let time = ManualScheduler()
        let network: MemoryNetwork
        let client: HTTPClient
        let atClient = SocketRecorder()
        let atServer = SocketRecorder()
        var accepted: [WebSocket] = []
        var outcome: WebSocketOutcome?
        private var server: HTTPServer?

        init(
            options: WebSocket.Options = .init(),
            choose: @escaping @LoopActor (String?) throws(HTTPViolation) -> String? = { $0 }
        ) throws {
            network = MemoryNetwork(time)
            client = HTTPClient(network, scheduler: time)
            let server = HTTPServer(scheduler: time) { [unowned self] exchange in
                let socket = exchange.acceptWebSocket(
                    scheduler: time, options: options, headers: ["X-Appservices-Request-Id": "r1"], choose: choose)
                guard let socket else { return }
                accepted.append(socket)
                socket.start(atServer)
            }
            self.server = server
            _ = try network.listen(Endpoint("h", 80)) { server.serve($0) }
        }

        func connect(_ subprotocols: String? = "p#1", headers: HTTPHeaders = [:]) throws {
            let call = client.connect(
                to: try WebURL("ws://h/realm-sync?baas_at=t"), subprotocols: subprotocols, headers: headers,
                random: SeededGenerator(seed: 1)
            ) { [self] in
                outcome = $0
                if case .open(let socket, _) = $0 { socket.start(atClient) }
            }
            #expect(time.settle())
            withExtendedLifetime(call) {}
        }

        func open() throws -> WebSocket {
            try connect()
            guard case .open(let socket, _) = outcome else {
                throw NetworkError(.closed, "\(String(describing: outcome))")
            }
            return socket
        }
    }

    @Test("the acceptance of RFC 6455's example key (P-16)")
    func acceptance() {
        #expect(WebSocketHandshake.acceptance(of: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test("both ends open, and messages go both ways whole", arguments: [1, 10, Int.max])
    func messages(pieceSize: Int) throws {
        try onLoop {
            let setup = try Setup()
            setup.network.pieceSize = pieceSize
            setup.atServer.onMessage = { $0.send($1 + [0]) }
            let socket = try setup.open()
            socket.send([1, 2])
            socket.send("text é")
            socket.ping([1])
            socket.send(pattern(2000))
            #expect(setup.time.settle())
            #expect(setup.atServer.messages == [[1, 2], pattern(2000)] && setup.atServer.texts == ["text é"])
            #expect(setup.atClient.messages == [[1, 2, 0], pattern(2000) + [0]])
            #expect(setup.atClient.ends.isEmpty && setup.atServer.ends.isEmpty)
            socket.abort()
        }
    }

    @Test("the server chooses a subprotocol and sends its own headers (P-12, P-17)")
    func subprotocols() throws {
        try onLoop {
            let setup = try Setup { offered throws(HTTPViolation) in
                #expect(offered == "p#2, p#1")
                return "p#1"
            }
            try setup.connect("p#2, p#1", headers: ["User-Agent": "RealmSync/1"])
            guard case .open(let socket, let response) = setup.outcome else { throw NetworkError(.closed, "not open") }
            #expect(response.headers["Sec-WebSocket-Protocol"] == "p#1")
            #expect(response.headers["X-Appservices-Request-Id"] == "r1")
            socket.abort()
        }
    }

    @Test("a refusal comes with its status and text (P-14, P-18)")
    func refusal() throws {
        try onLoop {
            let setup = try Setup { _ throws(HTTPViolation) in throw HTTPViolation(400, "versions 2 to 14") }
            try setup.connect()
            guard case .refused(let response) = setup.outcome else { throw NetworkError(.closed, "not refused") }
            #expect(response.status == 400 && String(decoding: response.body, as: UTF8.self) == "versions 2 to 14")
            #expect(setup.accepted.isEmpty)
        }
    }

    @Test("requests that aren't WebSocket's are refused with 400 (P-8)")
    func badRequests() throws {
        func request(_ change: (inout HTTPRequest) -> Void) -> HTTPRequest {
            var request = WebSocketHandshake.request(key: "k", subprotocols: nil)
            change(&request)
            return request
        }
        try WebSocketHandshake.check(request { _ in })
        try WebSocketHandshake.check(
            request {
                $0.headers["Connection"] = "keep-alive, UPGRADE"
                $0.headers["Upgrade"] = "WebSocket"
                $0.headers["Sec-WebSocket-Extensions"] = "permessage-deflate"
            })
        let bad = [
            request { $0.method = "POST" }, request { $0.headers["Upgrade"] = nil },
            request { $0.headers["Upgrade"] = "h2c" }, request { $0.headers["Connection"] = "close" },
            request { $0.headers["Sec-WebSocket-Version"] = "8" }, request { $0.headers["Sec-WebSocket-Key"] = "" },
            request { $0.headers["Sec-WebSocket-Key"] = nil }
        ]
        for request in bad { #expect(throws: HTTPViolation.self) { try WebSocketHandshake.check(request) } }
    }

    @Test("answers that aren't WebSocket's are refused by the client (P-16)")
    func badAnswers() throws {
        let good = WebSocketHandshake.response(
            to: WebSocketHandshake.request(key: "k", subprotocols: nil), subprotocol: "p")
        try WebSocketHandshake.check(good, key: "k")
        func change(_ name: String, _ value: String?) -> HTTPResponse {
            var response = good
            response.headers[name] = value
            return response
        }
        let bad = [
            change("Upgrade", nil), change("Connection", "close"), change("Sec-WebSocket-Accept", "x"),
            change("Sec-WebSocket-Accept", nil), change("Sec-WebSocket-Extensions", "permessage-deflate")
        ]
        for response in bad { #expect(throws: NetworkError.self) { try WebSocketHandshake.check(response, key: "k") } }
        #expect(throws: NetworkError.self) { try WebSocketHandshake.check(good, key: "other") }
    }

    @Test("a close frame reaches the peer with its code, and the connection ends right after it (P-27)")
    func closing() throws {
        try onLoop {
            let setup = try Setup()
            _ = try setup.open()
            setup.accepted[0].send([1])
            setup.accepted[0].close(4001, "expired")
            setup.accepted[0].close(1000)
            setup.accepted[0].send([2])
            #expect(setup.time.settle())
            #expect(setup.atClient.messages == [[1]])
            #expect(setup.atClient.ends == [.closed(code: 4001, reason: "expired")])
            #expect(setup.atServer.ends.isEmpty && setup.network.links.isEmpty)
        }
    }

    @Test("a server that simply ends isn't an error for the client (P-27)")
    func ending() throws {
        try onLoop {
            let setup = try Setup()
            _ = try setup.open()
            setup.accepted[0].end()
            #expect(setup.time.settle())
            #expect(setup.atClient.ends == [.ended] && setup.network.links.isEmpty)
            let second = try Setup()
            _ = try second.open()
            second.network.links[0].cut()
            #expect(second.time.settle())
            guard case .failed(let error) = second.atClient.ends.first else {
                throw NetworkError(.closed, "no failure")
            }
            #expect(error.code == .read && second.atServer.ends.count == 1)
        }
    }

    @Test("a message that is too big is refused with 1009, which arrives though more is being sent (P-24)")
    func tooBig() throws {
        try onLoop {
            var options = WebSocket.Options()
            options.messageLimit = 1000
            let setup = try Setup(options: options)
            let socket = try setup.open()
            setup.network.pieceSize = 100
            socket.send(pattern(1000))
            socket.send(pattern(100_000))
            #expect(setup.time.settle())
            #expect(setup.atServer.messages == [pattern(1000)])
            guard case .closed(let code, _) = setup.atClient.ends.first else { throw NetworkError(.closed, "no end") }
            #expect(code == 1009)
            guard case .failed(let error) = setup.atServer.ends.first else { throw NetworkError(.closed, "no failure") }
            #expect(error.code == .webSocket)
            setup.time.advance(by: .seconds(10))
            #expect(setup.network.links.isEmpty)
        }
    }

    @Test("pings are answered, unless the peer doesn't take the answers")
    func pings() throws {
        try onLoop {
            let setup = try Setup()
            let socket = try setup.open()
            let link = try #require(setup.network.links.first)
            setup.accepted[0].limits = WriteLimits(high: 100, low: 10, maximum: 1000)
            link.client.pauseReading()
            for _ in 0..<500 { socket.ping([1, 2, 3, 4, 5, 6, 7, 8]) }
            #expect(setup.time.settle())
            #expect((100...120).contains(link.server.queuedBytes) && setup.atServer.pressure == [true])
            link.client.resumeReading()
            #expect(setup.time.settle())
            #expect(setup.atServer.pressure == [true, false] && setup.atServer.ends.isEmpty)
            socket.abort()
        }
    }

    @Test("what a client sends along with its handshake isn't lost")
    func earlyBytes() throws {
        try onLoop {
            let setup = try Setup()
            var request = WebSocketHandshake.request(key: "k", subprotocols: nil)
            request.headers["Host"] = "h"
            let bytes = request.encoded + WebSocketFrame.encode(.binary, [1, 2], mask: 7)
            let attempt = Attempt()
            _ = setup.network.connect(Endpoint("h", 80), within: .seconds(1)) { attempt.finish($0) }
            #expect(setup.time.settle())
            attempt.stream?.write(bytes)
            attempt.stream?.write(WebSocketFrame.encode(.binary, [3], mask: 7))
            #expect(setup.time.settle())
            #expect(setup.atServer.messages == [[1, 2], [3]])
        }
    }

    @Test("closing inside of a message's callback tells nothing more")
    func closeInsideCallback() throws {
        try onLoop {
            let setup = try Setup()
            let socket = try setup.open()
            setup.atServer.onMessage = { socket, _ in socket.abort() }
            setup.network.pieceSize = .max
            socket.send([1])
            socket.send([2])
            #expect(setup.time.settle())
            #expect(setup.atServer.messages.count == 1 && setup.atServer.ends.isEmpty)
        }
    }
}
