import EventLoop
import Lab
import Model
import Store
import Sync
import TestSupport
import Testing

@testable import Agent
@testable import Server

/// One run of the whole system from a seed: random writes of some devices in two partitions, while connections break,
/// agents and the server die, and tokens expire; then peace, and a look at what is left.
@LoopActor
struct RandomSystem {
    private let seed: UInt64
    private var generator: SeededGenerator
    private var apps: [RandomApp] = []
    /// Keys of the objects that each partition was given for good.
    private var marks: [String: Set<Int64>] = ["p": [], "q": []]
    private var nextMark: Int64 = 1_000

    init(seed: UInt64) {
        self.seed = seed
        generator = SeededGenerator(seed: seed)
    }

    private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

    mutating func run() throws {
        let comment = Comment(rawValue: "seed \(seed)")
        let world = try World()
        let count = 2 + below(2)
        for number in 0..<count {
            let agent = try world.agent(skew: Int64(below(4_000)) - 2_000)
            apps.append(RandomApp(seed: seed &* 31 &+ UInt64(number)))
            for partition in below(3) == 0 ? ["p", "q"] : [number % 2 == 0 ? "p" : "q", "p"] {
                guard agent.files[partition] == nil else { continue }
                try agent.open(partition)
                try agent.write(partition, RandomApp.schema)
            }
            agent.logIn()
        }
        for _ in 0..<120 { try step(world) }
        try settle(world, comment)
        try check(world, comment)
    }

    private mutating func step(_ world: World) throws {
        let place = below(world.agents.count)
        let agent = world.agents[place]
        let partitions = agent.files.keys.sorted()
        let partition = partitions[below(partitions.count)]
        switch below(24) {
        case 0: world.cutAll()
        case 1: world.network.isReachable.toggle()
        case 2: for link in world.network.links where below(3) == 0 { link.isStalled.toggle() }
        case 3: try agent.restart()
        case 4 where below(3) == 0: if world.isServerUp { world.stopServer() } else { try world.startServer() }
        case 5: world.time.advance(by: .seconds(below(6) == 0 ? 4_000 : 60))
        case 6..<9:
            let key = nextMark
            nextMark += 1
            try agent.write(partition, [.createObject(className: "Dog", key: .int(key))])
            marks[partition]?.insert(key)
        case 9..<15:
            guard let file = agent.files[partition] else { return }
            try agent.write(partition, apps[place].transaction(file.snapshot()))
        default: world.time.advance(by: .milliseconds(below(400)))
        }
    }

    /// Everything works again, and all have the time they need.
    private func settle(_ world: World, _ comment: Comment) throws {
        world.network.isReachable = true
        for link in world.network.links { link.isStalled = false }
        if !world.isServerUp { try world.startServer() }
        for agent in world.agents where agent.user == nil { agent.logIn() }
        // All have sent what they have, then all have what all have sent.
        for isDownload in [false, true] {
            var open = 0
            for agent in world.agents {
                #expect(world.advance { agent.link != nil }, comment)
                agent.link?.reconnectNow()
                for file in agent.files.values {
                    open += 1
                    let done: @LoopActor (Bool) -> Void = { isDone in
                        #expect(isDone, comment)
                        counter.count -= 1
                    }
                    counter.count += 1
                    if isDownload {
                        agent.link?.awaitDownload(file.session, completion: done)
                    } else {
                        agent.link?.awaitUpload(file.session, completion: done)
                    }
                }
            }
            #expect(world.advance { counter.count == 0 }, comment)
        }
    }

    private let counter = Counter()

    @LoopActor
    private final class Counter {
        var count = 0
    }

    private func check(_ world: World, _ comment: Comment) throws {
        world.stopServer()
        #expect(world.faults == [], comment)
        for (partition, marks) in marks {
            let files = world.agents.compactMap { $0.files[partition] }
            guard !files.isEmpty else { continue }
            let state = try world.serverState(.string(partition))
            #expect(state.checkInvariants() == [], comment)
            let digest = state.stateDigest()
            for file in files {
                let snapshot = try file.snapshot()
                #expect(snapshot.stateDigest() == digest, comment)
                #expect(snapshot.checkInvariants() == [], comment)
                let table = try #require(snapshot.table(named: "Dog"), comment)
                for mark in marks { #expect(table.find(.int(mark)) != nil, "\(comment), mark \(mark)") }
                for (other, marks) in self.marks where other != partition {
                    for mark in marks { #expect(table.find(.int(mark)) == nil, "\(comment): leak of \(mark)") }
                }
                #expect(file.resets == [], comment)
                #expect(file.reports.filter(\.isFatal).map(\.message) == [], comment)
            }
        }
    }
}
