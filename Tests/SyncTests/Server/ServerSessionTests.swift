import Testing

@testable import Sync

/// A session on the server, step by step.
struct ServerSessionTests {
    @Test func `a new file binds, is identified, uploads and is acknowledged (19.3, P-67, P-68)`() {
        var server = ServerHarness()
        let file = server.bind()
        #expect(server.sent.count == 3)
        #expect(server.sent[0] == .log(session: 0, LogBody(requestId: "id", level: .info, message: "Connected")))
        #expect(file.number == 2 && file.salt > 0)
        #expect(
            server.sent[2]
                == .download(
                    .init(
                        session: 1, progress: DownloadCursor(), latest: SaltedVersion(), upload: UploadCursor(),
                        contents: .partition(downloadableBytes: 0))))
        #expect(server.send(.mark(session: 1, request: 2)) == [.mark(session: 1, request: 2)])
        let answer = server.send(upload([(2, 0), (3, 0)], progress: (5, 0)))
        #expect(
            answer == [
                .download(
                    .init(
                        session: 1, progress: DownloadCursor(server: 2, client: 3), latest: server.history.current,
                        upload: UploadCursor(client: 5), contents: .partition(downloadableBytes: 0)))
            ])
        #expect(server.send(upload([], progress: (6, 2), locked: 2)) == [])
        #expect(server.send(.unbind(session: 1)) == [.unbound(session: 1)])
        #expect(server.connection.sessionCount == 0)
        #expect(server.effects == [.claimed(session: 1, file: 2), .ended(session: 1)])
    }

    @Test func `changes of one file reach another, and never come back to it (P-66)`() {
        var server = ServerHarness()
        _ = server.bind(session: 1)
        _ = server.bind(session: 2)
        server.send(upload(session: 1, [(2, 0)], progress: (2, 0)))
        let news = server.act { $0.historyGrew(session: 2) }
        guard case .download(let download)? = news.first, news.count == 1 else {
            Issue.record("\(news)")
            return
        }
        #expect(download.session == 2 && download.entries.map(\.originFile) == [2])
        #expect(server.act { $0.historyGrew(session: 2) } == [])
        #expect(server.act { $0.historyGrew(session: 1) } == [])
    }

    @Test func `every MARK is answered, after the history that was there when it came (P-71)`() {
        var limits = ServerLimits()
        limits.downloadBytes = 1
        var server = ServerHarness(limits: limits)
        for version in 1...3 as ClosedRange<Int64> {
            server.history.append(.init(origin: 9, originVersion: version, timestamp: 0, changeset: [1]))
        }
        _ = server.bind()
        server.sent.removeAll(keepingCapacity: false)
        #expect(server.send(.mark(session: 1, request: 1)) == [.mark(session: 1, request: 1)])
        for version in 4...5 as ClosedRange<Int64> {
            server.history.append(.init(origin: 9, originVersion: version, timestamp: 0, changeset: [1]))
        }
        let answer = server.send(.mark(session: 1, request: 7))
        #expect(answer.count == 3)
        #expect(answer.last == .mark(session: 1, request: 7))
        #expect(server.send(.mark(session: 1, request: 7)).count == 1)
        #expect(server.lastError == [109, 0])
    }

    @Test func `marks that can't be answered yet are bounded, and the last one is kept`() {
        var server = ServerHarness()
        _ = server.bind()
        server.holdsAnswers = true
        for request in 1...100 as ClosedRange<Int64> { server.send(.mark(session: 1, request: request)) }
        let answers = server.answerHeld()
        #expect(answers.count == server.connection.limits.marks)
        #expect(answers.last == .mark(session: 1, request: 100))
    }

    @Test func `the one who doesn't read is sent nothing and costs one batch`() {
        var limits = ServerLimits()
        limits.downloadBytes = 10
        var connection = ServerConnection(
            SyncProtocol(.partition), requestId: "", now: .zero, limits: limits)
        var history = MemoryHistory()
        for version in 1...100 as ClosedRange<Int64> {
            history.append(
                .init(origin: 9, originVersion: version, timestamp: 0, changeset: [UInt8](repeating: 0, count: 10)))
        }
        var fetches = 0
        func run(_ effects: [ServerEffect]) {
            for case .ask(let request) in effects {
                if case .fetch = request.work { fetches += 1 }
                run(connection.answered(request, history.answer(request.work)))
            }
        }
        run(
            connection.received(
                ClientMessage.bind(.init(session: 1, path: "\"p\"", needsIdent: true)).encoded(), now: .zero))
        _ = connection.nextMessage(now: .zero)
        guard let bytes = connection.nextMessage(now: .zero).message,
            case .ident(_, let file)? = try? ServerMessage(decoding: bytes, for: connection.agreed)
        else {
            Issue.record("no IDENT")
            return
        }
        let ident = ClientMessage.Ident(session: 1, file: file, download: .init(), latest: .init())
        run(connection.received(ClientMessage.ident(ident).encoded(), now: .zero))
        for _ in 0..<50 { run(connection.historyGrew(session: 1)) }
        #expect(fetches == 1)
        let (message, effects) = connection.nextMessage(now: .zero)
        #expect(message != nil)
        run(effects)
        #expect(fetches == 2)
    }

    @Test func `PONG goes first, with the same number, and only one PING may be out (P-60, P-94)`() {
        var server = ServerHarness()
        _ = server.connection.received(ClientMessage.ping(timestamp: 77, roundTrip: 0).encoded(), now: .zero)
        #expect(server.pump().first == .pong(timestamp: 77))
        _ = server.connection.received(ClientMessage.ping(timestamp: 78, roundTrip: 0).encoded(), now: .zero)
        server.send(.ping(timestamp: 79, roundTrip: 0))
        #expect(server.lastError == [109, 0])
    }

    @Test func `nothing follows UNBIND but UNBOUND (P-72)`() {
        var server = ServerHarness()
        _ = server.bind()
        server.history.append(.init(origin: 9, originVersion: 1, timestamp: 0, changeset: [1]))
        _ = server.connection.historyGrew(session: 1)
        server.holdsAnswers = true
        server.send(upload([(2, 0)], progress: (2, 0)))
        server.send(.unbind(session: 1))
        #expect(server.answerHeld() == [.unbound(session: 1)])
        #expect(server.history.entries.count == 2)
        server.send(.mark(session: 1, request: 1))
        #expect(server.lastError == [106, 0])
    }

    @Test func `UNBIND while the ident is being allocated (P-89)`() {
        var server = ServerHarness()
        server.holdsAnswers = true
        server.send(.bind(.init(session: 1, path: "\"p\"", needsIdent: true)))
        #expect(server.send(.unbind(session: 1)) == [.unbound(session: 1)])
        #expect(server.answerHeld() == [])
        server.send(.bind(.init(session: 1, path: "\"p\"", needsIdent: true)))
        #expect(server.sent.last?.session == 1)
    }

    @Test func `the client that speaks before it sees the error is not punished (P-91)`() {
        var server = ServerHarness()
        server.holdsAnswers = true
        server.send(.bind(.init(session: 1, path: "\"p\"", needsIdent: false)))
        let ident = FileIdent(number: 2, salt: 3)
        server.identify(ident)
        server.send(.mark(session: 1, request: 1))
        server.send(upload([(2, 0)], progress: (2, 0)))
        server.act { $0.end(session: 1, SessionFailure(.permissionDenied, "no")) }
        #expect(server.lastError == [206, 1])
        server.send(.mark(session: 1, request: 2))
        #expect(server.send(.unbind(session: 1)) == [])
        #expect(server.lastError == [206, 1])
        #expect(server.connection.sessionCount == 0)
        // The same session ident may be bound again (19.9).
        server.holdsAnswers = false
        _ = server.bind()
    }

    @Test func `a lost acknowledgement is told again (19.8)`() {
        var server = ServerHarness()
        let file = server.bind()
        server.send(upload([(2, 0)], progress: (2, 0)))
        let salt = server.history.current
        server.send(.unbind(session: 1))
        server.send(.bind(.init(session: 1, path: "\"p\"", needsIdent: false)))
        let answer = server.identify(file)
        #expect(
            answer == [
                .download(
                    .init(
                        session: 1, progress: DownloadCursor(server: 1, client: 2), latest: salt,
                        upload: UploadCursor(client: 2), contents: .partition(downloadableBytes: 0)))
            ])
        // The changeset comes again: it is skipped, and acknowledged again (P-56).
        #expect(server.send(upload([(2, 0), (3, 0)], progress: (3, 0))).count == 1)
        #expect(server.history.entries.count == 2)
    }

    @Test func `what a client can't integrate costs it a reset (P-62)`() {
        for (code, answer) in [(212, 212), (233, 217), (112, 217), (201, 217)] {
            var server = ServerHarness()
            _ = server.bind()
            server.send(.error(code: SyncErrorCode(rawValue: code), session: 1, message: "can't"))
            guard case .jsonError(let found, 1, let body)? = server.sent.last else {
                Issue.record("\(server.sent)")
                continue
            }
            #expect(found.rawValue == answer && body.action == .clientReset && !body.tryAgain)
            #expect(
                server.effects.contains(
                    .clientFailed(session: 1, code: SyncErrorCode(rawValue: code), message: "can't")))
        }
    }

    @Test func `a flexible session is bootstrapped, also for version 0 (F-31, F-35, F-37)`() {
        var server = ServerHarness(.flexible)
        _ = server.bind()
        guard case .download(let download)? = server.sent.last else {
            Issue.record("\(server.sent)")
            return
        }
        #expect(download.contents == .flexible(queryVersion: 0, batch: .lastInBatch, estimate: 1))
        #expect(download.entries.count == 1)
        let answer = server.send(.query(session: 1, .init(version: 1, text: "{\"A\":\"(TRUEPREDICATE)\"}")))
        #expect(answer.count == 1)
        #expect(server.send(.mark(session: 1, request: 1)) == [.mark(session: 1, request: 1)])
        #expect(
            server.send(.query(session: 1, .init(version: 2, text: "{\"A\":\"(x SORT(y ASC))\"}")))
                == [.queryError(code: .badQuery, session: 1, queryVersion: 2, message: "Invalid query: SORT")])
        server.send(.query(session: 1, .init(version: 2, text: "{}")))
        #expect(server.lastError == [109, 0])
    }

    @Test func `uploads that wait go to the history together`() {
        var server = ServerHarness()
        _ = server.bind()
        server.holdsAnswers = true
        for version in 2...6 as ClosedRange<Int64> {
            server.send(upload([(version, 0)], progress: (version, 0)))
        }
        let sizes = server.held.map { request in
            if case .integrate(_, let uploads) = request.work { uploads.count } else { 0 }
        }
        #expect(sizes == [1])
        let answers = server.answerHeld()
        #expect(server.history.entries.count == 5)
        #expect(answers.count <= 2)
        guard case .download(let last)? = answers.last else {
            Issue.record("\(answers)")
            return
        }
        #expect(last.upload.client == 6)
    }

    @Test func `compensating writes go before the DOWNLOAD with their undo (F-58)`() {
        var server = ServerHarness(.flexible)
        _ = server.bind()
        server.holdsAnswers = true
        _ = server.connection.historyGrew(session: 1)
        server.send(.mark(session: 1, request: 1))
        var undo = ErrorBody(.compensatingWrite, "undone")
        undo.compensatingWriteServerVersion = 3
        undo.rejectedClientVersion = 2
        undo.rejectedUpdates = []
        // historyGrew's request was dropped with its effects: ask again.
        server.act { $0.historyGrew(session: 1) }
        var batch = DownloadBatch(
            progress: DownloadCursor(server: 3), latest: SaltedVersion(version: 3, salt: server.history.salt),
            upload: UploadCursor(),
            contents: .flexible(queryVersion: 0, batch: .steadyState, estimate: 1),
            entries: [DownloadEntry(cursor: .init(server: 3), timestamp: 0, originFile: 1, changeset: [1])])
        batch.notices = [SessionFailure(.compensatingWrite, undo)]
        guard let request = server.held.last else { return }
        let answer = server.answer(request, .batch(batch))
        #expect(answer.count >= 2)
        #expect(answer.first == .jsonError(code: .compensatingWrite, session: 1, undo))
    }
}
