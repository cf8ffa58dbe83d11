import Testing

@testable import Sync

/// What a client does about errors of the server (P-74 to P-81, P-119 to P-128).
struct ClientErrorTests {
    private func begun(_ mode: SyncProtocol.Mode = .partition) -> ClientHarness {
        var client = ClientHarness(mode)
        client.begin()
        client.effects = []
        return client
    }

    private func error(_ code: SyncErrorCode, session: Int64 = 1, _ change: (inout ErrorBody) -> Void = { _ in })
        -> ServerMessage
    {
        var body = ErrorBody(code, "m")
        change(&body)
        return .jsonError(code: code, session: session, body)
    }

    @Test func `each action has its effect (P-81)`() {
        enum Expected {
            case nothing
            case report(Bool)
            case reset
            case refresh(ClientEffect)
            case logOut
        }
        let table: [(ErrorAction, Bool, Expected, resumes: Bool)] = [
            (.protocolViolation, false, .report(true), false), (.applicationBug, false, .report(true), false),
            (.applicationBug, true, .report(true), false), (.deleteRealm, false, .report(true), false),
            (.warning, true, .report(false), true), (.warning, false, .report(true), false),
            (.transient, true, .nothing, true), (.transient, false, .report(true), false),
            (.clientReset, false, .reset, false), (.clientResetNoRecovery, false, .reset, false),
            (.migrateToFlexible, false, .reset, false), (.revertToPartition, false, .reset, false),
            (.refreshUser, true, .refresh(.refreshToken), false),
            (.refreshLocation, true, .refresh(.refreshLocation), false), (.logOutUser, false, .logOut, false)
        ]
        for (action, tryAgain, expected, resumes) in table {
            var client = begun()
            let code: SyncErrorCode = action == .migrateToFlexible ? .migrateToFlexible : .otherSessionError
            let sent = client.receive(
                error(code) {
                    $0.action = action
                    $0.tryAgain = tryAgain
                    $0.partitionQuery = "a == 1"
                })
            #expect(sent == [.unbind(session: 1)], "\(action)")
            let fatal = client.reports.map(\.isFatal)
            switch expected {
            case .nothing: #expect(client.effects.isEmpty, "\(action)")
            case .report(let isFatal): #expect(fatal == [isFatal], "\(action)")
            case .reset:
                #expect(client.effects.contains { if case .reset(1, _, "a == 1") = $0 { true } else { false } })
            case .refresh(let effect):
                #expect(client.effects == [effect])
                let again = client.act { $0.tokenRefreshed(now: .zero) }
                #expect(again.contains { if case .bind = $0 { true } else { false } })
            case .logOut: #expect(fatal == [true] && client.effects.contains(.logOut))
            }
            #expect((client.connection.sessionDeadline == .seconds(1)) == resumes, "\(action)")
            if resumes {
                let again = client.tick(.seconds(1))
                #expect(again.first == .bind(.init(session: 1, path: "\"p\"", needsIdent: false)))
            }
        }
    }

    @Test func `codes without an action of ours, and those a server must not send, abort nothing (P-127)`() {
        for code in Array(200..<310) where code != 231 && code != 236 {
            var client = begun()
            client.receive(
                error(SyncErrorCode(rawValue: code)) {
                    $0.partitionQuery = "x"
                    $0.previousSchemaVersion = 0
                })
            #expect(client.connection.sessionCount == 1, "\(code)")
            #expect(client.connection.state == .connected)
        }
    }

    @Test func `session errors that repeat wait longer, until a DOWNLOAD is integrated (P-120)`() {
        var client = begun()
        var delays: [Duration] = []
        for _ in 0..<4 {
            client.receive(error(.otherSessionError) { $0.action = .transient })
            guard let deadline = client.connection.sessionDeadline else { break }
            delays.append(deadline - client.now)
            client.tick(deadline)
        }
        #expect(delays == [.seconds(1), .seconds(2), .seconds(4), .seconds(8)])
        client.receive(client.download())
        client.receive(error(.otherSessionError) { $0.action = .transient })
        #expect(client.connection.sessionDeadline.map { $0 - client.now } == .seconds(1))
        client.tick(client.now + .seconds(1))
        client.receive(
            error(.initialSyncNotCompleted) {
                $0.backoff = .init(interval: .seconds(30), maximum: .seconds(40), multiplier: 3)
            })
        #expect(client.connection.sessionDeadline.map { $0 - client.now } == .seconds(30))
    }

