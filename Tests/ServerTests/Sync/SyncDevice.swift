import EventLoop
import History
import HistorySupport
import Model
import Store
import Sync
import TestSupport
import Testing

@testable import Server

/// A client's realm file with its history and session machine, over a network, as an agent would drive them.
@LoopActor
final class SyncDevice: WebSocketDelegate {
    let directory: TemporaryDirectory
    private let scheduler: any Scheduler
    private let http: HTTPClient
    /// `host:port`, and the app.
    private let place: String
    private let app: String
    private let partition: PartitionValue
    private var file: RealmFile
    private var history: ClientHistory
    private var machine: ClientConnection
    private var socket: WebSocket?
    private var timer: (any ScheduledTimer)?
    private var isStopped = false
    private(set) var accessToken: String?
    private var refreshToken: String?
    private(set) var reports: [SyncReport] = []
    private(set) var completed: Set<Int64> = []
    private(set) var refreshes = 0
    private(set) var connections = 0

    /// With `directory` a device goes on with the file that it has there.
    init(
        _ network: any Network, _ scheduler: any Scheduler, at place: String, app: String,
        _ partition: PartitionValue = .string("p"), tokens: (access: String, refresh: String)? = nil,
        directory: TemporaryDirectory = TemporaryDirectory()
    ) throws {
        self.scheduler = scheduler
        self.place = place
        self.app = app
        self.partition = partition
        self.directory = directory
        accessToken = tokens?.access
        refreshToken = tokens?.refresh
        http = HTTPClient(network, scheduler: scheduler)
        file = try RealmFile(path: directory.path + "/device.realm")
        history = try ClientHistory(file)
        machine = ClientConnection(.partition, jitter: { 0 })
        timer = scheduler.timer { [weak self] in self?.tick() }
    }

    func start() {
        let options = ClientSessionOptions(session: 1, path: partition.text)
        perform(machine.add(options, file: history.clientFile, now: now))
    }

    /// The process ends; the file stays as it is.
    func stop() throws {
        isStopped = true
        timer?.close()
        socket?.abort()
        socket = nil
        try file.close()
    }

    // MARK: The app

    func write(_ instructions: [Instruction]) throws {
        try history.commit(instructions, to: file)
        perform(machine.committed(session: 1, newestVersion: Int64(file.version), now: now))
    }

    func snapshot() throws -> Snapshot { try file.snapshot() }
    func count(_ table: String) throws -> Int { try file.snapshot().table(named: table)?.count ?? 0 }

    var tokens: (access: String, refresh: String)? {
        guard let accessToken, let refreshToken else { return nil }
        return (accessToken, refreshToken)
    }

    /// Names of dogs by their keys.
    func dogs() throws -> [Int64: String] { DogTable(try file.snapshot()).names }

    /// What is written here and acknowledged by the server.
    var uploaded: Int64 { history.clientFile.upload.client }

    func awaitDownload(_ waiter: Int64) {
        perform(machine.awaitDownload(session: 1, waiter: waiter, now: now))
    }

    func awaitUpload(_ waiter: Int64) {
        perform(machine.awaitUpload(session: 1, waiter: waiter, now: now))
    }

    func reconnect() { perform(machine.reconnectNow(now: now)) }

    // MARK: The network

    private var now: Duration { scheduler.now }

    private func connect() {
        guard let accessToken else { return logIn { [self] in connect() } }
        do {
            let url = try WebURL("ws://\(place)/api/client/v2.0/app/\(app)/realm-sync?baas_at=\(accessToken)")
            _ = http.connect(to: url, subprotocols: SyncProtocol.offer(.partition)) { [weak self] outcome in
                self?.connected(outcome)
            }
        } catch {
            Issue.record(error)
        }
    }

    private func connected(_ outcome: WebSocketOutcome) {
        guard !isStopped else { return }
        switch outcome {
        case .open(let socket, let response):
            do {
                let agreed = try SyncProtocol.accept(
                    answered: response.headers["Sec-WebSocket-Protocol"], mode: .partition)
                self.socket = socket
                connections += 1
                socket.start(self)
                perform(machine.connected(agreed, now: now))
            } catch {
                Issue.record(error)
            }
        case .refused(let response): perform(machine.failed(.http(response.status), now: now))
        case .failed: perform(machine.failed(.connect, now: now))
        }
    }

    private func logIn(_ next: @escaping @LoopActor () -> Void) {
        send("POST", "/api/client/v2.0/app/\(app)/auth/providers/anon-user/login", token: nil) { [self] answer in
            accessToken = answer["access_token"]?.string
            refreshToken = answer["refresh_token"]?.string
            next()
        }
    }

    private func refresh() {
        refreshes += 1
        send("POST", "/api/client/v2.0/auth/session", token: refreshToken) { [self] answer in
            accessToken = answer["access_token"]?.string
            perform(machine.tokenRefreshed(now: now))
        }
    }

    private func send(
        _ method: String, _ path: String, token: String?, _ then: @escaping @LoopActor (JSONValue) -> Void
    ) {
        var headers: HTTPHeaders = ["Content-Type": "application/json"]
        if let token { headers.add("Authorization", "Bearer \(token)") }
        do {
            let request = HTTPRequest(method, "", headers: headers, body: Array("{}".utf8))
            _ = http.send(request, to: try WebURL("http://\(place)\(path)")) { [weak self] result in
                guard let self, !isStopped else { return }
                guard case .success(let reply) = result, reply.response.status < 300,
                    let answer = try? JSONValue(parsing: reply.response.body)
                else { return perform(machine.failed(.connect, now: now) + machine.refreshFailed(now: now)) }
                then(answer)
            }
        } catch {
            Issue.record(error)
        }
    }

    func webSocket(_: WebSocket, didReceive message: [UInt8]) { perform(machine.received(message, now: now)) }
    func webSocket(_: WebSocket, didReceive text: String) { Issue.record("text from the server: \(text)") }
    func webSocket(_: WebSocket, pressureDidChange isHigh: Bool) {
        if !isHigh { pump() }
    }

    func webSocket(_ socket: WebSocket, didEnd end: WebSocketEnd) {
        guard self.socket === socket else { return }
        self.socket = nil
        switch end {
        case .closed(let code, _): perform(machine.failed(.closed(code ?? 1005), now: now))
        case .ended, .failed: perform(machine.failed(.ended, now: now))
        }
    }

    // MARK: The machine

    private func tick() {
        guard !isStopped else { return }
        perform(machine.tick(now: now))
    }

    private func pump() {
        while let socket, machine.hasOutput, !socket.isUnderPressure {
            let (message, effects) = machine.nextMessage(now: now)
            if let message { socket.send(message) }
            carryOut(effects)
        }
        if let deadline = machine.deadline, !isStopped {
            timer?.start(after: max(.zero, deadline - now), repeating: nil)
        }
    }

    private func perform(_ effects: [ClientEffect]) {
        guard !isStopped else { return }
        carryOut(effects)
        pump()
    }

    private func carryOut(_ effects: [ClientEffect]) {
        var effects = effects[...]
        while let effect = effects.popFirst() {
            switch effect {
            case .connect: connect()
            case .disconnect:
                socket?.abort()
                socket = nil
            case .refreshToken: refresh()
            case .refreshLocation: effects += machine.locationRefreshed(now: now)
            case .ask(let request):
                do {
                    effects += machine.answered(request, try history.answer(request.work), now: now)
                } catch {
                    Issue.record(error)
                }
            case .report(_, let report): reports.append(report)
            case .reset(_, let report, _): reports.append(report)
            case .completed(_, let waiter): completed.insert(waiter)
            default: break
            }
        }
    }
}
