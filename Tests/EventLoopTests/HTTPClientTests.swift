import TestSupport
import Testing

@testable import EventLoop

@Suite("HTTP client")
struct HTTPClientTests {
    @LoopActor
    final class Setup {
        let time = ManualScheduler()
        let network: MemoryNetwork
        let client: HTTPClient
        let atServer = StreamRecorder()
        var result: Result<HTTPClient.Reply, NetworkError>?
        var calls = 0

        /// A server that answers each piece it gets with `answer`, and ends the connection if it is to.
        init(_ answer: String, ends: Bool = false) throws {
            network = MemoryNetwork(time)
            client = HTTPClient(network, scheduler: time)
            atServer.onReceive = { [atServer] stream, bytes in
                atServer.received += bytes
                guard !answer.isEmpty else { return }
                stream.write(Array(answer.utf8))
                if ends { stream.shutdownWriting() }
            }
            _ = try network.listen(Endpoint("h", 80)) { [atServer] in $0.start(atServer) }
        }

        @discardableResult
        func send(_ request: HTTPRequest = HTTPRequest("GET", ""), _ url: String = "http://h/p?q") throws
            -> any Cancellable
        {
            client.send(request, to: try WebURL(url), within: .seconds(60)) { [self] in
                result = $0
                calls += 1
            }
        }

        func response(_ request: HTTPRequest = HTTPRequest("GET", "")) throws -> HTTPResponse {
            try send(request)
            #expect(time.settle())
            #expect(calls == 1)
            return try #require(result).get().response
        }

        var errorCode: NetworkError.Code? {
            if case .failure(let error) = result { error.code } else { nil }
        }
    }

    @Test("a request with its URL's target and Host, and its answer")
    func roundTrip() throws {
        try onLoop {
            let setup = try Setup("HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 2\r\n\r\nok")
            let request = HTTPRequest("POST", "/other", headers: ["Host": "spoofed", "Accept": "a"], body: [65])
            let response = try setup.response(request)
            #expect(response == HTTPResponse(200, headers: ["X": "y", "Content-Length": "2"], body: Array("ok".utf8)))
            #expect(
                setup.atServer.text
                    == "POST /p?q HTTP/1.1\r\nHost: h\r\nAccept: a\r\nConnection: close\r\nContent-Length: 1\r\n\r\nA")
            #expect(setup.network.links.count == 1)
        }
    }

    @Test("answers that end with the connection, redirects that aren't followed (H-6), HEAD")
    func answers() throws {
        try onLoop {
            #expect(try Setup("HTTP/1.1 200 OK\r\n\r\nall", ends: true).response().body == Array("all".utf8))
            let redirect = try Setup("HTTP/1.1 308 Moved\r\nLocation: http://other/\r\nContent-Length: 0\r\n\r\n")
            #expect(try redirect.response().status == 308)
            let head = try Setup("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n")
            #expect(try head.response(HTTPRequest("HEAD", "")).body.isEmpty)
        }
    }

    @Test("no answer, half an answer, none in time, one that isn't HTTP, nobody there")
    func failures() throws {
        try onLoop {
            for (answer, ends, code) in [
                ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", true, NetworkError.Code.read),
                ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", false, .timeout), ("", false, .timeout),
                ("SSH-2.0-nonsense\r\n\r\n", false, .http), ("HTTP/1.1 200 OK\r\nA:\0\r\n\r\n", true, .http)
            ] {
                let setup = try Setup(answer, ends: ends)
                try setup.send()
                setup.time.advance(by: .seconds(61))
                #expect(setup.errorCode == code && setup.calls == 1, "\(answer)")
            }
            let nobody = try Setup("")
            try nobody.send(HTTPRequest("GET", ""), "http://h:81/")
            #expect(nobody.time.settle())
            #expect(nobody.errorCode == .connect)
            let closing = try Setup("")
            closing.atServer.onReceive = { stream, _ in stream.close() }
            try closing.send()
            #expect(closing.time.settle())
            #expect(closing.errorCode == .read)
        }
    }

    @Test("a cancelled request tells nothing and closes its connection", arguments: [0, 1, 2, 3])
    func cancelling(steps: Int) throws {
        try onLoop {
            let setup = try Setup("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
            let call = try setup.send()
            for _ in 0..<steps { setup.time.step() }
            call.cancel()
            setup.time.advance(by: .seconds(100))
            #expect(setup.calls == 0)
            #expect(setup.network.links.allSatisfy { $0.client.isClosed })
        }
    }

    @Test("a switch of protocols hands over the connection, with what came already")
    func upgrade() throws {
        try onLoop {
            let setup = try Setup("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nearly")
            try setup.send()
            #expect(setup.time.settle())
            let reply = try #require(setup.result).get()
            let (stream, received) = try #require(reply.upgraded)
            #expect(reply.response.status == 101 && received == Array("early".utf8))
            let recorder = StreamRecorder()
            stream.start(recorder)
            stream.write([1])
            setup.time.advance(by: .seconds(100))
            #expect(recorder.text.hasPrefix("HTTP/1.1 101") && !stream.isClosed)
            stream.close()
        }
    }

    @Test("client and server speak over TLS and sockets")
    func secureSockets() throws {
        let files = Certificates.shared
        let outcome = try onLoop { Attempt2() }
        try onLoop {
            let scheduler = LoopScheduler()
            let network = SystemNetwork()
            let context = try TLSContext.server(certificateChain: files.server.chain, privateKey: files.server.key)
            let server = HTTPServer(scheduler: scheduler) {
                $0.respond(HTTPResponse(200, headers: [:], body: $0.request.body))
            }
            let listener = try network.listen(Endpoint("localhost", 0)) {
                guard let stream = try? TLSStream(over: $0, context, scheduler: scheduler) else { return }
                server.serve(stream)
            }
            let client = HTTPClient(network, scheduler: scheduler) { try .client(trusting: .file(files.authority)) }
            let url = try WebURL("https://localhost:\(listener.endpoint.port)/")
            _ = client.send(HTTPRequest("POST", "", body: pattern(300_000)), to: url) {
                outcome.result = $0.map(\.response)
                outcome.keep = []
                listener.close()
            }
            outcome.keep = [server, client]
        }
        #expect(try eventuallyOnLoop { outcome.result != nil })
        #expect(try onLoop { try outcome.result?.get().body } == pattern(300_000))
    }

    @LoopActor
    final class Attempt2 {
        var result: Result<HTTPResponse, NetworkError>?
        var keep: [AnyObject] = []
    }
}
