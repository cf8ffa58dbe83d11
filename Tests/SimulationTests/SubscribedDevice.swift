import EventLoop
import Foundation
import History
import HistorySupport
import Lab
import Model
import Store
import Sync
import TestSupport
import Testing

@testable import Agent

/// An agent's user with one realm of flexible sync, whose writer thread is the loop.
@LoopActor
final class SubscribedDevice: SyncedFile {
    private unowned let world: World
    private let directory: LabDirectory
    private let options: HistoryOptions
    private var app: AppServer
    private(set) var link: SyncLink?
    private(set) var file: RealmFile!
    private(set) var history: ClientHistory!
    private(set) var session: Int64 = 0
    private(set) var reports: [SyncReport] = []
    private(set) var resets: [SyncReport] = []
    /// What the agent keeps of its user.
    private var stored: AppServer.Login?
    /// Counts processes: what an earlier one was about to do isn't done.
    private var life = 0

    static let schema: [Instruction] = [
        .addTable(className: "Item", kind: .topLevel, key: KeyColumn(name: "_id", type: .int, isNullable: false)),
        column("n", .int), column("text", .string)
    ]

    private static func column(_ name: String, _ type: ValueType) -> Instruction {
        .addColumn(
            className: "Item", property: name,
            ColumnDeclaration(type: type.rawValue, isNullable: false, collection: .single, target: nil, keyType: nil))
    }

    init(_ world: World, skew: Int64) throws {
        directory = try LabDirectory()
        self.world = world
        var options = HistoryOptions()
        options.now = World.clock(world.time, skew: skew)
        self.options = options
        app = try SubscribedDevice.app(world)
        try open()
        try write(SubscribedDevice.schema)
    }

    private static func app(_ world: World) throws -> AppServer {
        try AppServer(
            appId: World.flexibleApp, baseURL: "http://h:80/",
            http: HTTPClient(world.network, scheduler: world.time))
    }

    private func open() throws {
        file = try RealmFile(path: directory.path + "/items.realm")
        history = try ClientHistory(file, options: options, isFlexible: true)
    }

    var subscriptions: ClientSubscriptions { history.subscriptions! }

    func logIn() {
        guard stored == nil else { return }
        app.logIn(provider: "anon-user", ["provider": "anon-user"], device: ["sdk": "Reeve"]) { [self] result in
            if case .success(let login) = result, stored == nil { begin(login) }
        }
    }

    private func begin(_ login: AppServer.Login) {
        stored = login
        let time = world.time
        let user = SyncUser(login, of: app, clock: { World.epoch + time.now.components.seconds })
        user.didChange = { [unowned self] in stored = $0 }
        let link = SyncLink(user, mode: .flexible, scheduler: time, jitter: { 0.5 })
        self.link = link
        session = link.add(
            self, state: history.clientFile, path: FlexibleBind().text, queries: subscriptions.queries)
    }

    /// The process is killed, and the next one goes on with what is on disk.
    func restart() throws {
        link?.close()
        link = nil
        life += 1
        history = nil
        file = nil
        app = try SubscribedDevice.app(world)
        try open()
        if let stored { begin(stored) }
    }

    // MARK: The app

    func write(_ instructions: [Instruction]) throws {
        try history.commit(instructions, to: file)
        link?.committed(session, version: Int64(file.version))
    }

    /// Asks for the items whose number is in one of the ranges, and for no others.
    func subscribe(_ ranges: [Range<Int64>]) throws {
        let set = try subscriptions.update { edit in
            edit.removeAll()
            for range in ranges { edit.insert(className: "Item", query: SubscribedDevice.query(range)) }
        }
        link?.subscribed(session, set.pendingQuery)
    }

    private static func query(_ range: Range<Int64>) -> String {
        "n >= \(range.lowerBound) AND n < \(range.upperBound)"
    }

    /// Numbers by key.
    var items: [Int64: Int64] { get throws { try SubscribedDevice.items(file.snapshot()) } }

    static func items(_ snapshot: Snapshot) throws -> [Int64: Int64] {
        guard let table = snapshot.table(named: "Item"), let column = table.stored.column(named: "n") else {
            return [:]
        }
        var found: [Int64: Int64] = [:]
        for index in 0..<table.count {
            let object = table.key(at: index)
            guard case .int(let key)? = table.primaryKey(of: object), case .int(let n) = table.value(object, column)
            else { throw TestFailure("an item without key or number") }
            found[key] = n
        }
        return found
    }

    // MARK: The session

    /// Runs `body` a little later, as a writer thread does, unless the process has been killed by then.
    private func soon(_ body: @escaping @LoopActor (ClientHistory) throws -> Void) {
        let holder = TimerHolder()
        let life = life
        let timer = world.time.timer { [weak self] in
            holder.timer?.close()
            holder.timer = nil
            guard let self, life == self.life else { return }
            do { try body(history) } catch { Issue.record("\(error)") }
        }
        holder.timer = timer
        timer.start(after: .zero, repeating: nil)
    }

    func answer(_ work: StoreRequest.Work, completion: @escaping @Sendable @LoopActor (StoreAnswer) -> Void) {
        soon { completion(try $0.answer(work)) }
    }

    func didReport(_ report: SyncReport) { reports.append(report) }
    func needsReset(_ report: SyncReport, partitionQuery: String?) { resets.append(report) }
    func didProgress(_ download: ServerMessage.Download) {}
    func didCatchUp() { soon { try $0.caughtUp() } }
    func didFailQuery(_ version: Int64, _ message: String) { Issue.record("\(version): \(message)") }
    func didBind() { soon { try $0.disconnected() } }
    func didDisconnect() { soon { try $0.disconnected() } }

    @LoopActor
    private final class TimerHolder {
        var timer: (any ScheduledTimer)?
    }
}
