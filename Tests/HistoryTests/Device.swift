import HistorySupport
import Model
import Store
import Sync
import TestSupport

@testable import History

/// A client's realm file with its history and session, beside a server's machine for its connection, on a network that
/// keeps messages until they are delivered.
final class Device {
    let number: Int
    private let directory = TemporaryDirectory()
    private let options: HistoryOptions
    /// Never nil but while the process is dead.
    private(set) var file: RealmFile!
    private(set) var history: ClientHistory!
    var client: ClientConnection
    private var server: ServerConnection?
    private var access: ServerRealmAccess?
    private var toServer: [[UInt8]] = []
    private var toClient: [[UInt8]] = []
    private(set) var now = Duration.zero
    private(set) var reports: [SyncReport] = []
    private(set) var serverFaults: [String] = []
    private(set) var completed: Set<Int64> = []
    /// What it does when the server wants its file to be reset, and how far that has come.
    var resetting = DeviceReset()
    /// Whether the network loses what it uploads.
    var losesUploads = false

    init(_ number: Int, _ realm: ServerRealm, clock: @escaping @Sendable () -> UInt64) throws {
        self.number = number
        options = Device.options(clock)
        file = try RealmFile(path: directory.path + "/device.realm", options: ResetCase.options)
        history = try ClientHistory(file, options: options)
        access = ServerRealmAccess(realm, user: "user \(number)")
        client = ClientConnection(.partition, jitter: { 0 })
        try join()
    }

    private static func options(_ clock: @escaping @Sendable () -> UInt64) -> HistoryOptions {
        var options = HistoryOptions()
        options.now = clock
        return options
    }

    private func join() throws {
        resetting.begin()
        try addSession()
    }

    // MARK: The app

    /// Writes as an app does.
    func write(_ instructions: [Instruction]) throws {
        try writeLocally(instructions)
        try perform(client.committed(session: resetting.session, newestVersion: Int64(file.version), now: now))
    }

    /// Writes, without telling the session.
    func writeLocally(_ instructions: [Instruction]) throws {
        try history.commit(instructions, to: file)
    }

    /// The process dies, and the next one goes on with what is in the file.
    func restart() throws {
        disconnect()
        toServer = []
        resetting.abandon()
        try file.close()
        file = nil
        history = nil
        file = try RealmFile(path: directory.path + "/device.realm", options: ResetCase.options)
        history = try ClientHistory(file, options: options)
        client = ClientConnection(.partition, jitter: { 0 })
        try join()
    }

    /// Asks for what is on the server now.
    func awaitDownload(_ waiter: Int64) throws {
        try perform(client.awaitDownload(session: resetting.session, waiter: waiter, now: now))
    }

    /// What befalls it by chance, by a number below 20; `transaction` makes what an app writes.
    func befall(_ number: Int, _ transaction: () throws -> [Instruction]) throws {
        switch number {
        case 0: disconnect()
        case 1: try reconnect()
        case 2: try restart()
        case 3..<9: try write(try transaction())
        case 9..<14: try deliverToServer()
        case 14: try historyGrew()
        default: try deliverToClient()
        }
    }

    // MARK: The network

    var isConnected: Bool { server != nil }

    /// The connection is lost with everything that is on its way.
    func disconnect() {
        guard server != nil else { return }
        server = nil
        toServer = []
        toClient = []
    }

    /// The server that the device finds when it connects again; nil while it is down.
    func move(to realm: ServerRealm?) {
        disconnect()
        access = realm.map { ServerRealmAccess($0, user: "user \(number)") }
    }

    /// Tells the client that its connection is gone, if it is, and lets it try again.
    func reconnect() throws {
        if server == nil, client.state == .connected { try perform(client.failed(.ended, now: now)) }
        try perform(client.reconnectNow(now: now))
        now += .seconds(1)
        try perform(client.tick(now: now))
    }

    /// Whether something is on its way.
    var isBusy: Bool { !toServer.isEmpty || !toClient.isEmpty }

    func deliverToServer() throws {
        guard server != nil, !toServer.isEmpty else { return }
        let message = toServer.removeFirst()
        if losesUploads, message.starts(with: Array("upload".utf8)) { return }
        try perform(server?.received(message, now: now) ?? [])
    }

    func deliverToClient() throws {
        guard server != nil, !toClient.isEmpty else { return }
        try perform(client.received(toClient.removeFirst(), now: now))
    }

    /// Others have written to the server.
    func historyGrew() throws {
        for session in resetting.sessions { try perform(server?.historyGrew(session: session) ?? []) }
    }

    private func pump() throws {
        while client.state == .connected, client.hasOutput {
            let (message, effects) = client.nextMessage(now: now)
            // What is written to a connection that is gone goes nowhere.
            if let message, server != nil { toServer.append(message) }
            try perform(effects)
        }
        while let output = server, output.hasOutput {
            guard let (message, effects) = server?.nextMessage(now: now) else { break }
            if let message { toClient.append(message) }
            try perform(effects)
        }
    }

    func perform(_ effects: [ClientEffect]) throws {
        var effects = effects[...]
        while let effect = effects.popFirst() {
            switch effect {
            case .connect:
                let agreed = SyncProtocol(.partition, version: 14)
                server = ServerConnection(agreed, requestId: "r", now: now)
                effects += client.connected(agreed, now: now)
            case .disconnect: disconnect()
            case .ask(let request):
                guard let history = try history(of: request.session) else { continue }
                effects += client.answered(request, try history.answer(request.work), now: now)
            case .report(_, let report): reports.append(report)
            case .completed(let session, let waiter):
                completed.insert(waiter)
                effects += try completed(waiter, of: session)
            case .reset(let session, let report, _): effects += beginReset(of: session, report)
            case .performReset(let session): effects += performReset(of: session)
            case .ended(let session): effects += try ended(session)
            default: break
            }
        }
        try pump()
    }

    private func perform(_ effects: [ServerEffect]) throws {
        var effects = effects[...]
        while let effect = effects.popFirst() {
            switch effect {
            case .ask(let request):
                guard let answer = access?.answer(request.work) else { continue }
                effects += server?.answered(request, answer) ?? []
            case .historyFault(_, let message), .clientFailed(_, _, let message): serverFaults.append(message)
            case .close, .disconnect: disconnect()
            default: break
            }
        }
        try pump()
    }
}
