import Testing

@testable import Sync

/// A session on the client, step by step.
struct ClientSessionTests {
    private let ident = FileIdent(number: 2, salt: 9)

    @Test func `a new file is bound, identified, and uploads after the first MARK (19.3, P-96, P-99)`() {
        var client = ClientHarness()
        var file = MemoryFile()
        file.commit([1, 2, 3])
        #expect(client.add(1, file) == [])
        #expect(client.effects == [.connect])
        #expect(client.connect() == [.bind(.init(session: 1, path: "\"p\"", needsIdent: true))])
        let answer = client.receive(.ident(session: 1, ident))
        guard answer.count == 2, case .mark(1, let request) = answer[1] else {
            Issue.record("\(answer)")
            return
        }
        #expect(answer[0] == .ident(.init(session: 1, file: ident, download: .init(), latest: .init())))
        #expect(client.receive(client.download()) == [])
        let uploads = client.receive(.mark(session: 1, request: request))
        guard case .upload(let upload)? = uploads.first, uploads.count == 1 else {
            Issue.record("\(uploads)")
            return
        }
        #expect(upload.entries.map(\.changeset) == [[1, 2, 3]])
        #expect(upload.entries[0].cursor == UploadCursor(client: 2, server: 0))
        #expect(client.effects.contains(.caughtUp(session: 1)))
    }

    @Test func `a known file says where it is, and goes on from what was acknowledged (19.8, P-107)`() {
        var file = MemoryFile()
        _ = file.answer(.saveIdent(ident))
        file.commit([1])
        file.commit([2])
        var client = ClientHarness()
        client.add(1, file)
        let first = client.connect()
        #expect(first.count == 3)
        #expect(first[0] == .bind(.init(session: 1, path: "\"p\"", needsIdent: false)))
        guard case .mark(_, let request) = first[2] else { return }
        // The server has the first one since the last connection.
        client.receive(client.download(server: 1, client: 3, upload: (3, 0)))
        let uploads = client.receive(.mark(session: 1, request: request))
        guard case .upload(let upload)? = uploads.first else {
            Issue.record("\(uploads)")
            return
        }
        #expect(upload.entries.map(\.changeset) == [[2]])
    }

    @Test func `after a short break uploads go at once, after a long one they wait (P-99)`() {
        for (pause, isFast) in [(Duration.seconds(5), true), (.seconds(120), false)] {
            var client = ClientHarness()
            client.begin()
            client.receive(client.download())
            client.receive(.mark(session: 1, request: client.lastMark))
            client.act { $0.failed(.ended, now: .zero) }
            client.commit()
            client.tick(pause)
            let sent = client.connect()
            let isUploading = sent.contains { if case .upload = $0 { true } else { false } }
            #expect(isUploading == isFast)
        }
    }

    @Test func `downloads are integrated in order and acknowledged by an empty UPLOAD (P-54, P-104)`() {
        var client = ClientHarness()
        client.begin()
        client.receive(client.download(server: 2, changesets: [[1], [2]]))
        #expect(client.files[1]?.received == [[1], [2]])
        let answer = client.receive(.mark(session: 1, request: client.lastMark))
        guard case .upload(let upload)? = answer.first, answer.count == 1 else {
            Issue.record("\(answer)")
            return
        }
        #expect(upload.entries.isEmpty && upload.progress.server == 2 && upload.lockedServerVersion == 2)
        // What says nothing new is not acknowledged again.
        #expect(client.receive(client.download(server: 2)) == [])
    }

    /// Two uploads under way, of which the server has the first.
    private func halfAcknowledged() -> (client: ClientHarness, first: Int64, second: Int64) {
        var client = ClientHarness()
        client.begin()
        client.receive(client.download())
        client.receive(.mark(session: 1, request: client.lastMark))
        client.commit([1])
        client.commit([2])
        let versions = client.files[1]?.entries.filter(\.isLocal).map(\.version) ?? []
        client.receive(client.download(server: 1, client: versions[0], upload: (versions[0], 0)))
        return (client, versions[0], versions[1])
    }

    @Test func `the file isn't written for an acknowledgement that another one follows (P-107, P-109)`() {
        var (client, first, second) = halfAcknowledged()
        #expect(client.files[1]?.state.upload.client == 0)
        // Nor does the server hear that it may forget what the file doesn't know.
        guard case .upload(let upload)? = client.commit([3]).first else {
            Issue.record("\(client.sent)")
            return
        }
        #expect(upload.entries.map(\.changeset) == [[3]] && upload.lockedServerVersion == 0)
        client.receive(client.download(server: 2, client: second, upload: (second, 0)))
        #expect(client.files[1]?.state.upload.client == 0)
        let last = upload.entries[0].cursor.client
        client.receive(client.download(server: 3, client: last, upload: (last, 0)))
        #expect(client.files[1]?.state.upload.client == last && first < last)
        #expect(client.files[1]?.state.download.server == 3)
    }

