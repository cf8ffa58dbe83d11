import Testing

@testable import Sync

/// What a server refuses, with which code, and what it never sends.
struct ServerRefusalTests {
    private let file = FileIdent(number: 2, salt: 5)

    @Test func `illegal messages in each state (P-46, P-52, P-91)`() {
        let ident = ClientMessage.ident(.init(session: 1, file: file, download: .init(), latest: .init()))
        let mark = ClientMessage.mark(session: 1, request: 1)
        let bind = ClientMessage.bind(.init(session: 1, path: "\"p\"", needsIdent: true))
        let rebind = ClientMessage.bind(.init(session: 1, path: "\"p\"", needsIdent: false))
        let tables: [(messages: [ClientMessage], holds: Bool, code: Int64)] = [
            ([mark], false, 106), ([ident], false, 106), ([.unbind(session: 9)], false, 106),
            ([.mark(session: 0, request: 1)], false, 106),
            ([.bind(.init(session: 0, path: "", needsIdent: true))], false, 106),
            ([bind, bind], true, 107), ([rebind, rebind], false, 107),
            ([bind, ident], true, 109), ([bind, mark], true, 109), ([rebind, mark], false, 109),
            ([rebind, upload([], progress: (1, 0))], false, 109),
            ([rebind, .error(code: .badChangeset, session: 1, message: "")], false, 109)
        ]
        for (messages, holds, code) in tables {
            var server = ServerHarness()
            server.holdsAnswers = holds
            for message in messages { server.send(message) }
            #expect(server.lastError == [code, 0], "\(messages)")
            #expect(server.effects.last == .finish)
            let count = server.sent.count
            server.send(bind)
            #expect(server.sent.count == count, "input is ignored after a connection error")
        }
    }

    @Test func `bytes that are no message (P-35)`() {
        let faults: [(String, Int64)] = [
            ("nonsense\n", 103), ("transact 1 1\n", 102), ("mark 1\n", 103), ("query 1 1 0\n", 102),
            ("upload 1 1 10 3 0 0 0\nabc", 110), ("upload 1 0 2 0 0 0 0\nab", 111),
            ("upload 1 0 10 0 0 0 0\n1 0 0 0 9 ", 112), ("bind 1 20000 0 0 0\n", 103)
        ]
        for (text, code) in faults {
            var server = ServerHarness()
            server.send(text)
            #expect(server.lastError == [code, 0], "\(text)")
        }
        var flexible = ServerHarness(.flexible)
        flexible.send(.bind(.init(session: 1, path: "not JSON", needsIdent: true)))
        #expect(flexible.lastError == [103, 0])
    }

    @Test func `the checks of IDENT in their order (P-50)`() {
        var record = FileRecord(
            salt: 5, current: SaltedVersion(version: 10, salt: 7), uploaded: 4, latestSalt: 7)
        func code(
            _ record: FileRecord?, number: Int64 = 2, salt: Int64 = 5, download: (Int64, Int64) = (8, 3),
            latest: (Int64, Int64) = (9, 7)
        ) -> Int? {
            IdentCheck.failure(
                of: .init(
                    session: 1, file: FileIdent(number: number, salt: salt),
                    download: DownloadCursor(server: download.0, client: download.1),
                    latest: SaltedVersion(version: latest.0, salt: latest.1)),
                record: record)?.code.rawValue
        }
        #expect(code(record) == nil)
        #expect(code(nil) == 208)
        #expect(code(record, number: 1) == 208)
        #expect(code(record, number: 0) == 208)
        #expect(code(record, salt: 6) == 211)
        #expect(code(record, download: (11, 3), latest: (11, 7)) == 209)
        #expect(code(record, download: (8, 5)) == 210)
        #expect(code(record, download: (0, 1)) == 210)
        #expect(code(record, latest: (7, 7)) == 209)
        #expect(code(record, latest: (11, 7)) == 209)
        #expect(code(record, latest: (9, 8)) == 211)
        record.isExpired = true
        #expect(code(record) == 222)
        #expect(code(record, salt: 6) == 211)
        record.baseVersion = 9
        #expect(code(record) == 209)
        // Who begins needs nothing that is gone.
        record.isExpired = false
        #expect(code(record, download: (0, 0)) == nil)
        record = FileRecord(salt: 5, current: record.current, uploaded: 4, latestSalt: 7)
        record.isOwnedByUser = false
        #expect(code(record) == 223)
        record.isOrdinary = false
        #expect(code(record) == 208)
    }

    @Test func `the checks of UPLOAD (P-55)`() {
        typealias Table = [(first: ClientMessage?, second: ClientMessage, code: Int64?)]
        let table: Table = [
            (nil, upload([(2, 0), (3, 0)], progress: (3, 0)), nil),
            (nil, upload([], progress: (0, 0)), nil),
            (nil, upload([(2, 0)], progress: (1, 0)), 210),
            (nil, upload([(3, 0), (3, 0)], progress: (3, 0)), 210),
            (nil, upload([(3, 0), (2, 0)], progress: (3, 0)), 210),
            (nil, upload([], progress: (3, 1)), 209),
            (nil, upload([(2, 1)], progress: (3, 0)), 209),
            (nil, upload([], progress: (3, 0), locked: 1), 209),
            (upload([], progress: (5, 0)), upload([], progress: (4, 0)), 210),
            (upload([], progress: (5, 0)), upload([(5, 0)], progress: (6, 0)), 210),
            (upload([], progress: (5, 0)), upload([(6, 0)], progress: (6, 0)), nil)
        ]
        for (first, second, code) in table {
            var server = ServerHarness()
            _ = server.bind()
            if let first { server.send(first) }
            server.send(second)
            #expect(server.lastError?.first == code, "\(second)")
        }
        var server = ServerHarness()
        _ = server.bind()
        server.send(
            .upload(
                .init(
                    session: 1, progress: UploadCursor(client: 2), lockedServerVersion: 0,
                    entries: [
                        UploadEntry(cursor: UploadCursor(client: 2), timestamp: 0, originFile: 9, changeset: [])
                    ])))
        #expect(server.lastError == [216, 1])
    }

