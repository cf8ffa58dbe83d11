import EventLoop
import History
import Model
import Store
import Sync

/// One run of the laboratory: devices write at random in a realm that they share, while connections break, agents and the
/// server die and machines sleep; then peace, and a look at who has what. The same seed gives the same run.
@LoopActor
struct LabRun {
    private let schema: RealmSchema
    private let options: LabOptions
    private let seed: UInt64
    private let world: World
    private var random: SeededRandom
    private var works: [RandomWork] = []
    private var ledger: Ledger
    private var asleep: Set<Int> = []
    private(set) var outcome: LabOutcome

    private static let partition = "lab"

    init(_ schema: RealmSchema, _ options: LabOptions, seed: UInt64) throws {
        self.schema = schema
        self.options = options
        self.seed = seed
        world = try World()
        random = SeededRandom(seed: seed)
        ledger = Ledger(schema)
        outcome = LabOutcome(seed: seed)
    }

    mutating func run() throws -> LabOutcome {
        for number in 0..<options.devices {
            // Some clocks are off.
            let agent = try world.agent(skew: Int64(random.below(4_000)) - 2_000)
            agent.clockOff = Int64(random.any(of: [0, 0, -600, 600]))
            try agent.open(Self.partition)
            works.append(RandomWork(schema, seed: seed &* 31 &+ UInt64(number)))
            if let file = agent.files[Self.partition] {
                try write(agent, number, file.snapshot().schema.instructions(adding: schema))
            }
            agent.logIn()
        }
        for step in 0..<options.steps where outcome.findings.isEmpty {
            do { try take(step) } catch {
                outcome.findings.append("step \(step): \(error)")
            }
        }
        if outcome.findings.isEmpty { try settle() }
        if outcome.findings.isEmpty { try check() }
        outcome.findings += world.faults
        return outcome
    }

    // MARK: Steps

    private mutating func take(_ step: Int) throws {
        let place = random.below(world.agents.count)
        let agent = world.agents[place]
        switch random.below(26) {
        case 0:
            world.cutAll()
            outcome.faults += 1
        case 1:
            world.network.isReachable.toggle()
            outcome.faults += 1
        case 2: for link in world.network.links where random.oneIn(3) { link.isStalled.toggle() }
        case 3:
            guard !asleep.contains(place) else { return }
            try agent.restart()
            outcome.restarts += 1
        case 4 where random.oneIn(3):
            if world.isServerUp { world.stopServer() } else { try world.startServer() }
            outcome.restarts += 1
        case 5: world.time.advance(by: .seconds(random.oneIn(6) ? 4_000 : 60))
        case 6:
            if asleep.remove(place) != nil {
                agent.wake()
            } else if random.oneIn(3) {
                asleep.insert(place)
                agent.sleep()
            }
        case 7..<18:
            guard !asleep.contains(place) else { return }
            try write(place, agent)
        default: world.time.advance(by: .milliseconds(random.below(400)))
        }
        try look(place, agent, at: step)
    }

    private mutating func write(_ place: Int, _ agent: SimulatedAgent) throws {
        guard let file = agent.files[Self.partition] else { return }
        let snapshot = try file.snapshot()
        let kept = random.oneIn(4) ? ledger.entry(snapshot, &random) : nil
        let instructions = kept?.instructions ?? works[place].transaction(snapshot)
        try write(agent, place, instructions)
        if let kept { ledger.acknowledged(kept) }
    }

    private mutating func write(_ agent: SimulatedAgent, _ place: Int, _ instructions: [Instruction]) throws {
        guard !instructions.isEmpty else { return }
        try agent.write(Self.partition, instructions)
        outcome.transactions += 1
    }

    /// Reads never go back in time.
    private mutating func look(_ place: Int, _ agent: SimulatedAgent, at step: Int) throws {
        guard let file = agent.files[Self.partition] else { return }
        for finding in try ledger.look(file.snapshot(), reader: place) {
            outcome.findings.append("step \(step), device \(place + 1): \(finding)")
        }
    }

    // MARK: The end

    /// Everything works again, and all have the time they need.
    private mutating func settle() throws {
        for place in asleep.sorted() { world.agents[place].wake() }
        world.network.isReachable = true
        for link in world.network.links { link.isStalled = false }
        if !world.isServerUp { try world.startServer() }
        for agent in world.agents where agent.user == nil { agent.logIn() }
        guard world.advance(until: { world.agents.allSatisfy { $0.link != nil } }) else {
            return outcome.findings.append("a device can't log in")
        }
        // All have sent what they have, then all have what all have sent.
        for isDownload in [false, true] {
            let waiting = Waiting()
            for agent in world.agents {
                agent.link?.reconnectNow()
                guard let session = agent.files[Self.partition]?.session else { continue }
                waiting.count += 1
                let done: @LoopActor (Bool) -> Void = { isDone in
                    waiting.count -= 1
                    if !isDone { waiting.failures += 1 }
                }
                if isDownload {
                    agent.link?.awaitDownload(session, completion: done)
                } else {
                    agent.link?.awaitUpload(session, completion: done)
                }
            }
            let isDone = world.advance { waiting.count == 0 }
            guard isDone, waiting.failures == 0 else {
                return outcome.findings.append(
                    "\(isDownload ? "downloading" : "uploading") doesn't end: \(waiting.count) devices wait for ever, "
                        + "\(waiting.failures) were refused")
            }
        }
    }

    @LoopActor
    private final class Waiting {
        var count = 0
        var failures = 0
    }

    private mutating func check() throws {
        world.stopServer()
        let server = try world.serverState(.string(Self.partition))
        var states = [("the server", server)]
        for (place, agent) in world.agents.enumerated() {
            guard let file = agent.files[Self.partition] else { continue }
            states.append(("device \(place + 1)", try file.snapshot()))
            for report in file.resets + file.reports.filter(\.isFatal) {
                outcome.findings.append("device \(place + 1) was told: \(report.message)")
            }
        }
        let digest = server.stateDigest()
        for (name, state) in states {
            outcome.findings += state.checkInvariants().map { "\(name): \($0)" }
            outcome.findings += ledger.missing(in: state).map { "\(name): \($0)" }
            if state.stateDigest() != digest { outcome.findings.append("\(name) has other data than the server") }
        }
        for table in server.schema.tables {
            outcome.objects += server.table(named: table.name)?.count ?? 0
        }
    }
}
