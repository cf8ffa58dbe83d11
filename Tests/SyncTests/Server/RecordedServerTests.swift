import TestSupport
import Testing

@testable import Sync

/// The recorded client side of every session, fed to our server machine: with the recorded history behind it, it must
/// play the server's part.
@Suite(.enabled(if: ProtocolVectors.isPresent, Comment(rawValue: ProtocolVectors.absence)))
struct RecordedServerTests {
    @Test func `our server plays the recorded server's part`() throws {
        var messages = 0
        for record in try ProtocolVectors.load() {
            let protocols = record.protocols
            for (number, agreed) in protocols {
                var player = ServerPlayer(agreed: agreed)
                let events = record.events.filter { $0.connection == number && $0.message != nil }
                for event in events where event.from == .server {
                    player.recorded.append(try ServerMessage(decoding: event.message ?? [], for: agreed))
                }
                player.remaining = player.recorded
                for event in events {
                    switch event.from {
                    case .client: player.receive(event.message ?? [])
                    case .server: player.follow(player.remaining.removeFirst())
                    }
                }
                let found = Self.comparable(player.sent)
                let expected = Self.comparable(player.recorded)
                for kind in Played.Kind.allCases where kind != .log {
                    var found = found.filter { $0.kind == kind }
                    // What the recording doesn't wait for: the last UNBOUND, and the answer to a client's JSON_ERROR.
                    let expected = expected.filter { $0.kind == kind }
                    if kind == .unbound || kind == .error { found = Array(found.prefix(expected.count)) }
                    #expect(found == expected, "\(record.name), connection \(number)")
                }
                messages += found.count
            }
        }
        #expect(messages > 300)
    }

    /// Without DOWNLOADs that say nothing new, and UNBOUND after an error, which the stand-in sends (P-59).
    private static func comparable(_ messages: [ServerMessage]) -> [Played] {
        var last: [Int64: ServerMessage.Download] = [:]
        var failed: Set<Int64> = []
        return messages.filter { message in
            switch message {
            case .download(let download):
                defer { last[download.session] = download }
                return
                    !(download.entries.isEmpty && last[download.session]?.progress == download.progress
                    && last[download.session]?.upload == download.upload)
            case .jsonError(let code, let session, _) where !code.leavesSessionUp:
                failed.insert(session)
                return true
            case .unbound(let session): return !failed.contains(session)
            default: return true
            }
        }.map(Played.init)
    }
}

/// What counts of a message when two servers are compared: the stand-in's codes and texts don't.
private struct Played: Equatable, CustomTestStringConvertible {
    enum Kind: CaseIterable { case ident, download, mark, unbound, pong, error, queryError, log, test }

    var kind: Kind
    var session: Int64
    var number: Int64 = 0
    var download: ServerMessage.Download?

    /// One line, without the contents.
    var testDescription: String {
        guard let download else { return "\(kind) \(session) \(number)" }
        return
            "\(kind) \(session) \(download.progress) \(download.latest.version) \(download.upload) \(download.entries.count)"
    }

    init(_ message: ServerMessage) {
        session = message.session
        switch message {
        case .ident(_, let file):
            kind = .ident
            number = file.number
        case .download(let message):
            kind = .download
            download = message
        case .mark(_, let request):
            kind = .mark
            number = request
        case .unbound: kind = .unbound
        case .pong(let timestamp):
            kind = .pong
            number = timestamp
        case .error, .jsonError: kind = .error
        case .queryError(_, _, let version, _):
            kind = .queryError
            number = version
        case .log: kind = .log
        case .testCommand: kind = .test
        }
    }
}

/// A server connection whose history answers what the recording says.
private struct ServerPlayer {
    let agreed: SyncProtocol
    var connection: ServerConnection
    var recorded: [ServerMessage] = []
    /// Recorded and not yet reached.
    var remaining: [ServerMessage] = []
    private(set) var sent: [ServerMessage] = []
    private var fetches: [Int64: ServerRequest] = [:]
    private var notices: [Int64: [SessionFailure]] = [:]