    @Test func `somebody who waits for uploads finds the file as the server says (P-115)`() {
        var (client, _, second) = halfAcknowledged()
        client.commit([3])
        client.act { $0.awaitUpload(session: 1, waiter: 42, now: .zero) }
        client.receive(client.download(server: 2, client: second, upload: (second, 0)))
        #expect(client.files[1]?.state.upload.client == second)
    }

    @Test func `the file is told before it says how far it is (P-98)`() {
        var (client, first, _) = halfAcknowledged()
        client.act { $0.failed(.ended, now: .zero) }
        client.tick(.seconds(1))
        client.holdsAnswers = true
        let sent = client.connect()
        #expect(!sent.contains { if case .ident = $0 { true } else { false } }, "\(sent)")
        let later = client.answerHeld()
        #expect(later.contains { if case .ident = $0 { true } else { false } }, "\(later)")
        #expect(client.files[1]?.state.upload.client == first)
    }

    @Test func `the file is told before the session leaves with an error (P-61)`() {
        var (client, first, _) = halfAcknowledged()
        client.receive(
            .jsonError(code: .otherSessionError, session: 1, ErrorBody(.otherSessionError, "no")))
        #expect(client.files[1]?.state.upload.client == first)
    }

    @Test func `acknowledgements that the file isn't told of are few`() {
        var (client, _, _) = halfAcknowledged()
        for server in Int64(2)..<40 {
            let version = client.files[1]?.entries.last { $0.isLocal }?.version ?? 0
            client.commit([3])
            client.receive(client.download(server: server, client: version, upload: (version, 0)))
            if client.files[1]?.state.upload.client ?? 0 > 0 { return #expect(server > 30) }
            if server == 39 { Issue.record("the file never learns of \(server) acknowledgements") }
        }
    }

    @Test func `a MARK completes only when everything before it is in the file (P-114)`() {
        var client = ClientHarness()
        client.begin()
        client.act { $0.awaitDownload(session: 1, waiter: 42, now: .zero) }
        client.holdsAnswers = true
        client.receive(client.download(server: 1, changesets: [[1]]))
        client.receive(.mark(session: 1, request: client.lastMark))
        #expect(!client.effects.contains(.completed(session: 1, waiter: 42)))
        client.answerHeld()
        #expect(client.effects.contains(.completed(session: 1, waiter: 42)))
    }

    @Test func `marks that were not answered are asked for again by new numbers (P-114)`() {
        var client = ClientHarness()
        client.begin()
        client.act { $0.awaitDownload(session: 1, waiter: 42, now: .zero) }
        let before = client.lastMark
        client.act { $0.failed(.ended, now: .zero) }
        client.tick(.seconds(1))
        client.connect()
        #expect(client.lastMark > before)
        client.receive(client.download())
        client.receive(.mark(session: 1, request: client.lastMark))
        #expect(client.effects.contains(.completed(session: 1, waiter: 42)))
    }

    @Test func `waiting for uploads ends offline if there is nothing to upload (P-115)`() {
        var client = ClientHarness()
        client.add()
        client.act { $0.awaitUpload(session: 1, waiter: 1, now: .zero) }
        #expect(client.effects.contains(.completed(session: 1, waiter: 1)))
        client.commit()
        client.act { $0.awaitUpload(session: 1, waiter: 2, now: .zero) }
        #expect(!client.effects.contains(.completed(session: 1, waiter: 2)))
        client.connect()
        client.receive(.ident(session: 1, ident))
        client.receive(client.download())
        client.receive(.mark(session: 1, request: client.lastMark))
        client.receive(client.download(server: 1, client: 2, upload: (2, 0)))
        #expect(client.effects.contains(.completed(session: 1, waiter: 2)))
    }

    @Test func `what the file said before a commit completes nobody who waits for the commit (P-115)`() {
        var client = ClientHarness()
        client.add()
        client.holdsAnswers = true
        client.act { $0.awaitUpload(session: 1, waiter: 1, now: .zero) }
        let request = client.held[0]
        client.commit()
        client.act { $0.awaitUpload(session: 1, waiter: 2, now: .zero) }
        client.act { $0.answered(request, .uploadable(nil), now: .zero) }
        #expect(client.effects.contains(.completed(session: 1, waiter: 1)))
        client.answerHeld()
        #expect(!client.effects.contains(.completed(session: 1, waiter: 2)))
    }

    @Test func `UPLOADs are closed at the soft limit, and a large changeset goes alone (P-39)`() {
        var file = MemoryFile()
        _ = file.answer(.saveIdent(ident))
        for _ in 0..<5 { file.commit([UInt8](repeating: 7, count: 50_000)) }
        var client = ClientHarness()
        client.add(1, file)
        client.connect()
        client.receive(client.download())
        let uploads = client.receive(.mark(session: 1, request: client.lastMark))
        let counts = uploads.map { if case .upload(let upload) = $0 { upload.entries.count } else { 0 } }
        #expect(counts == [3, 2])
    }

    @Test func `a session that only downloads never uploads (P-100)`() {
        var client = ClientHarness()
        var file = MemoryFile()
        file.commit([1])
        client.add(1, file) { $0.uploads = false }
        client.connect()
        client.receive(.ident(session: 1, ident))
        client.receive(client.download(server: 1, changesets: [[1]]))
        #expect(client.receive(.mark(session: 1, request: client.lastMark)) == [])
    }

    @Test func `what can't be integrated is reported to the server, and then nothing (P-61)`() {
        var client = ClientHarness()
        client.begin()
        client.files[1]?.fault = (.badChangeset, "no such class")
        let answer = client.receive(client.download(server: 1, changesets: [[1]]))
        #expect(answer == [.error(code: .badChangeset, session: 1, message: "no such class")])
        #expect(client.commit() == [])
        #expect(client.receive(client.download(server: 2, changesets: [[1], [2]])) == [])
        #expect(client.reports.map(\.status) == [.badChangeset])
        // The server answers with a reset (P-62).
        #expect(
            client.receive(
                .jsonError(code: .badChangeset, session: 1, ErrorBody(.badChangeset, "reset"))) == [.unbind(session: 1)]
        )
        #expect(client.effects.contains { if case .reset = $0 { true } else { false } })
    }

