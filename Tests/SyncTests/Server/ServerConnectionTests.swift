import Testing

@testable import Sync

/// Time, floods and the end of a connection on the server.
struct ServerConnectionTests {
    @Test func `silence ends the connection 30 minutes after the last PING (P-93)`() {
        var server = ServerHarness()
        #expect(server.connection.deadline == .seconds(1800))
        server.now = .seconds(1000)
        server.send(.ping(timestamp: 1, roundTrip: 0))
        #expect(server.connection.deadline == .seconds(2800))
        #expect(server.connection.tick(now: .seconds(2799)) == [])
        #expect(server.connection.tick(now: .seconds(2800)) == [.disconnect])
        #expect(server.connection.deadline == nil)
    }

    @Test func `an expired token ends the connection with 4001 (P-129)`() {
        var server = ServerHarness(expiry: .seconds(100))
        _ = server.bind()
        #expect(server.connection.deadline == .seconds(100))
        #expect(server.connection.tick(now: .seconds(100)) == [.close(code: 4001), .ended(session: 1)])
        #expect(server.send(.ping(timestamp: 1, roundTrip: 0)) == [])
    }

    @Test func `after a connection error the client has ten minutes to close (P-92)`() {
        var server = ServerHarness()
        server.now = .seconds(5)
        server.send("nonsense")
        #expect(server.effects == [.finish])
        #expect(server.connection.deadline == .seconds(605))
        #expect(server.connection.tick(now: .seconds(605)) == [.disconnect])
    }

    @Test func `input stops while a session's inbox is full, and a flood ends the connection`() {
        var limits = ServerLimits()
        limits.inboxMessages = 4
        limits.inboxFlood = 8
        var server = ServerHarness(limits: limits)
        _ = server.bind()
        server.holdsAnswers = true
        for version in 2...5 as ClosedRange<Int64> { server.send(upload([(version, 0)], progress: (version, 0))) }
        #expect(server.connection.wantsInput)
        server.send(upload([(6, 0)], progress: (6, 0)))
        #expect(!server.connection.wantsInput)
        server.answerHeld()
        #expect(server.connection.wantsInput)
        server.holdsAnswers = true
        for version in 7...17 as ClosedRange<Int64> { server.send(upload([(version, 0)], progress: (version, 0))) }
        #expect(server.lastError == [100, 0])
        guard case .jsonError(_, _, let body)? = server.sent.last else { return }
        #expect(body.tryAgain && body.action == .transient)
    }

    @Test func `sessions of a connection are bounded`() {
        var limits = ServerLimits()
        limits.sessions = 3
        var server = ServerHarness(limits: limits)
        for session in 1...4 as ClosedRange<Int64> {
            server.send(.bind(.init(session: session, path: "\"p\"", needsIdent: true)))
        }
        #expect(server.lastError == [100, 0])
        #expect(server.connection.sessionCount == 0)
    }

    @Test func `few sessions hold a DOWNLOAD at a time, and all get theirs`() {
        var limits = ServerLimits()
        limits.downloads = 2
        var server = ServerHarness(limits: limits)
        for session in 1...6 as ClosedRange<Int64> { _ = server.bind(session: session) }
        server.history.append(.init(origin: 9, originVersion: 1, timestamp: 0, changeset: [1]))
        server.holdsAnswers = true
        for session in 1...6 as ClosedRange<Int64> { server.act { $0.historyGrew(session: session) } }
        #expect(server.held.map(\.session) == [1, 2])
        // One that is answered makes room for the next.
        guard let first = server.held.first else { return }
        server.answer(first, server.history.answer(first.work))
        #expect(server.held.map(\.session) == [1, 2, 3])
        // One that ends does, too.
        server.send(.unbind(session: 2))
        #expect(server.held.map(\.session) == [1, 2, 3, 4])
        let downloads = server.answerHeld().map(\.session)
        #expect(Set(downloads) == [3, 4, 5, 6])
        #expect(server.sent.filter { if case .download = $0 { true } else { false } }.count == 6 + 5)
    }

    @Test func `sessions take turns, one message each (P-94)`() {
        var limits = ServerLimits()
        limits.downloadBytes = 1
        var server = ServerHarness(limits: limits)
        _ = server.bind(session: 1)
        _ = server.bind(session: 2)
        for version in 1...3 as ClosedRange<Int64> {
            server.history.append(.init(origin: 9, originVersion: version, timestamp: 0, changeset: [1]))
        }
        let first = server.connection.historyGrew(session: 1)
        let second = server.connection.historyGrew(session: 2)
        let messages = server.act { _ in first + second }
        #expect(messages.map(\.session) == [1, 2, 1, 2, 1, 2])
    }

    @Test func `a log message only where the client knows it (P-29)`() {
        var server = ServerHarness(version: 9)
        #expect(server.pump() == [])
        server = ServerHarness(version: 10)
        #expect(server.pump().count == 1)
    }
}
