import EventLoop
import Foundation
import History
import HistorySupport
import Model
import Store
import Sync
import TestSupport

@testable import Agent

/// What an agent has of one user: the connection, and the synced files.
@LoopActor
final class SimulatedAgent {
    private unowned let world: World
    private let directory = TemporaryDirectory()
    private let clock: @Sendable () -> UInt64
    let number: Int
    private var app: AppServer
    private(set) var user: SyncUser?
    private(set) var link: SyncLink?
    private(set) var files: [String: SimulatedFile] = [:]
    /// What the agent keeps of its user.
    private var stored: AppServer.Login?
    private(set) var loginFailure: AppServerError?

    init(_ world: World, number: Int, clock: @escaping @Sendable () -> UInt64) throws {
        self.world = world
        self.number = number
        self.clock = clock
        app = try SimulatedAgent.app(world)
    }

    private static func app(_ world: World) throws -> AppServer {
        try AppServer(
            appId: World.app, baseURL: "http://h:80/", http: HTTPClient(world.network, scheduler: world.time))
    }

    // MARK: Users

    func logIn() {
        app.logIn(provider: "anon-user", ["provider": "anon-user"], device: ["sdk": "Reeve"]) { [self] result in
            switch result {
            case .success(let login): begin(login)
            case .failure(let error): loginFailure = error
            }
        }
    }

    private func begin(_ login: AppServer.Login) {
        stored = login
        let time = world.time
        let user = SyncUser(login, of: app, clock: { World.epoch + time.now.components.seconds })
        user.didChange = { [unowned self] in stored = $0 }
        self.user = user
        link = SyncLink(user, mode: .partition, scheduler: time, jitter: { 0.5 })
        for (partition, file) in files { join(file, partition) }
    }

    // MARK: Files

    /// Opens the file of a partition and syncs it, as soon as somebody is logged in.
    @discardableResult
    func open(_ partition: String) throws -> SimulatedFile {
        if let file = files[partition] { return file }
        let file = try SimulatedFile(
            "\(directory.path)/\(partition).realm", clock: clock, scheduler: world.time, partition: partition)
        files[partition] = file
        if link != nil { join(file, partition) }
        return file
    }

    private func join(_ file: SimulatedFile, _ partition: String) {
        guard let link else { return }
        file.link = link
        file.session = link.add(file, state: file.history.clientFile, path: PartitionValue.string(partition).text)
    }

    func write(_ partition: String, _ instructions: [Instruction]) throws {
        try files[partition]?.write(instructions)
    }

    // MARK: What befalls it

    /// The process is killed, and the next one goes on with what is on disk.
    func restart() throws {
        link?.close()
        link = nil
        user = nil
        let partitions = files.keys.sorted()
        for file in files.values { file.kill() }
        files = [:]
        app = try SimulatedAgent.app(world)
        for partition in partitions { try open(partition) }
        if let stored { begin(stored) }
    }

    /// Whether everything that was written here is on the server, and all that is there is here.
    func isUpToDate(_ completed: Set<String>) -> Bool { completed == Set(files.keys) }

    func reports() -> [SyncReport] { files.values.flatMap(\.reports) }
}

/// A synced realm file whose writer thread is the loop.
@LoopActor
final class SimulatedFile: SyncedFile {
    private(set) var file: RealmFile!
    private(set) var history: ClientHistory!
    let partition: String
    private let scheduler: any Scheduler
    weak var link: SyncLink?
    var session: Int64 = 0
    private(set) var reports: [SyncReport] = []
    private(set) var resets: [SyncReport] = []
    /// Versions that readers have seen.
    private(set) var lastVersion: UInt64 = 0

    init(
        _ path: String, clock: @escaping @Sendable () -> UInt64, scheduler: any Scheduler, partition: String
    ) throws {
        var options = HistoryOptions()
        options.now = clock
        file = try RealmFile(path: path)
        history = try ClientHistory(file, options: options)
        self.scheduler = scheduler
        self.partition = partition
    }

    func kill() {
        link = nil
        history = nil
        file = nil
    }

    func write(_ instructions: [Instruction]) throws {
        try history.commit(instructions, to: file)
        link?.committed(session, version: Int64(file.version))
    }

    func answer(_ work: StoreRequest.Work, completion: @escaping @Sendable @LoopActor (StoreAnswer) -> Void) {
        let holder = TimerHolder()
        let timer = scheduler.timer { [weak self] in
            holder.timer?.close()
            holder.timer = nil
            // A process that was killed does nothing more.
            guard let self, let history else { return }
            do { completion(try history.answer(work)) } catch {
                completion(.failed(.otherSessionError, "\(error)"))
            }
        }
        holder.timer = timer
        timer.start(after: .zero, repeating: nil)
    }

    func didReport(_ report: SyncReport) { reports.append(report) }
    func needsReset(_ report: SyncReport, partitionQuery: String?) { resets.append(report) }
    func didProgress(_ download: ServerMessage.Download) {}

    @LoopActor
    private final class TimerHolder {
        var timer: (any ScheduledTimer)?
    }
}