    @Test func `R41: what couldn't be uploaded is sent again by itself, without another write`() {
        var client = begun()
        for number in 1...3 { client.commit([UInt8(number)]) }
        client.receive(error(.otherSessionError) { $0.action = .transient })
        client.sent = []
        guard let deadline = client.connection.sessionDeadline else {
            Issue.record("it doesn't come back")
            return
        }
        #expect(deadline - client.now < .seconds(10))
        client.tick(deadline)
        let marks = client.sent.compactMap { message -> Int64? in
            if case .mark(_, let request) = message { request } else { nil }
        }
        if let mark = marks.last {
            client.receive(client.download())
            client.receive(.mark(session: 1, request: mark))
        }
        let uploaded = client.sent.flatMap { message -> [[UInt8]] in
            if case .upload(let upload) = message { upload.entries.map(\.changeset) } else { [] }
        }
        #expect(uploaded == [[1], [2], [3]])
    }

    @Test func `error 200 always resumes after a second (P-120)`() {
        var client = begun()
        for _ in 0..<5 {
            client.receive(error(.sessionClosed))
            #expect(client.connection.sessionDeadline.map { $0 - client.now } == .seconds(1))
            client.tick(client.now + .seconds(1))
        }
        #expect(client.reports == [])
    }

    @Test func `errors on the wrong level break the protocol (P-75, P-76)`() {
        let bad: [ServerMessage] = [
            error(.otherError, session: 1), error(.otherSessionError, session: 0),
            error(SyncErrorCode(rawValue: 999), session: 0), error(.otherSessionError, session: 9)
        ]
        for message in bad {
            var client = begun()
            client.receive(message)
            #expect(client.effects.contains(.disconnect), "\(message)")
            #expect(client.reports.map(\.status) == [.protocolInvariantFailed])
            #expect(client.connection.state == .idle)
        }
        var client = begun()
        _ = client.connection.received(
            error(.otherSessionError).encoded(for: client.connection.agreed), now: .zero)
        client.receive(error(.otherSessionError))
        #expect(client.effects.contains(.disconnect))
    }

    @Test func `undone writes are reported with the DOWNLOAD that has the undo (P-78, F-60)`() {
        var client = begun()
        func undo(_ version: Int64) -> ServerMessage {
            error(.compensatingWrite) {
                $0.compensatingWriteServerVersion = version
                $0.rejectedClientVersion = 2
                $0.rejectedUpdates = []
                $0.message = "\(version)"
            }
        }
        client.receive(undo(5))
        client.receive(undo(3))
        client.receive(client.download(server: 2, changesets: [[1]]))
        #expect(client.reports == [])
        client.receive(client.download(server: 4, changesets: [[1], [2]]))
        #expect(client.reports.map(\.message) == ["3"])
        client.receive(client.download(server: 5, changesets: [[3]]))
        #expect(client.reports.map(\.message) == ["3", "5"])
        #expect(client.reports.allSatisfy { !$0.isFatal && $0.status == .compensatingWrite })
    }

    @Test func `236 leaves the session up (F-89)`() {
        var client = begun(.flexible)
        client.receive(error(.schemaVersionChanged) { $0.previousSchemaVersion = 3 })
        client.receive(error(.schemaVersionChanged) { $0.previousSchemaVersion = 3 })
        #expect(client.effects.filter { $0 == .migrateSchema(session: 1, previousVersion: 3) }.count == 2)
        #expect(client.connection.state == .connected)
    }

    @Test func `connection errors: again after a delay, or never (P-119)`() {
        var client = begun()
        client.receive(error(.connectionClosed, session: 0))
        #expect(client.connection.state == .waiting(until: .seconds(1)))
        #expect(client.reports == [])
        client = begun()
        client.receive(error(.switchToFlexible, session: 0))
        #expect(client.connection.state == .idle)
        #expect(client.reports.map(\.status) == [.wrongSyncType])
        #expect(client.tick(.seconds(1000)) == [])
        client.effects = []
        client.act { $0.resume(session: 1, now: .seconds(1000)) }
        #expect(client.effects == [.connect])
    }

