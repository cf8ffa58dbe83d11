import TestSupport
import Testing

@testable import Sync

/// Clients that follow no rule, in every state: no crash, bounded memory, nothing sent that breaks an honest client.
struct HostileServerTests {
    @Test(arguments: SyncProtocol.Mode.allCases)
    func `random messages and late answers never break the server (P-69, P-72, P-91)`(mode: SyncProtocol.Mode) throws {
        for round in 0..<400 * UInt64(soakFactor) {
            let seed = randomSeed &+ round
            var random = RandomMessages(seed: seed)
            var limits = ServerLimits()
            limits.sessions = 3
            limits.downloadBytes = 2
            let agreed = SyncProtocol(mode, version: random.chance(1, in: 2) ? 14 : 9)
            var connection = ServerConnection(agreed, requestId: "", now: .zero, limits: limits)
            var history = MemoryHistory(seed: seed, isFlexible: agreed.isFlexible)
            var files: [FileIdent] = []
            var requests: [ServerRequest] = []
            var watch = SessionWatch()

            for _ in 0..<60 {
                var effects: [ServerEffect] = []
                switch Int.random(in: 0..<10, using: &random.generator) {
                case 0..<4:
                    let message = random.client(agreed, files: files)
                    effects = connection.received(random.spoil(message.encoded()), now: .zero)
                case 4..<7:
                    guard !requests.isEmpty else { continue }
                    let request = requests.remove(at: Int.random(in: requests.indices, using: &random.generator))
                    let answer: ServerAnswer =
                        random.chance(1, in: 12) ? .integrated : history.answer(request.work)
                    effects = connection.answered(request, answer)
                case 7: effects = connection.historyGrew(session: Int64.random(in: 0...4, using: &random.generator))
                default:
                    let (bytes, more) = connection.nextMessage(now: .zero)
                    effects = more
                    if let bytes {
                        let message = try ServerMessage(decoding: bytes, for: agreed)
                        if case .ident(_, let file) = message { files.append(file) }
                        let isLegal = watch.isLegal(message)
                        #expect(isLegal, "seed \(seed): \(message)")
                    }
                }
                for case .ask(let request) in effects { requests.append(request) }
                #expect(connection.sessionCount <= 3)
                #expect(requests.count <= 200)
            }
            let effects = connection.disconnected()
            #expect(effects.allSatisfy { if case .ask = $0 { false } else { true } })
            #expect(!connection.hasOutput)
        }
    }

    /// What an honest client demands of the order of messages.
    private struct SessionWatch {
        private var downloads: [Int64: Int64] = [:]
        private var isOver = false

        mutating func isLegal(_ message: ServerMessage) -> Bool {
            if isOver { return false }
            switch message {
            case .jsonError(let code, 0, _), .error(let code, 0, _, _):
                isOver = true
                return code.isConnectionError
            case .jsonError(let code, let session, _), .error(let code, let session, _, _):
                downloads[session] = nil
                return code.isSessionError
            case .ident(let session, let file):
                downloads[session] = nil
                return file.number > 1 && file.salt > 0
            case .download(let download):
                defer { downloads[download.session] = download.progress.server }
                return download.progress.server >= downloads[download.session] ?? 0
            case .unbound(let session):
                downloads[session] = nil
                return true
            default: return true
            }
        }
    }
}
