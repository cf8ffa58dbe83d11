import Foundation
import TestSupport
import Testing

@testable import EventLoop

@Suite("TLS")
struct TLSTests {
    /// A client and a server of TLS in memory.
    @LoopActor
    final class Setup {
        let time = ManualScheduler()
        let link: MemoryLink
        let client: TLSStream
        let server: TLSStream
        let atClient = StreamRecorder()
        let atServer: StreamRecorder

        init(
            host: String = "localhost", trust: TLSTrust = .file(Certificates.shared.authority),
            certificate: (chain: String, key: String) = Certificates.shared.server, pieceSize: Int = .max,
            atServer: StreamRecorder = .echo()
        ) throws {
            let network = MemoryNetwork(time)
            network.pieceSize = pieceSize
            link = network.makeLink()
            self.atServer = atServer
            server = try TLSStream(
                over: link.server, .server(certificateChain: certificate.chain, privateKey: certificate.key),
                scheduler: time)
            client = try TLSStream(over: link.client, .client(trusting: trust), host: host, scheduler: time)
            server.start(atServer)
            client.start(atClient)
        }
    }

    @Test("what is written before the handshake, and after it, comes back in any pieces", arguments: [1, 100, Int.max])
    func echo(pieceSize: Int) throws {
        try onLoop {
            let setup = try Setup(pieceSize: pieceSize)
            setup.client.write([1, 2, 3])
            #expect(setup.client.queuedBytes >= 3)
            #expect(setup.time.settle())
            #expect(setup.atClient.received == [1, 2, 3])
            #expect(setup.client.version == "TLSv1.3")
            let bytes = pattern(100_000)
            setup.client.write(bytes)
            #expect(setup.time.settle())
            #expect(Array(setup.atClient.received[3...]) == bytes)
            setup.client.shutdownWriting()
            #expect(setup.time.settle())
            #expect(setup.atServer.ends == 1 && setup.atClient.ends == 1)
            #expect(setup.atClient.errors.isEmpty && setup.atServer.errors.isEmpty)
            #expect(setup.server.isClosed)
            setup.client.close()
        }
    }

    @Test("names that the certificate is for", arguments: ["localhost", "127.0.0.1", "a.example.test"])
    func goodNames(host: String) throws {
        try onLoop {
            let setup = try Setup(host: host)
            setup.client.write([1])
            #expect(setup.time.settle())
            #expect(setup.atClient.received == [1])
        }
    }

    @Test(
        "names that it isn't for are refused, and nothing that was to be sent is sent (P-19)",
        arguments: ["example.test", "a.b.example.test", "localhost.example.org", "127.0.0.2", "::1"])
    func wrongNames(host: String) throws {
        try onLoop {
            let setup = try Setup(host: host)
            setup.client.write([1])
            #expect(setup.time.settle())
            #expect(setup.atClient.errors.map(\.code) == [.certificate])
            #expect(setup.atClient.errors.first?.message.contains(host) == true)
            #expect(setup.atServer.received.isEmpty)
            #expect(setup.atServer.errors.map(\.code) == [.tls])
        }
    }

    @Test("certificates that are old, of another authority, or of none are refused (P-19)")
    func untrusted() throws {
        let all = Certificates.shared
        let cases = [
            (TLSTrust.file(all.authority), all.expired, "expired"),
            (.file(all.otherAuthority), all.server, "issuer"),
            (.file(all.authority), all.selfSigned, "self"),
            (.system, all.server, "issuer")
        ]
        for (trust, certificate, reason) in cases {
            try onLoop {
                let setup = try Setup(trust: trust, certificate: certificate)
                #expect(setup.time.settle())
                let error = try #require(setup.atClient.errors.first)
                #expect(error.code == .certificate && error.message.contains(reason), "\(error)")
            }
        }
    }

    @Test("names that no certificate can have are refused before anything is sent", arguments: ["", "a\0b"])
    func impossibleNames(host: String) throws {
        #expect(throws: NetworkError.self) { try onLoop { _ = try Setup(host: host) } }
    }

