import EventLoop
import History
import Store
import Sync
import TestSupport
import Testing

@testable import Agent
@testable import Server

/// A server and agents on a network in memory, in time moved by hand: all of the system but its processes and disks.
@LoopActor
final class World {
    let directory = TemporaryDirectory()
    let time = ManualScheduler()
    let network: MemoryNetwork
    let auth: AuthEndpoint
    private(set) var sync: SyncEndpoint?
    private var front: ServerFront?
    private let options: SyncOptions
    private(set) var agents: [SimulatedAgent] = []
    /// Seconds since 1970 when the time began.
    static let epoch: Int64 = 1_700_000_000
    static let app = "shop"
    /// One of flexible sync.
    static let flexibleApp = "items"

    init() throws {
        network = MemoryNetwork(time)
        var options = SyncOptions()
        options.threads = .loop(time)
        options.history.now = World.clock(time, skew: 0)
        // Bootstraps of few objects come in parts, too.
        options.limits.downloadBytes = 100_000
        options.flexible = { $0 == World.flexibleApp ? FlexibleConfiguration() : nil }
        self.options = options
        var service = AuthService(random: SeededGenerator(seed: 3))
        for app in [World.app, World.flexibleApp] { _ = try service.createApp(app, now: World.epoch) }
        let time = time
        auth = AuthEndpoint(service, journal: NoJournal(), now: { World.epoch + time.now.components.seconds })
        try startServer()
    }

    /// A clock of a device, off by some milliseconds. Histories ask for it while the loop runs them.
    static func clock(_ time: ManualScheduler, skew: Int64) -> @Sendable () -> UInt64 {
        {
            LoopActor.assumeIsolated { HistoryOptions.milliseconds(Double(epoch) + time.now.seconds) }
                &+ UInt64(bitPattern: skew)
        }
    }

    // MARK: The server

    var isServerUp: Bool { front != nil }

    func startServer() throws {
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
    func stopServer() {
        front?.close()
        front = nil
        var isDone = false
        sync?.shutDown { isDone = true }
        #expect(advance { isDone })
        sync = nil
        cutAll()
    }

    func cutAll() { for link in network.links { link.cut() } }

    // MARK: Agents

    func agent(skew: Int64 = 0) throws -> SimulatedAgent {
        let agent = try SimulatedAgent(self, number: agents.count, clock: World.clock(time, skew: skew))
        agents.append(agent)
        return agent
    }

    /// Lets time pass until a condition holds; false after an hour.
    func advance(until condition: () throws -> Bool) rethrows -> Bool {
        let end = time.now + .seconds(3600)
        while time.now < end {
            #expect(time.settle())
            if try condition() { return true }
            time.advance(by: .milliseconds(250))
        }
        return try condition()
    }

    /// The digest of a partition as the server has it, once it is closed.
    func serverDigest(_ partition: PartitionValue) throws -> String {
        let address = RealmAddress(appId: World.app, partition: partition)
        let realm = try ServerRealm(path: directory.path + "/" + address.path)
        #expect(try realm.snapshot().checkInvariants() == [])
        return try realm.snapshot().stateDigest()
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