    @Test func `one file is bound once on a connection (P-51)`() {
        var server = ServerHarness()
        let file = server.bind(session: 1)
        server.send(.bind(.init(session: 2, path: "\"p\"", needsIdent: false)))
        server.identify(session: 2, file)
        #expect(server.lastError == [108, 0])
        // Also when both wait for the history.
        server = ServerHarness()
        let late = server.bind(session: 9)
        server.send(.unbind(session: 9))
        server.holdsAnswers = true
        for session in 1...2 as ClosedRange<Int64> {
            server.send(.bind(.init(session: session, path: "\"p\"", needsIdent: false)))
            server.identify(session: session, late)
        }
        server.answerHeld()
        #expect(server.lastError == [108, 0])
        // File idents are numbered per realm: the same number in another is another file.
        server = ServerHarness()
        let other = server.bind(session: 1)
        server.send(.bind(.init(session: 2, path: "\"q\"", needsIdent: false)))
        server.identify(session: 2, other)
        #expect(server.lastError == nil)
    }

    @Test func `a client below version 4 gets ERROR, below 5 no 231 (P-29, P-74)`() {
        var server = ServerHarness(version: 3)
        _ = server.bind()
        server.act { $0.end(session: 1, SessionFailure(.badChangeset, "bad")) }
        #expect(server.sent.last == .error(code: .badChangeset, session: 1, message: "bad", tryAgain: false))
        var undo = ErrorBody(.compensatingWrite, "undone")
        undo.compensatingWriteServerVersion = 3
        let message = SessionFailure(.compensatingWrite, undo).message(
            session: 1, for: SyncProtocol(.flexible, version: 4))
        guard case .jsonError(.writeNotAllowed, 1, let body) = message else {
            Issue.record("\(message)")
            return
        }
        #expect(body.action == .clientReset && body.compensatingWriteServerVersion == nil)
    }

    @Test func `what would crash a client is never sent, whatever the server asks for (P-75, P-78, P-126)`() throws {
        for mode in SyncProtocol.Mode.allCases {
            for version in [4, 8, 11, 13, 14] {
                for code in 95..<310 {
                    for action in ErrorAction.allCases {
                        for session in [0, 1] as [Int64] {
                            let agreed = SyncProtocol(mode, version: version)
                            let failure = SessionFailure(
                                SyncErrorCode(rawValue: code),
                                ErrorBody(message: "m", tryAgain: true, action: action))
                            let message = failure.message(session: session, for: agreed)
                            guard case .jsonError(let sent, session, let body) = message else {
                                Issue.record("\(message)")
                                return
                            }
                            #expect(sent.isSendable(version: version))
                            #expect(session == 0 ? sent.isConnectionError : sent.isSessionError)
                            #expect(body.action != .migrateSchema || mode == .flexible)
                            guard action == .transient else { continue }
                            _ = try ServerMessage(decoding: message.encoded(for: agreed), for: agreed)
                        }
                    }
                }
            }
        }
    }

    @Test func `a history that contradicts itself never reaches the client (P-69)`() {
        let good = DownloadBatch(
            progress: DownloadCursor(server: 5, client: 2), latest: SaltedVersion(version: 6, salt: 1),
            upload: UploadCursor(client: 3), contents: .partition(downloadableBytes: 0),
            entries: [
                DownloadEntry(cursor: DownloadCursor(server: 5, client: 2), timestamp: 0, originFile: 9, changeset: [1])
            ])
        let changes: [(inout DownloadBatch) -> Void] = [
            { $0.progress.server = 7 }, { $0.progress.client = 4 }, { $0.upload.server = 6 },
            { $0.entries[0].originFile = 0 }, { $0.entries[0].originFile = 2 }, { $0.entries[0].cursor.server = 6 },
            { $0.entries[0].cursor.client = 3 }, { $0.entries.append($0.entries[0]) },
            { $0.contents = .flexible(queryVersion: 0, batch: .steadyState, estimate: 1) }
        ]
        for (number, change) in ([{ _ in }] + changes).enumerated() {
            var server = ServerHarness()
            _ = server.bind()
            server.holdsAnswers = true
            server.act { $0.historyGrew(session: 1) }
            guard let request = server.held.last else { return }
            var batch = good
            change(&batch)
            server.answer(request, .batch(batch))
            if number == 0 {
                #expect(server.sent.last?.session == 1 && server.lastError == nil)
            } else {
                #expect(server.lastError == [201, 1], "\(number)")
                #expect(server.effects.contains { if case .historyFault = $0 { true } else { false } })
            }
        }
    }
}
