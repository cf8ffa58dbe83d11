import HistorySupport
import Model
import Store
import Sync
import TestSupport

@testable import History

/// A client's realm file of flexible sync with its session, beside a server's machine for its connection, on a network
/// that keeps messages until they are delivered.
final class FlexibleDevice {
    let user: PermissionUser
    private let directory = TemporaryDirectory()
    private let options: HistoryOptions
    /// Never nil but while the process is dead.
    private(set) var file: RealmFile!
    private(set) var history: ClientHistory!
    private var client: ClientConnection
    private var server: ServerConnection?
    private(set) var realm: FlexibleRealm?
    private var session: FlexibleSession?
    private var toServer: [[UInt8]] = []
    private var toClient: [[UInt8]] = []
    private var now = Duration.zero
    private(set) var reports: [SyncReport] = []
    private(set) var serverFaults: [String] = []
    private(set) var completed: Set<Int64> = []
    /// Everything that was ever sent to it.
    private(set) var downloads: [ServerMessage.Download] = []
    /// Bytes of changesets in one DOWNLOAD.
    var downloadBytes = 1 << 20

    init(_ user: PermissionUser, _ realm: FlexibleRealm, clock: @escaping @Sendable () -> UInt64 = { 1_000 }) throws {
        self.user = user
        self.realm = realm
        var options = HistoryOptions()
        options.now = clock
        self.options = options
        file = try RealmFile(path: directory.path + "/device.realm")
        history = try ClientHistory(file, options: options, isFlexible: true)
        client = ClientConnection(.flexible, jitter: { 0 })
        try join()
    }

    private func join() throws {
        var session = ClientSessionOptions(session: 1, path: FlexibleBind().text)
        session.queries = history.queries
        try perform(client.add(session, file: history.clientFile, now: now))
    }

    var subscriptions: ClientSubscriptions { history.subscriptions! }

    // MARK: The app

    /// Writes as an app does.
    func write(_ instructions: [Instruction]) throws {
        guard !instructions.isEmpty else { return }
        try history.commit(instructions, to: file)
        try perform(client.committed(session: 1, newestVersion: Int64(file.version), now: now))
    }

    @discardableResult
    func subscribe(_ body: (inout SubscriptionEdit) -> Void) throws -> SubscriptionSet {
        let set = try subscriptions.update(body)
        try perform(client.subscribed(session: 1, set.pendingQuery, now: now))
        return set
    }

    /// The process dies, and the next one goes on with what is in the file.
    func restart() throws {
        disconnect()
        try file.close()
        file = nil
        history = nil
        file = try RealmFile(path: directory.path + "/device.realm")
        history = try ClientHistory(file, options: options, isFlexible: true)
        client = ClientConnection(.flexible, jitter: { 0 })
        try join()
    }

    /// The keys of the objects of a class that the client has.
    func keys(_ className: String) throws -> [PrimaryKey] {
        let snapshot = try file.snapshot()
        guard let table = snapshot.table(named: className) else { return [] }
        return (0..<table.count).compactMap { table.primaryKey(of: table.key(at: $0)) }
    }

    /// A property of an object; nil if the client hasn't got it.
    func value(_ className: String, _ key: PrimaryKey, _ property: String) throws -> Value? {
        let snapshot = try file.snapshot()
        guard let table = snapshot.table(named: className), let object = table.find(key),
            let column = table.stored.column(named: property)
        else { return nil }
        return table.value(object, column)
    }

    /// The same as numbers.
    func numbers(_ className: String) throws -> [Int64] {
        try keys(className).compactMap { if case .int(let number) = $0 { number } else { nil } }.sorted()
    }

    // MARK: The network

    var isConnected: Bool { server != nil }

    /// The connection is lost with everything that is on its way.
    func disconnect() {
        guard server != nil else { return }
        server = nil
        session?.close()
        session = nil
        toServer = []
        toClient = []
    }

    /// The server that the device finds when it connects again; nil while it is down.
    func move(to realm: FlexibleRealm?) {
        disconnect()
        self.realm = realm
    }

    /// Tells the client that its connection is gone, if it is, and lets it try again.
    func reconnect() throws {
        if server == nil, client.state == .connected {
            try history.disconnected()
            try perform(client.failed(.ended, now: now))
        }
        try perform(client.reconnectNow(now: now))
        try pass(.seconds(1))
    }

    /// Time passes for the client.
    func pass(_ time: Duration) throws {
        now += time
        try perform(client.tick(now: now))
    }

    /// Whether something is on its way.
    var isBusy: Bool { !toServer.isEmpty || !toClient.isEmpty }

    func deliverToServer() throws {
        guard server != nil, !toServer.isEmpty else { return }
        let message = toServer.removeFirst()
        try perform(server?.received(message, now: now) ?? [])
    }

