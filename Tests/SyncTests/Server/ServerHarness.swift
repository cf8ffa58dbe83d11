import Testing

@testable import Sync

/// A server connection over a history in memory that answers at once, and what it has sent.
struct ServerHarness {
    var connection: ServerConnection
    var history: MemoryHistory
    /// Requests are kept instead of answered.
    var holdsAnswers = false
    private(set) var held: [ServerRequest] = []
    var sent: [ServerMessage] = []
    private(set) var effects: [ServerEffect] = []
    var now = Duration.zero

    init(
        _ mode: SyncProtocol.Mode = .partition, version: Int = 14, limits: ServerLimits = ServerLimits(),
        expiry: Duration? = nil
    ) {
        let agreed = SyncProtocol(mode, version: version)
        connection = ServerConnection(agreed, requestId: "id", now: .zero, expiry: expiry, limits: limits)
        history = MemoryHistory(isFlexible: mode == .flexible)
    }

    /// The client sends this; returns what the server sends.
    @discardableResult
    mutating func send(_ message: ClientMessage) -> [ServerMessage] { send(message.encoded()) }

    @discardableResult
    mutating func send(_ text: String) -> [ServerMessage] { send(Array(text.utf8)) }

    @discardableResult
    mutating func send(_ bytes: [UInt8]) -> [ServerMessage] {
        perform(connection.received(bytes, now: now))
        return pump()
    }

    @discardableResult
    mutating func answer(_ request: ServerRequest, _ answer: ServerAnswer) -> [ServerMessage] {
        perform(connection.answered(request, answer))
        return pump()
    }

    /// Answers everything held, in order, from the history.
    @discardableResult
    mutating func answerHeld() -> [ServerMessage] {
        holdsAnswers = false
        let requests = held
        held = []
        perform(requests.map(ServerEffect.ask))
        return pump()
    }

    @discardableResult
    mutating func act(_ body: (inout ServerConnection) -> [ServerEffect]) -> [ServerMessage] {
        perform(body(&connection))
        return pump()
    }

    /// Writes all there is to write.
    @discardableResult
    mutating func pump() -> [ServerMessage] {
        let count = sent.count
        while connection.hasOutput {
            let (bytes, effects) = connection.nextMessage(now: now)
            perform(effects)
            guard let bytes else { continue }
            do {
                sent.append(try ServerMessage(decoding: bytes, for: connection.agreed))
            } catch {
                Issue.record("the server sent \(bytes.prefix(100)): \(error)")
            }
        }
        return Array(sent[count...])
    }

    private mutating func perform(_ effects: [ServerEffect]) {
        var effects = effects[...]
        while let effect = effects.popFirst() {
            if case .ask(let request) = effect {
                if holdsAnswers {
                    held.append(request)
                } else {
                    effects += connection.answered(request, history.answer(request.work))[...]
                }
            } else {
                self.effects.append(effect)
            }
        }
    }

    /// Binds a new file and identifies it.
    mutating func bind(session: Int64 = 1, path: String = "\"p\"") -> FileIdent {
        let isFlexible = connection.agreed.isFlexible
        send(.bind(.init(session: session, path: isFlexible ? "{}" : path, needsIdent: true)))
        guard case .ident(_, let file)? = sent.last else {
            Issue.record("no IDENT but \(sent)")
            return FileIdent(number: 0, salt: 0)
        }
        identify(session: session, file)
        return file
    }

    @discardableResult
    mutating func identify(
        session: Int64 = 1, _ file: FileIdent, download: DownloadCursor = DownloadCursor(),
        latest: SaltedVersion = SaltedVersion()
    ) -> [ServerMessage] {
        send(
            .ident(
                .init(
                    session: session, file: file, download: download, latest: latest,
                    query: connection.agreed.isFlexible ? .init(version: 0, text: "{}") : nil)))
    }

    /// The code and session of the last message, if it is an error.
    var lastError: [Int64]? {
        switch sent.last {
        case .jsonError(let code, let session, _), .error(let code, let session, _, _): [Int64(code.rawValue), session]
        default: nil
        }
    }
}

func upload(
    session: Int64 = 1, _ versions: [(Int64, Int64)], progress: (Int64, Int64), locked: Int64 = 0
) -> ClientMessage {
    .upload(
        .init(
            session: session, progress: UploadCursor(client: progress.0, server: progress.1),
            lockedServerVersion: locked,
            entries: versions.map {
                UploadEntry(
                    cursor: UploadCursor(client: $0.0, server: $0.1), timestamp: $0.0, changeset: [UInt8($0.0 & 0x7f)])
            }))
}
