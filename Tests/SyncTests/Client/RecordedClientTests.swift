import TestSupport
import Testing

@testable import Sync

/// The recorded server side of every session, fed to our client machine: with the recorded file behind it, it must play
/// the client's part.
@Suite(.enabled(if: ProtocolVectors.isPresent, Comment(rawValue: ProtocolVectors.absence)))
struct RecordedClientTests {
    @Test func `our client plays the recorded client's part`() throws {
        var compared = 0
        for record in try ProtocolVectors.load() {
            for (number, agreed) in record.protocols {
                let events = record.events.filter { $0.connection == number && $0.message != nil }
                var player = ClientPlayer(agreed: agreed)
                for event in events {
                    let bytes = event.message ?? []
                    switch event.from {
                    case .client: player.recorded.append(.client(try ClientMessage(decoding: bytes, for: agreed)))
                    case .server: player.recorded.append(.server(try ServerMessage(decoding: bytes, for: agreed)))
                    }
                }
                player.play()
                let name = "\(record.name), connection \(number)"
                #expect(player.violation == nil, "\(name)")
                for session in player.sessions {
                    let expected = player.expected(session)
                    let found = player.found(session)
                    // After the last recorded message ours may go on.
                    #expect(
                        Array(found.prefix(expected.count)).map(\.summary) == expected.map(\.summary),
                        "\(name), session \(session)")
                    #expect(player.acknowledged(session) >= player.acknowledgedInRecording(session), "\(name)")
                    compared += expected.count
                }
            }
        }
        #expect(compared > 250)
    }
}

extension ClientMessage {
    /// The bytes of the message as text, short enough to be read.
    fileprivate var summary: String {
        let text = String(decoding: encoded(), as: UTF8.self)
        return "\(text.prefix(100)) \(text.hashValue)"
    }
}

private enum Recorded {
    case client(ClientMessage)
    case server(ServerMessage)
}

/// A client connection whose files answer what the recording says, and do what the recorded application did.
private struct ClientPlayer {
    let agreed: SyncProtocol
    var connection: ClientConnection
    var recorded: [Recorded] = []
    private(set) var sent: [ClientMessage] = []
    private(set) var violation: String?
    private var place = 0
    private var now = Duration.zero
    private var newest: [Int64: Int64] = [:]
    /// Numbers of recorded MARKs and PINGs, by ours.
    private var marks: [Int64: [(recorded: Int64, ours: Int64)]] = [:]

    init(agreed: SyncProtocol) {
        self.agreed = agreed
        connection = ClientConnection(agreed.mode, jitter: { 0 })
    }

    var sessions: [Int64] { newest.keys.sorted() }

    /// What doesn't depend on when something was done: no MARKs, which the application's waiting decides, no UPLOADs that
    /// only acknowledge, and of the others not how much was integrated when they were written.
    func expected(_ session: Int64) -> [ClientMessage] {
        comparable(
            recorded.compactMap { if case .client(let message) = $0 { message } else { nil } }, session)
    }

    func found(_ session: Int64) -> [ClientMessage] { comparable(sent, session) }

    /// The server version that the last UPLOAD said to be integrated.
    func acknowledged(_ session: Int64) -> Int64 { acknowledged(sent, session) }

    func acknowledgedInRecording(_ session: Int64) -> Int64 {
        acknowledged(recorded.compactMap { if case .client(let message) = $0 { message } else { nil } }, session)
    }

    private func acknowledged(_ messages: [ClientMessage], _ session: Int64) -> Int64 {
        messages.reduce(0) { highest, message in
            guard case .upload(let upload) = message, upload.session == session else { return highest }
            return max(highest, upload.progress.server)
        }
    }

    private func comparable(_ messages: [ClientMessage], _ session: Int64) -> [ClientMessage] {
        messages.filter { $0.session == session }.compactMap { message in
            switch message {
            case .mark: return nil
            case .upload(var upload):
                upload.lockedServerVersion = 0
                return upload.entries.isEmpty ? nil : .upload(upload)
            default: return message
            }
        }
    }

    mutating func play() {
        perform(
            connection.add(ClientSessionOptions(session: 9999, path: ""), file: ClientFile(newestVersion: 1), now: now))
        perform(connection.connected(agreed, now: now))
        // Only there to connect for.
        perform(connection.remove(session: 9999, now: now))
        while place < recorded.count {
            let event = recorded[place]
            place += 1
            switch event {
            case .client(let message): follow(message)
            case .server(let message): receive(message)
            }
            pump()
        }
    }