    @Test("files that hold no certificates or keys are named")
    func badFiles() throws {
        let all = Certificates.shared
        func message(_ body: () throws -> TLSContext) -> String {
            do {
                _ = try body()
                return ""
            } catch { return "\(error)" }
        }
        #expect(message { try .client(trusting: .file("/nowhere/ca.pem")) }.contains("/nowhere/ca.pem"))
        #expect(message { try .client(trusting: .file(all.server.key)) }.contains(all.server.key))
        #expect(
            message { try .server(certificateChain: "/nowhere/c", privateKey: all.server.key) }.contains("/nowhere/c"))
        let mismatch = message {
            try .server(certificateChain: all.server.chain, privateKey: all.expired.key)
        }
        #expect(mismatch.contains(all.expired.key), "\(mismatch)")
    }

    @Test("a connection cut short isn't taken for its end")
    func truncation() throws {
        try onLoop {
            let server = StreamRecorder()
            let setup = try Setup(atServer: server)
            setup.client.write([1])
            #expect(setup.time.settle())
            setup.link.client.shutdownWriting()
            #expect(setup.time.settle())
            #expect(server.received == [1] && server.ends == 0 && server.errors.map(\.code) == [.read])
        }
    }

    @Test("who doesn't finish the handshake is dropped")
    func slowHandshake() throws {
        try onLoop {
            let setup = try Setup(host: "localhost")
            setup.link.isStalled = true
            setup.time.advance(by: .seconds(9))
            #expect(setup.atServer.errors.isEmpty)
            setup.time.advance(by: .seconds(1))
            #expect(setup.atServer.errors.map(\.code) == [.timeout] && setup.atClient.errors.map(\.code) == [.timeout])
        }
    }

    @Test("a reader that pauses gets nothing until it resumes, even what came with the handshake")
    func pausing() throws {
        try onLoop {
            let server = StreamRecorder()
            let setup = try Setup(atServer: server)
            setup.client.write([1, 2])
            setup.server.pauseReading()
            #expect(setup.time.settle())
            #expect(server.received.isEmpty && server.errors.isEmpty)
            setup.client.write([3])
            #expect(setup.time.settle())
            #expect(server.received.isEmpty)
            setup.server.resumeReading()
            #expect(server.received.isEmpty)
            #expect(setup.time.settle())
            #expect(server.received == [1, 2, 3])
        }
    }

    @Test("closing after draining delivers everything and says farewell", arguments: [0, 1, 300_000])
    func draining(count: Int) throws {
        try onLoop {
            let server = StreamRecorder()
            let setup = try Setup(atServer: server)
            setup.client.write(pattern(count))
            setup.client.close(drainingFor: .seconds(5))
            #expect(setup.time.settle())
            #expect(server.received == pattern(count) && server.ends == 1 && server.errors.isEmpty)
        }
    }

    @Test("bytes that aren't TLS, or are changed on the way, end the connection and nothing else")
    func hostileBytes() throws {
        let seed = randomSeed
        var random = SeededGenerator(seed: seed)
        for round in 0..<60 {
            // From a record's header on: of fewer bytes nobody can tell yet what they are.
            let junk = (0..<Int.random(in: 5...600, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let isServer = Bool.random(using: &random)
            let delay = Int.random(in: 0...6, using: &random)
            try onLoop {
                let setup = try Setup()
                setup.client.write(pattern(1000))
                for _ in 0..<delay { setup.time.step() }
                // Goes under the TLS layer, as from somebody on the line.
                (isServer ? setup.link.client : setup.link.server).write(junk)
                #expect(setup.time.settle(), "seed \(seed) round \(round)")
                setup.time.advance(by: .seconds(30))
                let victim = isServer ? setup.atServer : setup.atClient
                #expect(!victim.errors.isEmpty || victim.ends > 0, "seed \(seed) round \(round)")
                #expect(pattern(1000).starts(with: setup.atClient.received), "seed \(seed) round \(round)")
            }
        }
    }

    @Test("TLS runs over sockets as well")
    func sockets() throws {
        let done = try onLoop { StreamRecorder() }
        let scheduler = try onLoop { LoopScheduler() }
        let network = try onLoop { SystemNetwork() }
        let listener = try onLoop {
            let context = try TLSContext.server(
                certificateChain: Certificates.shared.server.chain, privateKey: Certificates.shared.server.key)
            return try network.listen(Endpoint("127.0.0.1", 0)) { stream in
                try? TLSStream(over: stream, context, scheduler: scheduler).start(StreamRecorder.echo())
            }
        }
        try onLoop {
            _ = network.connect(listener.endpoint, within: .seconds(5)) { result in
                guard let stream = try? result.get(),
                    let context = try? TLSContext.client(trusting: .file(Certificates.shared.authority)),
                    let secure = try? TLSStream(over: stream, context, host: "127.0.0.1", scheduler: scheduler)
                else { return }
                secure.start(done)
                secure.write(pattern(200_000))
                secure.shutdownWriting()
            }
        }
        #expect(try eventuallyOnLoop { done.ends == 1 })
        #expect(try onLoop { done.received } == pattern(200_000))
        try onLoop { listener.close() }
    }
}
