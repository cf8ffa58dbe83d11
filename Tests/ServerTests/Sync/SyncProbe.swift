import EventLoop
import Model
import Sync
import TestSupport
import Testing

@testable import Server

/// A client that says what a test wants, right or wrong, and remembers what it hears.
@LoopActor
final class SyncProbe: WebSocketDelegate {
    private(set) var messages: [ServerMessage] = []
    private(set) var end: WebSocketEnd?
    let socket: WebSocket
    private let agreed: SyncProtocol

    private init(_ socket: WebSocket, _ agreed: SyncProtocol) {
        self.socket = socket
        self.agreed = agreed
    }

    /// Logs in as somebody new, unless there is a token, and connects.
    static func connect(
        to yard: SyncYard, _ mode: SyncProtocol.Mode = .partition, version: Int = 14, token: String? = nil,
        app: String = "shop"
    ) throws -> SyncProbe {
        let client = HTTPClient(yard.network, scheduler: yard.time)
        var probe: SyncProbe?
        let agreed = SyncProtocol(mode, version: version)
        let url = try WebURL("ws://h/api/client/v2.0/app/\(app)/realm-sync?baas_at=\(token ?? logIn(to: yard, app))")
        _ = client.connect(to: url, subprotocols: agreed.token) { outcome in
            guard case .open(let socket, _) = outcome else { return }
            let opened = SyncProbe(socket, agreed)
            socket.start(opened)
            probe = opened
        }
        #expect(yard.time.settle())
        return try #require(probe)
    }

    static func logIn(to yard: SyncYard, _ app: String = "shop") throws -> String {
        let client = HTTPClient(yard.network, scheduler: yard.time)
        var token: String?
        let request = HTTPRequest("POST", "", body: Array("{}".utf8))
        let url = try WebURL("http://h/api/client/v2.0/app/\(app)/auth/providers/anon-user/login")
        _ = client.send(request, to: url) { result in
            if case .success(let reply) = result {
                token = (try? JSONValue(parsing: reply.response.body))?["access_token"]?.string
            }
        }
        #expect(yard.time.settle())
        return try #require(token)
    }

    func send(_ message: ClientMessage) { socket.send(message.encoded()) }

    func bind(_ session: Int64 = 1, _ path: String = "\"p\"", needsIdent: Bool = true) {
        send(.bind(.init(session: session, path: path, needsIdent: needsIdent)))
    }

    /// The ident that the server gave to a session.
    func ident(_ session: Int64 = 1) -> FileIdent? {
        for case .ident(session, let ident) in messages { return ident }
        return nil
    }

    func identify(_ session: Int64 = 1, as file: FileIdent, query: ClientMessage.Query? = nil) {
        send(
            .ident(
                .init(session: session, file: file, download: DownloadCursor(), latest: SaltedVersion(), query: query)))
    }

    /// Codes of the errors heard, with their sessions.
    var errors: [[Int64]] {
        messages.compactMap { message in
            guard case .jsonError(let code, let session, _) = message else { return nil }
            return [Int64(code.rawValue), session]
        }
    }

    /// The error of a session.
    func failure(_ session: Int64 = 1) -> (code: SyncErrorCode, body: ErrorBody)? {
        for case .jsonError(let code, session, let body) in messages { return (code, body) }
        return nil
    }

    /// All that was downloaded.
    func instructions() throws -> [Instruction] {
        try messages.flatMap { message -> [Instruction] in
            guard case .download(let download) = message else { return [] }
            return try download.entries.flatMap { try Changeset.decode($0.changeset) }
        }
    }

    func webSocket(_: WebSocket, didReceive message: [UInt8]) {
        do { messages.append(try ServerMessage(decoding: message, for: agreed)) } catch { Issue.record(error) }
    }

    func webSocket(_: WebSocket, didReceive text: String) { Issue.record("text from the server: \(text)") }
    func webSocket(_: WebSocket, pressureDidChange isHigh: Bool) {}
    func webSocket(_: WebSocket, didEnd end: WebSocketEnd) { self.end = end }
}
