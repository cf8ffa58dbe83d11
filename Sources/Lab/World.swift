import EventLoop
import History
import Server
import Store
import Sync

/// A server and agents on a network in memory, in time moved by hand: all of the system but its processes and disks.
@LoopActor
package final class World {
    package let directory: LabDirectory
    package let time = ManualScheduler()
    package let network: MemoryNetwork
    private let auth: AuthEndpoint
    private var sync: SyncEndpoint?
    private var front: ServerFront?
    private let options: SyncOptions
    package private(set) var agents: [SimulatedAgent] = []
    /// What has gone wrong with the server.
    package private(set) var faults: [String] = []
    /// Seconds since 1970 when the time began.
    package static let epoch: Int64 = 1_700_000_000
    package static let app = "shop"
    /// One of flexible sync.
    package static let flexibleApp = "items"

    package init() throws {
        directory = try LabDirectory()
        network = MemoryNetwork(time)
        var options = SyncOptions()
        options.threads = .loop(time)
        options.history.now = World.clock(time, skew: 0)
        // Bootstraps of few objects come in parts, too.
        options.limits.downloadBytes = 100_000
        options.flexible = { $0 == World.flexibleApp ? FlexibleConfiguration() : nil }
        self.options = options
        var service = AuthService(random: SeededRandom(seed: 3))
        for app in [World.app, World.flexibleApp] { _ = try service.createApp(app, now: World.epoch) }
        let time = time
        auth = AuthEndpoint(service, journal: NoJournal(), now: { World.epoch + time.now.components.seconds })
        try startServer()
    }

    /// A clock of a device, off by some milliseconds. Histories ask for it while the loop runs them.
    package static func clock(_ time: ManualScheduler, skew: Int64) -> @Sendable () -> UInt64 {
        {
            LoopActor.assumeIsolated { HistoryOptions.milliseconds(Double(epoch) + time.now.seconds) }
                &+ UInt64(bitPattern: skew)
        }
    }

    // MARK: The server

    package var isServerUp: Bool { front != nil }

    package func startServer() throws {
        let time = time
        let sync = SyncEndpoint(dataDirectory: directory.path, scheduler: time, options: options)
        self.sync = sync
        let front = ServerFront(
            network, scheduler: time, auth: auth,
            sync: sync.route(now: { World.epoch + time.now.components.seconds }))
        try front.listen(Endpoint("h", 80))
        self.front = front
    }

    /// The server ends in order; connections break.
    package func stopServer() {
        front?.close()
        front = nil
        var isDone = false
        sync?.shutDown { isDone = true }
        if !advance(until: { isDone }) { faults.append("the server doesn't end") }
        sync = nil
        cutAll()
    }

    package func cutAll() { for link in network.links { link.cut() } }

    // MARK: Agents

    package func agent(skew: Int64 = 0) throws -> SimulatedAgent {
        let agent = try SimulatedAgent(self, clock: World.clock(time, skew: skew))
        agents.append(agent)
        return agent
    }

    /// Lets time pass until a condition holds; false after an hour, and if the system doesn't come to rest.
    package func advance(until condition: () throws -> Bool) rethrows -> Bool {
        let end = time.now + .seconds(3600)
        while time.now < end {
            guard time.settle() else { return false }
            if try condition() { return true }
            time.advance(by: .milliseconds(250))
        }
        return try condition()
    }

    /// A partition as the server has it, once it is closed.
    package func serverState(_ partition: PartitionValue) throws -> Snapshot {
        let address = RealmAddress(appId: World.app, partition: partition)
        return try ServerRealm(path: directory.path + "/" + address.path).snapshot()
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
