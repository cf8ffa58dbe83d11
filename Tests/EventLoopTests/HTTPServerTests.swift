import TestSupport
import Testing

@testable import EventLoop

@Suite("HTTP server")
struct HTTPServerTests {
    /// A server in memory and raw connections to it.
    @LoopActor
    final class Setup {
        let time = ManualScheduler()
        let network: MemoryNetwork
        var waiting: [HTTPExchange] = []
        private(set) var server: HTTPServer?

        init(_ options: HTTPServerOptions = HTTPServerOptions(), answer: HTTPServer.Handler? = nil) {
            network = MemoryNetwork(time)
            server = HTTPServer(options, scheduler: time) { [unowned self] exchange in
                if let answer { answer(exchange) } else { waiting.append(exchange) }
            }
        }

        /// Answers with what was asked.
        static func echo(_ options: HTTPServerOptions = HTTPServerOptions()) -> Setup {
            Setup(options) { exchange in
                let request = exchange.request
                exchange.respond(HTTPResponse(200, text: "\(request.method) \(request.target) \(request.body.count)"))
            }
        }

        func connect() -> (stream: MemoryStream, recorder: StreamRecorder) {
            let link = network.makeLink()
            let recorder = StreamRecorder()
            link.client.start(recorder)
            server?.serve(link.server)
            return (link.client, recorder)
        }

        /// Everything that is answered to a text, and whether the connection has ended.
        func answer(_ text: String) -> (text: String, isAtEnd: Bool) {
            let (stream, recorder) = connect()
            stream.write(Array(text.utf8))
            #expect(time.settle())
            defer { stream.close() }
            return (recorder.text, recorder.ends == 1)
        }
    }

    private let get = "GET /x HTTP/1.1\r\nHost: h\r\n\r\n"

    private func ok(_ body: String, close: Bool = false) -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n" + (close ? "Connection: close\r\n" : "")
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test("requests on one connection are answered in order, also when they come at once", arguments: [1, 9, Int.max])
    func keepAlive(pieceSize: Int) throws {
        try onLoop { [get] in
            let setup = Setup.echo()
            setup.network.pieceSize = pieceSize
            let post = "POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"
            let answer = setup.answer(get + post + get.replacing("GET", with: "HEAD"))
            #expect(answer.text.hasPrefix(ok("GET /x 0") + ok("POST /p 3")))
            #expect(answer.text.hasSuffix("Content-Length: 9\r\n\r\n") && !answer.isAtEnd)
        }
    }

    @Test("many requests at once don't need a deep stack")
    func pipelined() throws {
        try onLoop { [get] in
            let setup = Setup.echo()
            let answer = setup.answer(String(repeating: get, count: 2000))
            #expect(answer.text.utf8.count == 2000 * ok("GET /x 0").utf8.count)
        }
    }