    /// The recorded client has sent this now: the application has done what it takes.
    private mutating func follow(_ message: ClientMessage) {
        now += .milliseconds(1)
        switch message {
        case .bind(let bind): begin(bind)
        case .upload(let upload):
            // The recorded client came back after a short break (P-99).
            connection.sessions[upload.session]?.holdsUpload = false
            newest[upload.session] = upload.progress.client
            perform(
                connection.committed(session: upload.session, newestVersion: upload.progress.client, now: now))
        case .query(let session, let query):
            let version = newest[session] ?? 1
            perform(
                connection.subscribed(session: session, PendingQuery(query, snapshotVersion: version), now: now))
        case .mark(let session, let request):
            let ours = sent.filter { if case .mark(session, _) = $0 { true } else { false } }.count
            if ours <= marks[session]?.count ?? 0 {
                perform(connection.awaitDownload(session: session, waiter: request, now: now))
                pump()
            }
            let numbers = sent.compactMap { if case .mark(session, let number) = $0 { number } else { nil } }
            let known = marks[session]?.count ?? 0
            if known < numbers.count { marks[session, default: []].append((request, numbers[known])) }
        case .unbind(let session):
            if connection.sessions[session]?.isActive == true {
                perform(connection.remove(session: session, now: now))
            }
        case .ping: perform(connection.reconnectNow(now: now))
        case .ident, .error, .testCommand: break
        }
    }

    /// The session and its file, as what is recorded of them later shows.
    private mutating func begin(_ bind: ClientMessage.Bind) {
        let session = bind.session
        if connection.sessions[session] != nil {
            // The recorded client came back by itself.
            now += .seconds(2)
            perform(connection.tick(now: now))
            perform(connection.resume(session: session, now: now))
            return
        }
        var file = ClientFile(newestVersion: 1)
        var options = ClientSessionOptions(session: session, path: bind.path)
        search: for event in recorded[place...] {
            switch event {
            case .client(.ident(let ident)) where ident.session == session:
                file.download = ident.download
                file.latest = ident.latest
                options.queries.active = ident.query
                if !bind.needsIdent { file.ident = ident.file }
            case .server(.download(let download)) where download.session == session:
                file.upload = download.upload
                break search
            default: break
            }
        }
        file.newestVersion = max(1, file.upload.client)
        if file.upload.client == 0 { file.newestVersion = 0 }
        newest[session] = file.newestVersion
        perform(connection.add(options, file: file, now: now))
    }

    private mutating func receive(_ message: ServerMessage) {
        var message = message
        switch message {
        case .mark(let session, let request):
            let ours = marks[session]?.first { $0.recorded == request }?.ours ?? request
            message = .mark(session: session, request: ours)
        case .pong:
            for case .ping(let timestamp, _) in sent { message = .pong(timestamp: timestamp) }
        default: break
        }
        perform(connection.received(message.encoded(for: agreed), now: now))
    }

    private mutating func perform(_ effects: [ClientEffect]) {
        for effect in effects {
            switch effect {
            case .ask(let request): perform(connection.answered(request, answer(request), now: now))
            case .report(_, let report) where report.status == .protocolInvariantFailed: violation = report.message
            default: break
            }
        }
    }

    private func answer(_ request: StoreRequest) -> StoreAnswer {
        let session = request.session
        switch request.work {
        case .saveIdent: return .stored(newestVersion: newest[session] ?? 0)
        case .integrate:
            // Unless the recorded client could not.
            search: for case .client(let message) in recorded[place...] where message.session == session {
                switch message {
                case .mark: continue
                case .error(let code, _, let text): return .failed(code, text)
                default: break search
                }
            }
            return .stored(newestVersion: newest[session] ?? 0)
        case .scan(let after, let end, _, _):
            for case .client(.upload(let upload)) in recorded[..<place].reversed() where upload.session == session {
                if upload.progress.client == end { return .scanned(upload.entries, reached: upload.progress) }
                break
            }
            return .scanned([], reached: UploadCursor(client: end, server: after.server))
        case .nextUploadable: return .uploadable(nil)
        }
    }

    private mutating func pump() {
        while connection.hasOutput {
            let (bytes, effects) = connection.nextMessage(now: now)
            perform(effects)
            guard let bytes, let message = try? ClientMessage(decoding: bytes, for: agreed) else { continue }
            sent.append(message)
        }
    }
}
