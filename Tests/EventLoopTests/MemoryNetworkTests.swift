import Foundation
import TestSupport
import Testing

@testable import EventLoop

@Suite("Memory network")
struct MemoryNetworkTests {
    /// A network, its time, and a client of an echo.
    @LoopActor
    private final class Setup {
        let time = ManualScheduler()
        let network: MemoryNetwork
        let client = StreamRecorder()
        let attempt = Attempt()
        var listener: (any NetworkListener)?

        init(_ server: @escaping @LoopActor () -> StreamRecorder = { .echo() }) throws {
            network = MemoryNetwork(time)
            listener = try network.listen(Endpoint("server", 80)) { $0.start(server()) }
            _ = network.connect(Endpoint("server", 80), within: .seconds(10)) { [attempt] in attempt.finish($0) }
        }

        func stream() throws -> any ByteStream {
            #expect(time.settle())
            let stream = try #require(attempt.stream)
            stream.start(client)
            return stream
        }
    }

    @Test("nothing is delivered inside a call, and everything in order, in any pieces", arguments: [1, 7, Int.max])
    func echo(pieceSize: Int) throws {
        try onLoop {
            let setup = try Setup()
            setup.network.pieceSize = pieceSize
            #expect(setup.attempt.stream == nil)
            let stream = try setup.stream()
            stream.write(pattern(1000))
            stream.write([1, 2, 3])
            stream.shutdownWriting()
            #expect(setup.client.received.isEmpty && stream.queuedBytes == 1003)
            #expect(setup.time.settle())
            #expect(setup.client.received == pattern(1000) + [1, 2, 3])
            #expect(setup.client.ends == 1 && stream.queuedBytes == 0)
            stream.close()
            #expect(setup.network.links.isEmpty)
        }
    }

    @Test("a delay passes before each piece, and pieces don't overtake each other")
    func delay() throws {
        try onLoop {
            let setup = try Setup()
            let stream = try setup.stream()
            var delays: [Duration] = [.seconds(3), .seconds(1)]
            setup.network.delay = { delays.isEmpty ? .zero : delays.removeFirst() }
            stream.write([1])
            stream.write([2])
            setup.time.advance(by: .seconds(2))
            #expect(setup.client.received.isEmpty)
            setup.time.advance(by: .seconds(2))
            #expect(setup.client.received == [1, 2])
            #expect(setup.time.now == .seconds(4))
            stream.close()
        }
    }

    @Test("a paused reader lets the writer feel pressure, until it reads again")
    func pressure() throws {
        try onLoop {
            let server = StreamRecorder()
            let setup = try Setup { server }
            let stream = try setup.stream()
            let link = try #require(setup.network.links.first)
            stream.limits = WriteLimits(high: 100, low: 10, maximum: 1000)
            link.server.pauseReading()
            stream.write(pattern(101))
            #expect(setup.client.pressure == [true] && stream.isUnderPressure)
            #expect(setup.time.settle())
            #expect(server.received.isEmpty)
            link.server.resumeReading()
            #expect(setup.time.settle())
            #expect(server.received == pattern(101) && setup.client.pressure == [true, false])
            link.server.pauseReading()
            stream.write(pattern(1001))
            #expect(setup.client.errors.isEmpty)
            #expect(setup.time.settle())
            #expect(setup.client.errors.map(\.code) == [.write])
            link.server.resumeReading()
            #expect(setup.time.settle())
            #expect(server.errors.map(\.code) == [.read])
        }
    }

    @Test("cut connections fail at both ends, stalled ones say nothing")
    func faults() throws {
        try onLoop {
            let server = StreamRecorder()
            let setup = try Setup { server }
            let stream = try setup.stream()
            let link = try #require(setup.network.links.first)
            link.isStalled = true
            stream.write([1])
            setup.time.advance(by: .seconds(3600))
            #expect(server.received.isEmpty)
            link.isStalled = false
            #expect(setup.time.settle())
            #expect(server.received == [1])
            stream.write([2])
            link.cut()
            #expect(setup.time.settle())
            #expect(server.received == [1] && server.errors.count == 1 && setup.client.errors.count == 1)
            #expect(setup.network.links.isEmpty)
        }
    }

    @Test("attempts are refused by faults, missing listeners, listeners that may not, and find nobody when all is down")
    func refusals() throws {
        try onLoop {
            let setup = try Setup()
            _ = try setup.stream()
            @LoopActor func outcome(_ port: Int = 80) -> NetworkError.Code? {
                let attempt = Attempt()
                _ = setup.network.connect(Endpoint("server", port), within: .seconds(5)) { attempt.finish($0) }
                setup.time.advance(by: .seconds(5))
                attempt.stream?.start(setup.client)
                return attempt.error?.code
            }
            #expect(outcome() == nil)
            #expect(outcome(81) == .connect)
            setup.network.fault = { _ in NetworkError(.resolve, "no such host") }
            #expect(outcome() == .resolve)
            setup.network.fault = { _ in nil }
            setup.network.isReachable = false
            let before = setup.time.now
            #expect(outcome() == .timeout && setup.time.now == before + .seconds(5))
            setup.network.isReachable = true
            setup.listener?.mayAccept = { false }
            let ends = setup.client.ends
            #expect(outcome() == nil && setup.listener?.refusedCount == 1)
            #expect(setup.time.settle() && setup.client.ends == ends + 1)
            setup.listener?.close()
            #expect(outcome() == .connect)
        }
    }

    @Test("a network that nobody needs any more is freed, with connections that nobody closed")
    func freed() throws {
        weak var network: MemoryNetwork?
        weak var stream: MemoryStream?
        (network, stream) = try onLoop {
            let setup = try Setup()
            try setup.stream().write([1])
            return (setup.network, setup.network.links.first?.client)
        }
        // The loop lets go of what it ran a moment after it has answered.
        #expect(eventually { network == nil && stream == nil })
    }

    @Test("close after draining sends what is queued, and gives up at the deadline")
    func draining() throws {
        try onLoop {
            let server = StreamRecorder()
            let setup = try Setup { server }
            let stream = try setup.stream()
            stream.write([1, 2])
            stream.close(drainingFor: .seconds(5))
            #expect(setup.time.settle())
            #expect(server.received == [1, 2] && server.ends == 1 && stream.isClosed)

            let second = try Setup { server }
            let other = try second.stream()
            let link = try #require(second.network.links.first)
            link.server.pauseReading()
            other.write([3])
            other.close(drainingFor: .seconds(5))
            second.time.advance(by: .seconds(4))
            #expect(!other.isClosed)
            second.time.advance(by: .seconds(1))
            #expect(other.isClosed)
        }
    }
}
