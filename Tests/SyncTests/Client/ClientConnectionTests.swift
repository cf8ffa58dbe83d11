import Testing

@testable import Sync

/// Time on the client's connection: PING and PONG, lingering, delays (P-117 to P-121).
struct ClientConnectionTests {
    @Test func `delays double while the same thing fails, and lose up to a quarter (P-119)`() {
        var backoff = Backoff<Int>()
        let delays = (0..<11).map { _ in backoff.failed(1, jitter: 0) }
        #expect(delays == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map { .seconds($0) })
        #expect(backoff.failed(2, jitter: 0) == .seconds(1))
        #expect(backoff.failed(2, jitter: 1) == .milliseconds(1500))
        backoff.clear()
        #expect(backoff.failed(2, jitter: 0) == .seconds(1))
    }

    @Test func `connections that fail are tried again, at once when the network is back (P-121)`() {
        var client = ClientHarness()
        client.add()
        // Unverified: the location first, and at once (P-18).
        client.act { $0.failed(.connect, now: .zero) }
        #expect(client.effects.last == .refreshLocation)
        client.act { $0.locationRefreshed(now: .zero) }
        #expect(client.effects.last == .connect)
        for delay in [2, 4, 8] {
            client.act { [now = client.now] in $0.failed(.connect, now: now) }
            #expect(client.connection.state == .waiting(until: client.now + .seconds(delay)))
            client.tick(client.now + .seconds(delay))
            #expect(client.effects.last == .connect)
        }
        client.act { [now = client.now] in $0.failed(.connect, now: now) }
        client.act { [now = client.now] in $0.reconnectNow(now: now) }
        #expect(client.effects.last == .connect)
    }

    @Test func `PINGs come at their time with the last round trip, and PONG must match (P-60, P-73)`() {
        var client = ClientHarness(jitter: 0.5)
        client.begin()
        #expect(client.connection.deadline == .seconds(30))
        #expect(client.tick(.seconds(30)) == [.ping(timestamp: 30_000, roundTrip: 0)])
        #expect(client.tick(.seconds(31)) == [])
        client.now = .milliseconds(31_250)
        client.receive(.pong(timestamp: 30_000))
        #expect(client.tick(.milliseconds(31_250) + .seconds(57)) == [.ping(timestamp: 88_250, roundTrip: 1250)])
        client.receive(.pong(timestamp: 88_251))
        #expect(client.effects.contains(.disconnect))
    }

    @Test func `a PONG that nobody asked for is a violation`() {
        var client = ClientHarness()
        client.begin()
        client.receive(.pong(timestamp: 0))
        #expect(client.reports.map(\.status) == [.protocolInvariantFailed])
    }

    @Test func `no PONG in time: reconnect, and no application sees it (P-117)`() {
        var client = ClientHarness()
        client.begin()
        client.tick(.seconds(60))
        #expect(client.connection.deadline == .seconds(180))
        client.tick(.seconds(180))
        #expect(client.effects.last == .disconnect)
        #expect(client.connection.state == .waiting(until: .seconds(181)))
        #expect(client.reports == [])
    }

    @Test func `an urgent PING when the network changes (P-121)`() {
        var client = ClientHarness()
        client.begin()
        #expect(client.act { $0.reconnectNow(now: .seconds(1)) }.count == 1)
        #expect(client.act { $0.reconnectNow(now: .seconds(1)) } == [])
    }

    @Test func `R38: a connection that a change of the network has cut off is given up within seconds (P-121)`() {
        var client = ClientHarness()
        client.begin()
        client.now = .seconds(10)
        client.act { $0.reconnectNow(now: .seconds(10)) }
        #expect(client.connection.deadline == .seconds(13))
        client.tick(.seconds(13))
        #expect(client.effects.suffix(2) == [.disconnect, .connect])
        // One that answers stays, and its next PING has the usual time.
        client.now = .seconds(14)
        client.connect()
        client.act { $0.reconnectNow(now: .seconds(14)) }
        client.receive(.pong(timestamp: 14_000))
        #expect(client.connection.deadline == .seconds(74))
        client.tick(.seconds(74))
        #expect(client.connection.deadline == .seconds(194))
        // An answer that is due already isn't waited for as long as it was to be.
        client.now = .seconds(75)
        client.act { $0.reconnectNow(now: .seconds(75)) }
        #expect(client.connection.deadline == .seconds(78))
    }

