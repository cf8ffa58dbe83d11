import Foundation
import TestSupport
import Testing

@testable import EventLoop

@Suite("Pipe connections")
struct PipeTests {
    @Test("an echo of any size comes back whole", arguments: [1, 64, 4096, 300_000, 8 << 20])
    func echo(size: Int) throws {
        let (peer, _) = try connectedPair { _ in Recorder.echo() }
        let sent = pattern(size)
        let sender = Thread { _ = peer.send(sent) }
        sender.start()
        #expect(peer.receive(size) == sent)
    }

    @Test("writes made while reading leave together")
    func gathers() throws {
        let (peer, connection) = try connectedPair { _ in
            let recorder = Recorder()
            recorder.onReceive = { connection, bytes in
                for byte in bytes { connection.write([byte, byte]) }
            }
            return recorder
        }
        #expect(peer.send([1, 2, 3]))
        // One system call each way: what was written in one callback is there at once.
        #expect(eventually { peekCount(peer.socket) > 0 })
        #expect(peekCount(peer.socket) == 6)
        #expect(peer.receive(6) == [1, 1, 2, 2, 3, 3])
        try onLoop { connection.close() }
    }

    private func peekCount(_ socket: Int32) -> Int {
        var bytes = [UInt8](repeating: 0, count: 64)
        return recv(socket, &bytes, 64, Int32(MSG_PEEK | MSG_DONTWAIT))
    }

    @Test("a peer that never reads is noticed, and gets everything once it reads")
    func backPressure() throws {
        let recorder = try onLoop { Recorder() }
        let (peer, connection) = try connectedPair { _ in recorder }
        let piece = pattern(64 << 10)
        try onLoop {
            connection.limits = WriteLimits(high: 1 << 20, low: 100 << 10, maximum: 64 << 20)
            for _ in 0..<64 { connection.write(piece) }
        }
        #expect(try onLoop { recorder.pressure } == [true])
        #expect(try onLoop { connection.isUnderPressure && connection.queuedBytes > 1 << 20 })
        var got: [UInt8] = []
        while got.count < 64 * piece.count {
            let more = peer.receive(piece.count)
            guard !more.isEmpty else { break }
            got += more
        }
        #expect(got == (0..<64).flatMap { _ in piece })
        #expect(try eventuallyOnLoop { recorder.pressure == [true, false] && connection.queuedBytes == 0 })
        #expect(try onLoop { recorder.errors }.isEmpty)
        try onLoop { connection.close() }
    }

    @Test("who writes hears of the pressure at once, and what is beyond the maximum isn't kept")
    func pressureInsideACallback() throws {
        let recorder = try onLoop { Recorder() }
        let (peer, connection) = try connectedPair { _ in recorder }
        try onLoop {
            connection.limits = WriteLimits(high: 1 << 20, low: 100 << 10, maximum: 4 << 20)
            let piece = [UInt8](repeating: 1, count: 1 << 20)
            connection.write(piece)
            #expect(recorder.pressure.isEmpty)
            connection.write(piece)
            #expect(recorder.pressure == [true] && connection.isUnderPressure)
            for _ in 0..<10 { connection.write(piece) }
            #expect(connection.queuedBytes == 5 << 20)
            #expect(recorder.errors.isEmpty)
        }
        #expect(try onLoop { recorder.errors.map(\.errorNumber) } == [ENOBUFS])
        withExtendedLifetime(peer) {}
    }

    @Test("beyond the maximum the connection fails with ENOBUFS, once")
    func overflow() throws {
        let recorder = try onLoop { Recorder() }
        let (peer, connection) = try connectedPair { _ in recorder }
        try onLoop {
            connection.limits = WriteLimits(high: 1 << 16, low: 1 << 10, maximum: 1 << 20)
            connection.write([UInt8](repeating: 1, count: 4 << 20))
        }
        #expect(try onLoop { recorder.errors.map(\.errorNumber) } == [ENOBUFS])
        #expect(try onLoop { connection.isClosed && connection.queuedBytes == 0 })
        try onLoop { connection.write([1]) }
        #expect(try onLoop { recorder.errors.count } == 1)
        withExtendedLifetime(peer) {}
    }