    @Test func `leaving: UNBIND, UNBOUND, gone; what comes between is ignored (P-101)`() {
        var client = ClientHarness()
        client.begin()
        #expect(client.act { $0.remove(session: 1, now: .zero) } == [.unbind(session: 1)])
        client.receive(client.download(server: 1, changesets: [[1]]))
        #expect(client.files[1]?.received == [])
        client.receive(.unbound(session: 1))
        #expect(client.effects.last == .ended(session: 1))
        client.receive(client.download())
        #expect(client.effects.last == .disconnect)
    }

    @Test func `suspended and resumed: a new BIND, and nothing between is missed`() {
        var client = ClientHarness()
        client.begin()
        _ = client.connection.suspend(session: 1, now: .zero)
        _ = client.connection.received(
            client.download(server: 1, changesets: [[1]]).encoded(for: client.connection.agreed), now: .zero)
        let sent = client.act { $0.resume(session: 1, now: .zero) }
        #expect(sent == [.unbind(session: 1)])
        let again = client.receive(.unbound(session: 1))
        #expect(again.first == .bind(.init(session: 1, path: "\"p\"", needsIdent: false)))
        client.receive(client.download(server: 1, changesets: [[1]]))
        #expect(client.files[1]?.received == [[1]])
    }

    @Test func `a client reset is performed between BIND and IDENT (P-98)`() {
        var file = MemoryFile()
        file.commit([1])
        var client = ClientHarness(.flexible)
        client.add(1, file) { $0.awaitsReset = true }
        #expect(client.connect() == [.bind(.init(session: 1, path: FlexibleBind().text, needsIdent: false))])
        #expect(client.effects.last == .performReset(session: 1))
        _ = file.answer(.saveIdent(ident))
        client.files[1] = file
        let sent = client.act { $0.resetPerformed(session: 1, file: file.state, now: .zero) }
        guard case .ident(let message)? = sent.first else {
            Issue.record("\(sent)")
            return
        }
        #expect(message.file == ident)
        // Nothing is held back.
        #expect(sent.contains { if case .upload = $0 { true } else { false } })
    }
}

extension ClientHarness {
    /// The number of the last MARK sent.
    var lastMark: Int64 {
        for case .mark(_, let request) in sent.reversed() { return request }
        return 0
    }
}