    @Test func `below version 7 the hints decide (P-81)`() {
        var client = ClientHarness()
        client.add()
        client.connect(version: 6)
        client.receive(
            error(.badClientFileIdent) {
                $0.action = .warning
                $0.shouldClientReset = true
            })
        #expect(client.effects.contains { if case .reset = $0 { true } else { false } })
    }

    @Test func `how a connection that fails is tried again (P-18, P-26)`() {
        typealias Row = (
            failure: ConnectionFailure, retry: ConnectionReaction.Retry, status: SyncStatus?, isFatal: Bool
        )
        let table: [Row] = [
            (.http(301), .location, nil, false), (.http(308), .location, nil, false),
            (.http(302), .backoff, .connectionClosed, false), (.http(401), .token, nil, false),
            (.http(403), .never, .authError, true), (.http(500), .backoff, .connectionClosed, false),
            (.http(404), .backoff, .connectFailed, true), (.http(200), .backoff, .connectFailed, true),
            (.closed(1000), .backoff, nil, false), (.closed(1001), .backoff, .protocolInvariantFailed, false),
            (.closed(1006), .token, nil, false), (.closed(1009), .backoff, .limitExceeded, true),
            (.closed(1011), .backoff, .connectionClosed, false), (.closed(1015), .backoff, .tlsHandshakeFailed, false),
            (.closed(4001), .token, nil, false), (.closed(4002), .never, .authError, true),
            (.closed(4003), .location, nil, false), (.closed(1234), .backoff, .protocolInvariantFailed, false),
            (.ended, .backoff, nil, false), (.resolve, .backoff, nil, false), (.connect, .backoff, nil, false),
            (.tls("t"), .backoff, .tlsHandshakeFailed, false), (.negotiation("n"), .backoff, .negotiationFailed, true),
            (.pongTimeout, .backoff, nil, false), (.violation("v"), .never, .protocolInvariantFailed, true)
        ]
        for row in table {
            let reaction = ConnectionReaction(row.failure, isVerified: true)
            #expect(reaction.retry == row.retry, "\(row.failure)")
            #expect(reaction.report?.status == row.status, "\(row.failure)")
            #expect(reaction.report?.isFatal ?? false == row.isFatal, "\(row.failure)")
        }
        #expect(ConnectionReaction(.resolve, isVerified: false).retry == .location)
        #expect(ConnectionReaction(.http(404), isVerified: false).retry == .location)
    }

    @Test func `a refresh that fails for now is tried again through back-off (P-125)`() {
        var client = begun()
        client.act { $0.failed(.closed(4001), now: .zero) }
        client.act { $0.refreshFailed(now: .zero) }
        #expect(client.connection.state == .waiting(until: .seconds(1)))
        client.effects = []
        client.tick(.seconds(1))
        #expect(client.effects == [.connect])
        // Nothing waits for a refresh now.
        client.act { $0.refreshFailed(now: .seconds(1)) }
        #expect(client.connection.state == .connecting(until: .seconds(121)))
    }

    @Test func `a session that was sent away for a token comes back with it, and only then (P-81)`() {
        var client = begun()
        client.receive(error(.otherSessionError) { $0.action = .refreshUser })
        #expect(client.tick(.seconds(20)) == [])
        let sent = client.act { $0.tokenRefreshed(now: .seconds(20)) }
        #expect(sent.contains { if case .bind = $0 { true } else { false } })
    }

    @Test func `one refresh, then a new connection; a second failure waits (P-6)`() {
        var client = begun()
        client.act { $0.failed(.closed(4001), now: .zero) }
        #expect(client.connection.state == .refreshing && client.effects == [.refreshToken])
        client.act { $0.tokenRefreshed(now: .zero) }
        #expect(client.effects == [.refreshToken, .connect])
        client.act { $0.failed(.http(401), now: .zero) }
        client.act { $0.tokenRefreshed(now: .zero) }
        #expect(client.connection.state == .waiting(until: .seconds(2)))
    }
}

extension ClientConnection {
    /// When the first suspended session comes back.
    var sessionDeadline: Duration? {
        sessions.values.compactMap { if case .suspended(let until) = $0.life { until } else { nil } }.min()
    }
}