    init(agreed: SyncProtocol) {
        self.agreed = agreed
        connection = ServerConnection(agreed, requestId: "test", now: .zero)
    }

    mutating func receive(_ bytes: [UInt8]) {
        perform(connection.received(bytes, now: .zero))
        pump()
    }

    /// The recorded server has sent this now: the history has what it takes to send the same.
    mutating func follow(_ message: ServerMessage) {
        let session = message.session
        switch message {
        case .download(let download):
            if fetches[session] == nil { perform(connection.historyGrew(session: session)) }
            guard let fetch = fetches.removeValue(forKey: session) else { break }
            var batch = DownloadBatch(
                progress: download.progress, latest: download.latest, upload: download.upload,
                contents: download.contents, entries: download.entries)
            if case .flexible(_, .moreToCome, _) = download.contents { batch.isBootstrapOutstanding = true }
            batch.notices = notices.removeValue(forKey: session) ?? []
            perform(connection.answered(fetch, .batch(batch)))
        case .mark:
            // The fetch under way may have begun before the MARK came.
            for _ in 0..<2 {
                guard let fetch = fetches.removeValue(forKey: session),
                    case .fetch(_, let position, _) = fetch.work, let last = last(session)
                else { break }
                var batch = DownloadBatch(
                    progress: position, latest: SaltedVersion(version: position.server, salt: last.latest.salt),
                    upload: last.upload, contents: last.contents)
                if batch.contents.isFlexible {
                    batch.contents = .flexible(queryVersion: 0, batch: .steadyState, estimate: 1)
                }
                perform(connection.answered(fetch, .batch(batch)))
            }
        case .jsonError(let code, _, let body) where code.leavesSessionUp:
            notices[session, default: []].append(SessionFailure(code, body))
        case .jsonError, .error:
            // Unless it was the answer to a request.
            if let failure = failure(message), !sent.contains(where: { Played($0) == Played(message) }) {
                perform(connection.end(session: session, failure))
            }
        default: break
        }
        pump()
    }

    private func last(_ session: Int64) -> ServerMessage.Download? {
        for case .download(let download) in sent.reversed() where download.session == session { return download }
        return nil
    }

    private func failure(_ message: ServerMessage) -> SessionFailure? {
        switch message {
        case .jsonError(let code, _, let body) where !code.leavesSessionUp: SessionFailure(code, body)
        case .error(let code, _, let text, _): SessionFailure(code, text)
        default: nil
        }
    }

    private mutating func perform(_ effects: [ServerEffect]) {
        for case .ask(let request) in effects {
            if case .fetch = request.work {
                fetches[request.session] = request
            } else {
                perform(connection.answered(request, answer(request)))
            }
        }
    }

    private func answer(_ request: ServerRequest) -> ServerAnswer {
        let coming = remaining.filter { message in
            if case .log = message { return false }
            return message.session == request.session
        }
        switch request.work {
        case .open(_, _, let needsIdent):
            if let failure = coming.first.flatMap(failure) { return .failed(failure) }
            guard needsIdent else { return .opened(nil) }
            for case .ident(_, let file) in coming { return .opened(file) }
            return .failed(SessionFailure(.otherSessionError, "no ident was recorded"))
        case .lookUp(let ident):
            if let failure = coming.first.flatMap(failure) { return .failed(failure) }
            let latest = recorded.reduce(ident.latest) { latest, message in
                guard case .download(let download) = message else { return latest }
                return download.latest.version > latest.version ? download.latest : latest
            }
            return .file(
                FileRecord(
                    salt: ident.file.salt, current: latest, uploaded: ident.download.client,
                    latestSalt: ident.latest.salt))
        case .integrate: return .integrated
        case .query(_, let query):
            for case .queryError(_, _, query.version, let text) in coming { return .query(refusal: text) }
            return .query(refusal: nil)
        case .fetch: return .integrated
        }
    }

    private mutating func pump() {
        while connection.hasOutput {
            let (bytes, effects) = connection.nextMessage(now: .zero)
            perform(effects)
            guard let bytes, let message = try? ServerMessage(decoding: bytes, for: agreed) else { continue }
            sent.append(message)
        }
    }
}