    @Test("while reading is paused nothing comes, and nothing is lost")
    func pausing() throws {
        let recorder = try onLoop { Recorder() }
        let (peer, connection) = try connectedPair { _ in recorder }
        #expect(peer.send([1]))
        #expect(try eventuallyOnLoop { recorder.received == [1] })
        try onLoop { connection.pauseReading() }
        let bytes = pattern(100_000)
        #expect(peer.send(bytes))
        // Two full rounds of the loop would have brought them.
        try onLoop {}
        try onLoop {}
        #expect(try onLoop { recorder.received } == [1])
        try onLoop { connection.resumeReading() }
        #expect(try eventuallyOnLoop { recorder.received.count == 100_001 })
        #expect(try onLoop { recorder.received } == [1] + bytes)
        try onLoop { connection.close() }
    }

    @Test("a peer that half-closes still gets its answers")
    func peerHalfCloses() throws {
        let recorder = try onLoop { Recorder() }
        let (peer, connection) = try connectedPair { _ in
            recorder.onEnd = { connection in
                connection.write([9, 9])
                connection.close(drainingFor: .seconds(5))
            }
            return recorder
        }
        #expect(peer.send([1, 2]))
        peer.shutdownWriting()
        #expect(peer.receiveAll().bytes == [9, 9])
        #expect(try onLoop { recorder.received == [1, 2] && recorder.ends == 1 })
        #expect(try eventuallyOnLoop { connection.isClosed })
    }

    @Test("we half-close and still read")
    func weHalfClose() throws {
        let recorder = try onLoop { Recorder() }
        let (peer, connection) = try connectedPair { _ in recorder }
        try onLoop {
            connection.write([5])
            connection.shutdownWriting()
            connection.write([6])
        }
        #expect(peer.receiveAll().bytes == [5])
        #expect(peer.send([7]))
        #expect(try eventuallyOnLoop { recorder.received == [7] })
        try onLoop { connection.close() }
    }

    @Test("draining before closing ends at its deadline when the peer never reads")
    func drainDeadline() throws {
        let (peer, connection) = try connectedPair { _ in Recorder() }
        try onLoop {
            connection.write([UInt8](repeating: 1, count: 8 << 20))
            connection.close(drainingFor: .milliseconds(50))
            #expect(!connection.isClosed)
        }
        #expect(try eventuallyOnLoop { connection.isClosed })
        withExtendedLifetime(peer) {}
    }

    @Test("after close nothing is called, whatever the peer does; closing again does nothing")
    func closeIsFinal() throws {
        let recorder = try onLoop { Recorder() }
        let (peer, connection) = try connectedPair { _ in
            recorder.onReceive = { connection, _ in
                connection.write([1])
                connection.close()
                connection.close()
                connection.write([2])
                connection.resumeReading()
            }
            return recorder
        }
        _ = peer.send(pattern(500_000))
        #expect(peer.isAtEnd)
        #expect(try onLoop { recorder.reads == 1 && recorder.errors.isEmpty && recorder.ends == 0 })
        #expect(try onLoop { connection.isClosed })
    }

    @Test("a peer that vanishes while we write is an error, told once")
    func peerVanishes() throws {
        let recorder = try onLoop { Recorder() }
        var pair: (Peer, PipeConnection)? = try connectedPair { _ in recorder }
        let connection = pair?.1
        pair = nil
        #expect(try eventuallyOnLoop { recorder.ends == 1 })
        try onLoop {
            connection?.write([1])
        }
        #expect(try eventuallyOnLoop { recorder.errors.map(\.errorNumber) == [EPIPE] })
        #expect(try onLoop { connection?.isClosed } == true)
    }

    @Test("closed connections are freed")
    func noLeak() throws {
        weak var freed: Recorder?
        weak var connectionFreed: PipeConnection?
        do {
            let recorder = try onLoop { Recorder() }
            let (_, connection) = try connectedPair { _ in recorder }
            freed = recorder
            connectionFreed = connection
            try onLoop { connection.close() }
        }
        #expect(eventually { freed == nil && connectionFreed == nil })
    }
}
