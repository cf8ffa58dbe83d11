import TestSupport
import Testing

@testable import Sync

/// Servers that follow no rule, in every state: no crash, bounded memory, and what the client sends stays in order.
struct HostileClientTests {
    @Test(arguments: SyncProtocol.Mode.allCases)
    func `random messages, late and wrong answers never break the client (P-34, P-101)`(
        mode: SyncProtocol.Mode
    ) throws {
        var sent = 0
        for round in 0..<300 * UInt64(soakFactor) {
            let seed = randomSeed &+ round
            var random = RandomMessages(seed: seed)
            var limits = ClientLimits()
            limits.inboxMessages = 4
            limits.compensatingWrites = 3
            var connection = ClientConnection(mode, limits: limits, jitter: { 0.5 })
            var now = Duration.zero
            var requests: [StoreRequest] = []
            var files: [Int64: MemoryFile] = [:]
            var order = MessageOrder()
            func take(_ effects: [ClientEffect]) {
                for effect in effects {
                    if case .ask(let request) = effect { requests.append(request) }
                    if case .disconnect = effect { order = MessageOrder() }
                }
            }
            for session in 1...2 as ClosedRange<Int64> {
                files[session] = MemoryFile()
                files[session]?.commit([1])
                take(
                    connection.add(
                        ClientSessionOptions(session: session, path: "{}"), file: MemoryFile().state, now: now))
            }
            for _ in 0..<60 {
                now += .milliseconds(random.chance(1, in: 5) ? 2000 : 1)
                switch Int.random(in: 0..<20, using: &random.generator) {
                case 0..<3:
                    let message = random.server(mode)
                    let bytes = message.encoded(for: SyncProtocol(mode))
                    take(connection.received(random.spoil(bytes), now: now))
                case 3, 4:
                    guard !requests.isEmpty else { continue }
                    let request = requests.removeFirst()
                    let answer: StoreAnswer =
                        random.chance(1, in: 12)
                        ? .failed(.badChangeset, "bad")
                        : files[request.session]?.answer(request.work) ?? .uploadable(nil)
                    take(connection.answered(request, answer, now: now))
                case 5, 6: take(connection.connected(SyncProtocol(mode), now: now))
                case 7: take(connection.tick(now: now))
                case 8, 12:
                    take(connection.resume(session: Int64.random(in: 1...2, using: &random.generator), now: now))
                case 9: take(connection.awaitDownload(session: 1, waiter: 1, now: now))
                case 10:
                    take(connection.failed(.ended, now: now))
                    order = MessageOrder()
                default:
                    let (bytes, effects) = connection.nextMessage(now: now)
                    if let bytes {
                        let message = try ClientMessage(decoding: bytes, for: SyncProtocol(mode))
                        let isLegal = order.isLegal(message)
                        #expect(isLegal, "seed \(seed): \(message)")
                        sent += 1
                    }
                    take(effects)
                }
                #expect(connection.sessions.values.allSatisfy { $0.compensating.count <= 3 })
                #expect(requests.count <= 2, "one request of a session at a time")
            }
        }
        #expect(sent > 300)
    }

    /// What a server demands of the order of messages (P-91).
    private struct MessageOrder {
        private var states: [Int64: Int] = [:]

        mutating func isLegal(_ message: ClientMessage) -> Bool {
            guard let session = message.session else { return true }
            let state = states[session] ?? 0
            switch message {
            case .bind:
                states[session] = 1
                return state == 0
            case .ident:
                states[session] = 2
                return state == 1
            case .unbind:
                states[session] = 0
                return state > 0
            default: return state == 2
            }
        }
    }
}

extension RandomMessages {
    /// What a server may send, mostly out of place.
    mutating func server(_ mode: SyncProtocol.Mode) -> ServerMessage {
        let session =
            chance(9, in: 10) ? Int64.random(in: 1...2, using: &generator) : Int64.random(in: 0...4, using: &generator)
        switch Int.random(in: 0..<14, using: &generator) {
        case 0, 1, 2: return .ident(session: session, FileIdent(number: 2 + session, salt: 5))
        case 3, 4, 5, 6:
            let isRight = chance(5, in: 6)
            let count = isRight ? 0 : Int64.random(in: 0...2, using: &generator)
            let server = isRight ? 1 : small()
            let batch = ServerMessage.BatchState(rawValue: Int64.random(in: 0...2, using: &generator)) ?? .steadyState
            return .download(
                .init(
                    session: session, progress: DownloadCursor(server: server),
                    latest: SaltedVersion(version: server, salt: 5), upload: UploadCursor(),
                    contents: mode == .flexible
                        ? .flexible(queryVersion: isRight ? 0 : small(), batch: batch, estimate: 1)
                        : .partition(downloadableBytes: 0),
                    entries: (0..<count).map {
                        DownloadEntry(
                            cursor: DownloadCursor(server: server &- $0), timestamp: 0, originFile: 9, changeset: [1])
                    }))
        case 7: return .mark(session: session, request: small())
        case 8: return .unbound(session: session)
        case 9: return .log(session: session, LogBody(message: "m"))
        case 10: return chance(1, in: 8) ? .pong(timestamp: small()) : .log(session: 0, LogBody())
        case 11:
            var body = ErrorBody(.compensatingWrite, "undone")
            body.compensatingWriteServerVersion = small()
            return .jsonError(code: .compensatingWrite, session: session, body)
        case 12:
            let code = SyncErrorCode(rawValue: Int.random(in: 195..<240, using: &generator))
            var body = ErrorBody(
                message: "m", tryAgain: chance(1, in: 2),
                action: ErrorAction.allCases.randomElement(using: &generator) ?? .warning)
            body.partitionQuery = "x"
            body.previousSchemaVersion = 1
            body.compensatingWriteServerVersion = 1
            return .jsonError(code: code, session: session, body)
        default:
            return mode == .flexible
                ? .queryError(code: .badQuery, session: session, queryVersion: small(), message: "no")
                : .testCommand(session: session, request: 1, body: "{}")
        }
    }
}