    @Test func `R38: who is given up because of a change gets more time after the next one`() {
        var client = ClientHarness()
        client.begin()
        for patience in [3, 6, 12, 24, 48, 96, 120] {
            client.act { [now = client.now] in $0.reconnectNow(now: now) }
            #expect(client.connection.deadline == client.now + .seconds(patience))
            client.tick(client.now + .seconds(patience))
            client.connect()
        }
        client.act { [now = client.now] in $0.reconnectNow(now: now) }
        client.receive(.pong(timestamp: client.now.components.seconds * 1000))
        client.act { [now = client.now] in $0.reconnectNow(now: now) }
        #expect(client.connection.deadline == client.now + .seconds(3))
        // After the next one that is given up it is more again.
        client.tick(client.now + .seconds(3))
        client.connect()
        client.now += .seconds(59)
        client.act { [now = client.now] in $0.reconnectNow(now: now) }
        #expect(client.connection.deadline == client.now + .seconds(6))
        client.receive(.pong(timestamp: client.now.components.seconds * 1000))
    }

    @Test func `a connection that takes no more bytes has as long as one that doesn't answer (P-117)`() {
        var client = ClientHarness()
        client.begin()
        let effects = client.connection.tick(now: .seconds(60))
        #expect(effects == [] && client.connection.hasOutput)
        // The driver can't write; nobody takes the PING.
        #expect(client.connection.deadline == .seconds(180))
        #expect(client.connection.tick(now: .seconds(180)).contains(.disconnect))
    }

    @Test func `R38: what is on its way through a network that is gone is begun anew`() {
        var client = ClientHarness()
        client.add()
        client.effects = []
        client.act { $0.reconnectNow(now: .seconds(1)) }
        #expect(client.effects == [] && client.connection.state == .connecting(until: .seconds(120)))
        client.act { $0.reconnectNow(now: .seconds(3)) }
        #expect(client.effects == [.disconnect, .connect])
        #expect(client.connection.state == .connecting(until: .seconds(123)))
    }

    @Test func `without sessions the connection lingers, and is used again (P-118)`() {
        var client = ClientHarness()
        client.begin()
        client.act { $0.remove(session: 1, now: .zero) }
        client.receive(.unbound(session: 1))
        #expect(client.connection.deadline == .seconds(30))
        client.add(2)
        #expect(client.sent.last == .bind(.init(session: 2, path: "\"p\"", needsIdent: true)))
        client.act { $0.suspend(session: 2, now: .seconds(1)) }
        client.tick(.seconds(31))
        #expect(client.effects.last == .disconnect)
        #expect(client.connection.state == .idle && client.connection.deadline == nil)
        client.act { $0.resume(session: 2, now: .seconds(40)) }
        #expect(client.effects.last == .connect)
    }

    @Test func `connecting takes no longer than its time (P-117)`() {
        var client = ClientHarness()
        client.add()
        #expect(client.connection.deadline == .seconds(120))
        client.tick(.seconds(120))
        #expect(client.effects.contains(.disconnect))
        #expect(client.connection.state == .waiting(until: .seconds(121)))
        // What the transport says now is too late.
        client.connect()
        #expect(client.connection.state == .waiting(until: .seconds(121)))
    }

    @Test func `input stops while files are busy`() {
        var client = ClientHarness()
        client.begin()
        client.holdsAnswers = true
        for _ in 0..<300 { client.receive(client.download()) }
        #expect(!client.connection.wantsInput)
        client.answerHeld()
        #expect(client.connection.wantsInput)
    }

    @Test func `an answer for a session that is gone is ignored`() {
        var client = ClientHarness()
        client.begin()
        client.holdsAnswers = true
        client.receive(client.download(server: 1, changesets: [[1]]))
        client.act { $0.remove(session: 1, now: .zero) }
        client.receive(.unbound(session: 1))
        #expect(client.answerHeld() == [])
    }
}
