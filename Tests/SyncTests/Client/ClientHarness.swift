import Testing

@testable import Sync

/// A client connection over files in memory that answer at once, and what it has sent.
struct ClientHarness {
    var connection: ClientConnection
    var files: [Int64: MemoryFile] = [:]
    var now = Duration.zero
    var holdsAnswers = false
    private(set) var held: [StoreRequest] = []
    var sent: [ClientMessage] = []
    var effects: [ClientEffect] = []

    init(_ mode: SyncProtocol.Mode = .partition, jitter: Double = 0) {
        connection = ClientConnection(mode, jitter: { jitter })
    }

    /// Adds a session whose file is as given.
    @discardableResult
    mutating func add(
        _ session: Int64 = 1, _ file: MemoryFile = MemoryFile(),
        _ change: (inout ClientSessionOptions) -> Void = { _ in }
    )
        -> [ClientMessage]
    {
        files[session] = file
        let isFlexible = connection.mode == .flexible
        var options = ClientSessionOptions(session: session, path: isFlexible ? FlexibleBind().text : "\"p\"")
        change(&options)
        return act { [now] in $0.add(options, file: file.state, now: now) }
    }

    /// The transport connects.
    @discardableResult
    mutating func connect(version: Int = 14) -> [ClientMessage] {
        act { [now] in $0.connected(SyncProtocol($0.mode, version: version), now: now) }
    }

    /// A first session, connected and identified as file 2.
    mutating func begin(_ file: MemoryFile = MemoryFile()) {
        add(1, file)
        connect()
        if file.state.ident == nil { receive(.ident(session: 1, FileIdent(number: 2, salt: 9))) }
    }

    @discardableResult
    mutating func receive(_ message: ServerMessage) -> [ClientMessage] {
        let bytes = message.encoded(for: connection.agreed)
        return act { [now] in $0.received(bytes, now: now) }
    }

    @discardableResult
    mutating func receive(_ text: String) -> [ClientMessage] {
        act { [now] in $0.received(Array(text.utf8), now: now) }
    }

    @discardableResult
    mutating func commit(session: Int64 = 1, _ changeset: [UInt8] = [1]) -> [ClientMessage] {
        guard let version = files[session]?.commit(changeset) else { return [] }
        return act { [now] in $0.committed(session: session, newestVersion: version, now: now) }
    }

    @discardableResult
    mutating func act(_ body: (inout ClientConnection) -> [ClientEffect]) -> [ClientMessage] {
        perform(body(&connection))
        return pump()
    }

    @discardableResult
    mutating func tick(_ time: Duration) -> [ClientMessage] {
        now = time
        return act { $0.tick(now: time) }
    }

    @discardableResult
    mutating func answerHeld() -> [ClientMessage] {
        holdsAnswers = false
        let requests = held
        held = []
        perform(requests.map(ClientEffect.ask))
        return pump()
    }

    @discardableResult
    mutating func pump() -> [ClientMessage] {
        let count = sent.count
        while connection.hasOutput {
            let (bytes, effects) = connection.nextMessage(now: now)
            perform(effects)
            guard let bytes else { continue }
            do {
                sent.append(try ClientMessage(decoding: bytes, for: connection.agreed))
            } catch {
                Issue.record("the client sent \(bytes.prefix(100)): \(error)")
            }
        }
        return Array(sent[count...])
    }

    private mutating func perform(_ effects: [ClientEffect]) {
        var effects = effects[...]
        while let effect = effects.popFirst() {
            if case .ask(let request) = effect {
                if holdsAnswers {
                    held.append(request)
                } else if let answer = files[request.session]?.answer(request.work) {
                    effects += connection.answered(request, answer, now: now)[...]
                }
            } else {
                self.effects.append(effect)
            }
        }
    }

    /// Reports to the application so far.
    var reports: [SyncReport] {
        effects.compactMap { if case .report(_, let report) = $0 { report } else { nil } }
    }

    /// A DOWNLOAD that is legal after `files[1]`.
    func download(
        server: Int64 = 0, client: Int64 = 0, upload: (Int64, Int64) = (0, 0), changesets: [[UInt8]] = [],
        contents: ServerMessage.Contents = .partition(downloadableBytes: 0)
    ) -> ServerMessage {
        let count = Int64(changesets.count)
        return .download(
            .init(
                session: 1, progress: DownloadCursor(server: server, client: client),
                latest: SaltedVersion(version: server, salt: 5),
                upload: UploadCursor(client: upload.0, server: upload.1), contents: contents,
                entries: changesets.enumerated().map { index, changeset in
                    DownloadEntry(
                        cursor: DownloadCursor(server: server - count + Int64(index) + 1, client: client),
                        timestamp: 0, originFile: 7, changeset: changeset)
                }))
    }
}