    func deliverToClient() throws {
        guard server != nil, !toClient.isEmpty else { return }
        try perform(client.received(toClient.removeFirst(), now: now))
    }

    /// The number of its client file.
    var number: Int64? { session?.file }

    /// Others have written to the server.
    func historyGrew() throws { try perform(server?.historyGrew(session: 1) ?? []) }

    /// The server ends the session.
    func end(_ failure: SessionFailure) throws { try perform(server?.end(session: 1, failure) ?? []) }

    private func pump() throws {
        while client.state == .connected, client.hasOutput {
            let (message, effects) = client.nextMessage(now: now)
            // What is written to a connection that is gone goes nowhere.
            if let message, server != nil { toServer.append(message) }
            try perform(effects)
        }
        while let output = server, output.hasOutput {
            guard let (message, effects) = server?.nextMessage(now: now) else { break }
            if let message {
                if case .download(let download)? = try? ServerMessage(decoding: message, for: output.agreed) {
                    downloads.append(download)
                }
                toClient.append(message)
            }
            try perform(effects)
        }
    }

    private func perform(_ effects: [ClientEffect]) throws {
        var effects = effects[...]
        while let effect = effects.popFirst() {
            switch effect {
            case .connect:
                guard realm != nil else {
                    effects += client.failed(.ended, now: now)
                    continue
                }
                let agreed = SyncProtocol(.flexible, version: 14)
                var limits = ServerLimits()
                limits.downloadBytes = downloadBytes
                server = ServerConnection(agreed, requestId: "r", now: now, limits: limits)
                effects += client.connected(agreed, now: now)
            case .disconnect:
                disconnect()
                try history.disconnected()
            case .ask(let request):
                effects += client.answered(request, try history.answer(request.work), now: now)
            case .report(_, let report): reports.append(report)
            case .rejected(_, let version, let updates, let message):
                try history.note(Rejection(version: UInt64(version), updates, message: message))
            case .caughtUp: try history.caughtUp()
            case .queryFailed(_, let version, let message): try history.queryFailed(version: version, message: message)
            case .completed(_, let waiter): completed.insert(waiter)
            case .reset(_, let report, _): reports.append(report)
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
                if case .open = request.work, let realm {
                    session?.close()
                    session = FlexibleSession(realm, user: user)
                }
                guard var asked = session else { continue }
                effects += server?.answered(request, asked.answer(request.work)) ?? []
            case .historyFault(_, let message), .clientFailed(_, _, let message): serverFaults.append(message)
            case .close, .disconnect: disconnect()
            default: break
            }
        }
        try pump()
    }
}

/// Devices and the realm that they share.
final class FlexibleYard {
    private let directory = TemporaryDirectory()
    private(set) var realm: FlexibleRealm!
    private(set) var configuration: FlexibleConfiguration
    var devices: [FlexibleDevice] = []
    let clock = Clock()

    /// A clock that the test sets.
    final class Clock: @unchecked Sendable {
        // One thread at a time sets and reads it.
        var now: UInt64 = 1_000_000
    }

    init(_ configuration: FlexibleConfiguration = FlexibleConfiguration()) throws {
        self.configuration = configuration
        try open()
    }

    private func open() throws {
        var options = HistoryOptions()
        options.now = { [clock] in clock.now }
        let base = try ServerRealm(path: directory.path + "/server.realm", options: options)
        realm = FlexibleRealm(base, configuration: configuration)
        // Bootstraps of few objects come in parts, too.
        realm.bootstrapPartBytes = 2_000
    }

    func device(_ user: String, customData: JSONTree = .object([:])) throws -> FlexibleDevice {
        let device = try FlexibleDevice(
            PermissionUser(id: user, customData: customData), realm, clock: { [clock] in clock.now })
        devices.append(device)
        return device
    }

    /// The server dies, or gets other permissions; what it has acknowledged is in its file.
    func restartServer(_ configuration: FlexibleConfiguration? = nil) throws {
        for device in devices { device.move(to: nil) }
        try realm.base.close()
        realm = nil
        if let configuration { self.configuration = configuration }
        try open()
        for device in devices { device.move(to: realm) }
    }

    /// Tells the devices that there is news for, as the server does.
    func wake() throws {
        let files = realm.takeWoken()
        for device in devices where device.number.map({ files.contains($0) }) ?? false { try device.historyGrew() }
    }

    /// Delivers everything until nobody has anything to say. False if that doesn't come about.
    func settle() throws -> Bool {
        for round in 0..<300 {
            for device in devices {
                if !device.isConnected { try device.reconnect() }
                try device.pass(.seconds(2))
            }
            try wake()
            var isQuiet = true
            for device in devices {
                while device.isBusy {
                    isQuiet = false
                    try device.deliverToServer()
                    try device.deliverToClient()
                }
            }
            if isQuiet, round > 3 { return true }
        }
        return false
    }
}
