import Agent
import EventLoop
import History
import Model
import Store
import Sync

/// What an agent has of one user: the connection, and the synced files.
@LoopActor
package final class SimulatedAgent {
    private unowned let world: World
    private let directory: LabDirectory
    private let clock: @Sendable () -> UInt64
    private let time: SleepingScheduler
    /// By how many seconds its clock is fast.
    package var clockOff: Int64 = 0
    private var app: AppServer
    package private(set) var user: SyncUser?
    package private(set) var link: SyncLink?
    package private(set) var files: [String: SimulatedFile] = [:]
    /// What the agent keeps of its user.
    private var stored: AppServer.Login?
    /// Why it isn't logged in.
    package private(set) var loginFailure: AppServerError?

    init(_ world: World, clock: @escaping @Sendable () -> UInt64) throws {
        directory = try LabDirectory()
        self.world = world
        self.clock = clock
        time = SleepingScheduler(world.time)
        app = try SimulatedAgent.app(world, time)
    }

    private static func app(_ world: World, _ time: SleepingScheduler) throws -> AppServer {
        try AppServer(appId: World.app, baseURL: "http://h:80/", http: HTTPClient(world.network, scheduler: time))
    }

    // MARK: Users

    package func logIn() {
        app.logIn(provider: "anon-user", ["provider": "anon-user"], device: ["sdk": "Reeve"]) { [self] result in
            switch result {
            case .success(let login): begin(login)
            case .failure(let error): loginFailure = error
            }
        }
    }

    private func begin(_ login: AppServer.Login) {
        stored = login
        let time = time
        let clockOff = clockOff
        let user = SyncUser(login, of: app, clock: { World.epoch + clockOff + time.now.components.seconds })
        user.didChange = { [unowned self] in stored = $0 }
        self.user = user
        link = SyncLink(user, mode: .partition, scheduler: time, jitter: { 0.5 })
        for (partition, file) in files { join(file, partition) }
    }

    // MARK: Files

    /// Opens the file of a partition and syncs it, as soon as somebody is logged in.
    @discardableResult
    package func open(_ partition: String) throws -> SimulatedFile {
        if let file = files[partition] { return file }
        let file = try SimulatedFile(
            "\(directory.path)/\(partition).realm", clock: clock, scheduler: time)
        files[partition] = file
        if link != nil { join(file, partition) }
        return file
    }

    private func join(_ file: SimulatedFile, _ partition: String) {
        guard let link, let history = file.history else { return }
        file.link = link
        file.session = link.add(file, state: history.clientFile, path: PartitionValue.string(partition).text)
    }

    package func write(_ partition: String, _ instructions: [Instruction]) throws {
        try files[partition]?.write(instructions)
    }

    // MARK: What befalls it

    /// The machine sleeps: connections that are there now won't be when it wakes up, and nobody says so.
    package func sleep() {
        time.sleep()
        for link in world.network.links { link.isStalled = true }
    }

    /// It wakes up, and the agent is told as the system tells it.
    package func wake() {
        time.wake()
        link?.reconnectNow()
    }

    /// The process is killed, and the next one goes on with what is on disk.
    package func restart() throws {
        link?.close()
        link = nil
        user = nil
        let partitions = files.keys.sorted()
        for file in files.values { file.kill() }
        files = [:]
        app = try SimulatedAgent.app(world, time)
        for partition in partitions { try open(partition) }
        if let stored { begin(stored) }
    }

    /// What the application was told.
    package func reports() -> [SyncReport] { files.values.flatMap(\.reports) }
}
