import TestSupport
import Testing

@testable import Sync

/// Clients, a server and a network in one process, from a seed: messages are late, connections break at any step, either
/// end restarts from what is durable.
struct Simulation<File: SimulatedFile, Realm: SimulatedRealm> {
    let seed: UInt64
    let mode: SyncProtocol.Mode
    var generator: SeededGenerator
    var now = Duration.zero
    var clients: [SimulatedClient<File>] = []
    var realms: [String: Realm] = [:]
    var links: [Int: SimulatedLink] = [:]
    private var lastLink = 0
    var lastChange = 0
    /// What must not happen.
    var faults: [String] = []
    /// No more trouble is made.
    var isCalm = false

    init(seed: UInt64, mode: SyncProtocol.Mode, clients count: Int, paths: [String]) {
        self.seed = seed
        self.mode = mode
        generator = SeededGenerator(seed: seed)
        for path in paths { realms[path] = Realm(seed: roll64(), isFlexible: mode == .flexible) }
        for index in 0..<count {
            clients.append(SimulatedClient(connection: newConnection()))
            for path in paths { clients[index].files[path] = File(seed: roll64()) }
            start(index)
        }
    }

    mutating func roll(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
    private mutating func roll64() -> UInt64 { UInt64.random(in: 0...UInt64.max, using: &generator) }

    private mutating func newConnection() -> ClientConnection {
        let jitter = Double(roll(100)) / 100
        return ClientConnection(mode, jitter: { jitter })
    }

    // MARK: Clients

    private mutating func start(_ index: Int) {
        for path in clients[index].files.keys.sorted() {
            guard let file = clients[index].files[path] else { continue }
            clients[index].lastSession += 1
            let session = clients[index].lastSession
            clients[index].sessions[session] = path
            var options = ClientSessionOptions(
                session: session, path: mode == .flexible ? FlexibleBind().text : path)
            options.queries.active = mode == .flexible ? .init(version: clients[index].lastQuery, text: "{}") : nil
            perform(clients[index].connection.add(options, file: file.state, now: now), client: index)
        }
    }

    mutating func restartClient(_ index: Int) {
        if let link = clients[index].link { links[link]?.isOpenAtClient = false }
        for path in clients[index].files.keys { clients[index].files[path]?.disconnected() }
        var fresh = SimulatedClient<File>(connection: newConnection(), files: clients[index].files)
        fresh.lastQuery = clients[index].lastQuery
        clients[index] = fresh
        start(index)
    }

    func session(_ index: Int, _ path: String) -> Int64 {
        clients[index].sessions.first { $0.value == path }?.key ?? 0
    }

    mutating func perform(_ effects: [ClientEffect], client index: Int) {
        for effect in effects {
            switch effect {
            case .connect: clients[index].wantsToConnect = true
            case .disconnect: closeAtClient(index)
            case .refreshToken: clients[index].wantsToken = true
            case .refreshLocation: clients[index].wantsLocation = true
            case .ask(let request): clients[index].requests.append(request)
            case .report(_, let report): faults.append("client \(index): \(report.status) \(report.message)")
            case .completed(let session, let waiter): completed(index, session, waiter)
            case .reset, .logOut, .abandoned, .queryFailed, .ended: faults.append("client \(index): \(effect)")
            case .performReset, .bound, .migrateSchema, .progressed, .rejected, .caughtUp, .log: break
            }
        }
    }

    private mutating func closeAtClient(_ index: Int) {
        guard let link = clients[index].link else { return }
        clients[index].link = nil
        links[link]?.isOpenAtClient = false
        links[link]?.toClient = []
        for path in clients[index].files.keys { clients[index].files[path]?.disconnected() }
    }

    /// The client learns that its connection is gone.
    mutating func breakAtClient(_ index: Int, _ failure: ConnectionFailure = .ended) {
        guard clients[index].link != nil else { return }
        closeAtClient(index)
        perform(clients[index].connection.failed(failure, now: now), client: index)
    }

    private mutating func completed(_ index: Int, _ session: Int64, _ waiter: Int64) {
        guard let path = clients[index].sessions[session], let file = clients[index].files[path] else { return }
        if let version = clients[index].downloads.removeValue(forKey: waiter),
            file.state.download.server < version
        {
            faults.append("client \(index) was told of version \(version) at \(file.state.download)")
        }
        if let version = clients[index].uploads.removeValue(forKey: waiter) {
            guard let ident = file.state.ident, file.state.upload.client >= version || version <= 1 else {
                if case .uploadable(let next) = clients[index].files[path]?.answer(
                    .nextUploadable(after: file.state.upload.client)), let next, next <= version
                {
                    faults.append("client \(index) was told that \(version) is uploaded at \(file.state.upload)")
                }
                return
            }
            _ = ident
        }
    }

    // MARK: The network

    mutating func connect(_ index: Int) {
        clients[index].wantsToConnect = false
        guard let agreed = try? SyncProtocol.choose(offered: SyncProtocol.offer(mode)).agreed else { return }
        let effects = clients[index].connection.connected(agreed, now: now)
        guard clients[index].connection.state == .connected else { return }
        lastLink += 1
        links[lastLink] = SimulatedLink(
            client: index, server: ServerConnection(agreed, requestId: "\(lastLink)", now: now))
        clients[index].link = lastLink
        perform(effects, client: index)
    }

    mutating func sendFromClient(_ link: Int) {
        guard let index = links[link]?.client else { return }
        let (message, effects) = clients[index].connection.nextMessage(now: now)
        if let message { links[link]?.toServer.append(message) }
        perform(effects, client: index)
    }

    mutating func receiveAtClient(_ link: Int) {
        guard let index = links[link]?.client, let message = links[link]?.toClient.removeFirst() else { return }
        perform(clients[index].connection.received(message, now: now), client: index)
    }

    // MARK: The server

    mutating func sendFromServer(_ link: Int) {
        guard let (message, effects) = links[link]?.server?.nextMessage(now: now) else { return }
        if let message { links[link]?.toClient.append(message) }
        perform(effects, link: link)
    }

    mutating func receiveAtServer(_ link: Int) {
        guard let message = links[link]?.toServer.removeFirst() else { return }
        if let effects = links[link]?.server?.received(message, now: now) { perform(effects, link: link) }
    }

    /// The server forgets a connection.
    mutating func breakAtServer(_ link: Int) {
        if let effects = links[link]?.server?.disconnected() { perform(effects, link: link) }
        links[link]?.server = nil
        links[link]?.toServer = []
        links[link]?.requests = []
        links[link]?.answers = []
    }

    mutating func perform(_ effects: [ServerEffect], link: Int) {
        for effect in effects {
            switch effect {
            case .ask(let request):
                if case .open(let path, _, _) = request.work {
                    links[link]?.paths[request.session] = mode == .flexible ? realms.keys.sorted().first : path
                }
                links[link]?.requests.append(request)
            case .claimed(let session, let file):
                links[link]?.files[session] = file
                let path = links[link]?.paths[session]
                for (other, state) in links where other != link && state.server != nil {
                    if state.files.contains(where: { $0.value == file && state.paths[$0.key] == path }) {
                        breakAtServer(other)
                    }
                }
            case .ended(let session):
                links[link]?.paths[session] = nil
                links[link]?.files[session] = nil
            case .finish, .close: faults.append("server: \(effect)")
            case .disconnect: breakAtServer(link)
            case .clientFailed, .historyFault: faults.append("server: \(effect)")
            }
        }
    }

    /// The history works on a request of a connection.
    mutating func answerAtServer(_ link: Int) {
        guard let count = links[link]?.requests.count, count > 0 else { return }
        let place = roll(count)
        guard let request = links[link]?.requests.remove(at: place), let path = links[link]?.paths[request.session],
            let before = realms[path]?.current, let answer = realms[path]?.answer(request.work)
        else { return }
        if case .failed(let failure) = answer { faults.append("history: \(failure)") }
        links[link]?.answers.append((request, answer))
        guard realms[path]?.current != before else { return }
        for (other, state) in links where state.server != nil {
            for (session, bound) in state.paths where bound == path {
                if let effects = links[other]?.server?.historyGrew(session: session) {
                    perform(effects, link: other)
                }
            }
        }
    }
}