    @Test("the connection ends when the client wants that, or speaks HTTP/1.0")
    func close() throws {
        try onLoop { [get] in
            let setup = Setup.echo()
            let wanted = setup.answer(get.replacing("\r\n\r\n", with: "\r\nConnection: close\r\n\r\n") + get)
            #expect(wanted == (ok("GET /x 0", close: true), true))
            let old = setup.answer("GET /x HTTP/1.0\r\n\r\n")
            #expect(old == (ok("GET /x 0", close: true), true))
            let kept = setup.answer("GET /x HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
            #expect(kept == (ok("GET /x 0"), false))
            #expect(setup.server?.connectionCount == 1)
        }
    }

    @Test("malformed messages are answered and end the connection")
    func malformed() throws {
        try onLoop { [get] in
            let setup = Setup.echo()
            let answer = setup.answer(get + "nonsense\r\n\r\n")
            #expect(answer.text.hasPrefix(ok("GET /x 0") + "HTTP/1.1 400 Bad Request\r\n") && answer.isAtEnd)
            #expect(answer.text.contains("Connection: close"))
            #expect(setup.answer("GET / HTTP/3.0\r\n\r\n").text.hasPrefix("HTTP/1.1 505 "))
            #expect(setup.server?.connectionCount == 0)
        }
    }

    @Test("a client that waits for 100 Continue gets it; other expectations are refused")
    func expectations() throws {
        try onLoop {
            let setup = Setup.echo()
            let (stream, recorder) = setup.connect()
            let head = "POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nExpect: 100-Continue\r\n\r\n"
            stream.write(Array(head.utf8))
            #expect(setup.time.settle())
            #expect(recorder.text == "HTTP/1.1 100 Continue\r\n\r\n")
            stream.write(Array("abc".utf8))
            #expect(setup.time.settle())
            #expect(recorder.text.hasSuffix(ok("POST /p 3")))
            let tooLarge = setup.answer(head.replacing(": 3", with: ": 9999999"))
            #expect(tooLarge.text.hasPrefix("HTTP/1.1 413 ") && tooLarge.isAtEnd)
            #expect(setup.answer(head.replacing("100-Continue", with: "miracles")).text.hasPrefix("HTTP/1.1 417 "))
        }
    }

    @Test("slow clients are dropped at each stage, however they trickle")
    func slowLoris() throws {
        try onLoop {
            let setup = Setup.echo()
            let (silent, atSilent) = setup.connect()
            setup.time.advance(by: .seconds(11))
            #expect(atSilent.ends == 1)
            silent.close()

            let (trickling, atTrickling) = setup.connect()
            for byte in "GET / HTTP/1.1\r\nX: \(String(repeating: "a", count: 100))".utf8 {
                trickling.write([byte])
                setup.time.advance(by: .milliseconds(200))
            }
            #expect(atTrickling.text.hasPrefix("HTTP/1.1 408 ") && atTrickling.ends == 1)

            let (slowBody, atSlowBody) = setup.connect()
            slowBody.write(Array("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n".utf8))
            for _ in 0..<70 {
                slowBody.write([1])
                setup.time.advance(by: .seconds(1))
            }
            #expect(atSlowBody.text.hasPrefix("HTTP/1.1 408 "))

            let (idle, atIdle) = setup.connect()
            idle.write(Array("GET /x HTTP/1.1\r\nHost: h\r\n\r\n".utf8))
            setup.time.advance(by: .seconds(59))
            #expect(atIdle.text == ok("GET /x 0") && atIdle.ends == 0)
            setup.time.advance(by: .seconds(2))
            #expect(atIdle.ends == 1 && atIdle.text == ok("GET /x 0"))
            #expect(setup.server?.connectionCount == 0)
        }
    }

    @Test("an answer may come later; no time-out runs meanwhile, and nothing more is read")
    func later() throws {
        try onLoop { [get] in
            let setup = Setup()
            let (stream, recorder) = setup.connect()
            stream.write(Array((get + get).utf8))
            setup.time.advance(by: .seconds(3600))
            #expect(setup.waiting.count == 1 && recorder.text.isEmpty)
            stream.write(pattern(1000))
            setup.time.advance(by: .seconds(1))
            #expect(stream.queuedBytes == 1000)
            let exchange = setup.waiting.removeFirst()
            exchange.respond(HTTPResponse(204))
            exchange.respond(HTTPResponse(200))
            #expect(setup.time.settle())
            #expect(recorder.text == "HTTP/1.1 204 No Content\r\n\r\n" && setup.waiting.count == 1)
            stream.close()
            #expect(setup.time.settle())
            setup.waiting[0].respond(HTTPResponse(204))
            #expect(setup.time.settle() && setup.server?.connectionCount == 0)
        }
    }

    @Test("a client that ended its direction still hears the answer")
    func halfClosed() throws {
        try onLoop { [get] in
            let setup = Setup.echo()
            let (stream, recorder) = setup.connect()
            stream.write(Array(get.utf8))
            stream.shutdownWriting()
            #expect(setup.time.settle())
            #expect(recorder.text.hasSuffix("GET /x 0") && recorder.ends == 1)
        }
    }

    @Test("an upgrade gives the connection away, with what came already")
    func upgrade() throws {
        try onLoop { [get] in
            let setup = Setup { exchange in
                guard let (stream, rest) = exchange.upgrade(HTTPResponse(101, headers: ["Upgrade": "echo"])) else {
                    return
                }
                stream.write(rest)
                stream.start(StreamRecorder.echo())
            }
            let (stream, recorder) = setup.connect()
            stream.write(Array((get + "early").utf8))
            #expect(setup.time.settle())
            stream.write(Array(" late".utf8))
            setup.time.advance(by: .seconds(3600))
            #expect(recorder.text == "HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\n\r\nearly late")
            #expect(setup.server?.connectionCount == 0)
        }
    }

    @Test("more connections than allowed are closed, and shutting down waits for answers")
    func connections() throws {
        try onLoop { [get] in
            var options = HTTPServerOptions()
            options.connections = 2
            let setup = Setup(options)
            let (first, atFirst) = setup.connect()
            let (second, atSecond) = setup.connect()
            let (_, atThird) = setup.connect()
            first.write(Array(get.utf8))
            #expect(setup.time.settle())
            #expect(atThird.ends == 1 && atSecond.ends == 0)
            setup.server?.shutDown()
            #expect(setup.time.settle())
            #expect(atSecond.ends == 1 && atFirst.ends == 0 && setup.server?.connectionCount == 1)
            setup.waiting[0].respond(HTTPResponse(204))
            #expect(setup.time.settle())
            #expect(atFirst.ends == 1 && atFirst.text.contains("Connection: close"))
            second.close()
        }
    }
}
