import Testing

@testable import Sync

/// Flexible sync on the client (F-4, F-25, F-40 to F-47).
struct ClientFlexibleTests {
    private func begun(_ file: MemoryFile = MemoryFile()) -> ClientHarness {
        var client = ClientHarness(.flexible)
        client.begin(file)
        client.receive(bootstrap(client, 0, server: 1))
        client.receive(.mark(session: 1, request: client.lastMark))
        return client
    }

    private func bootstrap(
        _ client: ClientHarness, _ version: Int64, server: Int64, _ batch: ServerMessage.BatchState = .lastInBatch,
        upload: (Int64, Int64) = (0, 0)
    ) -> ServerMessage {
        client.download(
            server: server, client: upload.0, upload: upload, changesets: [[UInt8(version)]],
            contents: .flexible(queryVersion: version, batch: batch, estimate: 1))
    }

    private func query(_ version: Int64, at snapshot: Int64, isSentinel: Bool = false) -> PendingQuery {
        PendingQuery(
            .init(version: version, text: "{\"A\":\"(x == \(version))\"}"), snapshotVersion: snapshot,
            isSentinel: isSentinel)
    }

    @Test func `IDENT names the set in force, QUERY the pending one, then a MARK (F-4, 19.5)`() {
        var client = begun()
        let sent = client.act { $0.subscribed(session: 1, self.query(1, at: 1), now: .zero) }
        #expect(sent.count == 2)
        #expect(sent.first == .query(session: 1, query(1, at: 1).query))
        client.receive(bootstrap(client, 1, server: 2))
        client.receive(.mark(session: 1, request: client.lastMark))
        #expect(client.files[1]?.activeQuery == 1)
        client.act { $0.failed(.ended, now: .zero) }
        client.tick(.seconds(1))
        let again = client.connect()
        guard again.count >= 2, case .ident(let ident) = again[1] else {
            Issue.record("\(again)")
            return
        }
        #expect(ident.query == query(1, at: 1).query)
        #expect(!again.contains { if case .query = $0 { true } else { false } })
    }

    @Test func `BIND says that parts of a bootstrap which came before are of no use (F-42)`() {
        var client = begun()
        client.effects = []
        client.act { $0.suspend(session: 1, now: .zero) }
        client.receive(.unbound(session: 1))
        client.act { $0.resume(session: 1, now: .zero) }
        #expect(client.effects.contains(.bound(session: 1)))
    }

    @Test func `after a client reset the session goes on with the sets that there are then (R-43)`() {
        var client = ClientHarness(.flexible)
        var file = MemoryFile()
        client.add(1, file) {
            $0.awaitsReset = true
            $0.queries.pending = [query(1, at: 1), query(2, at: 1)]
        }
        client.connect()
        _ = file.answer(.saveIdent(FileIdent(number: 9, salt: 9)))
        let queries = SessionQueries(active: query(1, at: 1).query)
        let sent = client.act {
            $0.resetPerformed(session: 1, file: file.state, queries: queries, now: .zero)
        }
        guard case .ident(let ident)? = sent.first else {
            Issue.record("\(sent)")
            return
        }
        #expect(ident.query == query(1, at: 1).query)
        #expect(!sent.contains { if case .query = $0 { true } else { false } })
    }

    @Test func `what was written before a set is uploaded before it, what after it after (P-103)`() {
        var client = begun()
        client.holdsAnswers = true
        client.commit(session: 1, [1])
        let snapshot = client.files[1]?.state.newestVersion ?? 0
        client.act { $0.subscribed(session: 1, self.query(1, at: snapshot), now: .zero) }
        client.commit(session: 1, [2])
        let sent = client.answerHeld()
        let kinds = sent.map { message in
            switch message {
            case .upload(let upload): "upload \(upload.entries.map(\.changeset))"
            case .query: "query"
            case .mark: "mark"
            default: "other"
            }
        }
        #expect(kinds == ["upload [[1]]", "query", "mark", "upload [[2]]"])
    }

    @Test func `two sets in a row are sent in order; a bootstrap that skips one replaces it (F-25)`() {
        var client = begun()
        client.act { $0.subscribed(session: 1, self.query(1, at: 1), now: .zero) }
        client.act { $0.subscribed(session: 1, self.query(2, at: 1), now: .zero) }
        client.receive(bootstrap(client, 2, server: 3))
        #expect(client.files[1]?.activeQuery == 2)
        client.receive(bootstrap(client, 1, server: 4))
        #expect(client.reports.map(\.status) == [.protocolInvariantFailed])
    }

    @Test func `no UPLOAD between the parts of a bootstrap (F-45)`() {
        var client = begun()
        client.act { $0.subscribed(session: 1, self.query(1, at: 1), now: .zero) }
        client.receive(bootstrap(client, 1, server: 2, .moreToCome))
        #expect(client.commit() == [])
        let sent = client.receive(bootstrap(client, 1, server: 2))
        #expect(sent.contains { if case .upload = $0 { true } else { false } })
        #expect(client.files[1]?.received == [[0], [1], [1]])
    }

    @Test func `an interrupted bootstrap is asked for again (F-42)`() {
        var client = begun()
        client.act { $0.subscribed(session: 1, self.query(1, at: 1), now: .zero) }
        client.receive(bootstrap(client, 1, server: 2, .moreToCome))
        client.files[1]?.disconnected()
        client.act { $0.failed(.ended, now: .zero) }
        client.tick(.seconds(1))
        client.connect()
        #expect(client.sent.contains(.query(session: 1, query(1, at: 1).query)))
        client.receive(bootstrap(client, 1, server: 3))
        #expect(client.files[1]?.received == [[0], [1]])
    }

    @Test func `a refused set is told, and the next one sent (P-77, F-8)`() {
        var client = begun()
        client.act { $0.subscribed(session: 1, self.query(1, at: 1), now: .zero) }
        client.receive(.queryError(code: .badQuery, session: 1, queryVersion: 1, message: "no"))
        #expect(client.effects.contains(.queryFailed(session: 1, version: 1, message: "no")))
        let sent = client.act { $0.subscribed(session: 1, self.query(2, at: 1), now: .zero) }
        #expect(sent.first == .query(session: 1, query(2, at: 1).query))
        client.receive(.queryError(code: .badQuery, session: 1, queryVersion: 1, message: "no"))
        #expect(client.effects.contains(.disconnect))
    }

    @Test func `after a sentinel nothing is sent until it is in force (F-99)`() {
        var client = begun()
        client.act { $0.subscribed(session: 1, self.query(1, at: 1, isSentinel: true), now: .zero) }
        #expect(client.commit() == [])
        let sent = client.receive(bootstrap(client, 1, server: 2))
        #expect(sent.contains { if case .upload = $0 { true } else { false } })
    }
}
