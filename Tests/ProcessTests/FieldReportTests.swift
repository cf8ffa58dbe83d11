import Foundation
import Model
import TestSupport
import Testing
import Wire

/// Reports from the field that concern the agent and its socket, each under its number.
@Suite struct FieldReportTests {
    @Test("R11 two clients that create a realm at the same instant share one") func firstCreation() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        for round in 0..<20 * soakFactor {
            let results = Outcomes()
            let gate = DispatchSemaphore(value: 0)
            for index in 0..<2 {
                Thread {
                    gate.wait()
                    do {
                        let client = try RawClient(agent, "client \(index)")
                        let created = try client.open(path).created
                        try client.commit(Changes.create([Int64(index)]), mustCreate: true)
                        results.add(created ? 1 : 0)
                    } catch {
                        results.add(-1)
                    }
                }.start()
            }
            gate.signal()
            gate.signal()
            #expect(eventually { results.all.count == 2 })
            // Whoever came first may have gone before the second came: then the second finds the file.
            #expect(results.all.sorted() == [0, 1], "round \(round)")
            let client = try RawClient(agent)
            try client.open(path)
            #expect(try client.count() == 2, "round \(round)")
            #expect(try client.wire.call(RealmVerify(target: .handle(client.realm))).problems == [])
            _ = try client.wire.call(RealmClose(realm: client.realm))
            #expect(
                eventually {
                    (try? client.wire.call(RealmDelete(path: path)))?.deleted ?? false
                })
        }
    }

    @Test("R14 a frozen client holds up nobody and hears of everything afterwards") func frozenClient() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let frozen = try RawClient(agent, "a1")
        try frozen.open(path, events: true)
        let subscription = try frozen.wire.call(Subscribe(realm: frozen.realm, query: QueryRequest("Item")))
        #expect(subscription.count == 0)
        // It reads nothing from here on, which is all that a stopped process does.
        let writer = try RawClient(agent, "a2")
        try writer.open(path)
        for key in 0..<10 { try writer.commit(Changes.create([Int64(key)])) }
        #expect(try writer.count() == 10)
        var insertions = 0
        while insertions < 10 {
            let event = try frozen.wire.nextEvent()
            if event.name == Changed.event.rawValue {
                let changed = try event.decoded(as: Changed.self)
                insertions += changed.insertions.count
                #expect(changed.deletions.count == 0 && !changed.reset)
            }
        }
        #expect(insertions == 10)
    }

    @Test("R16 a snapshot that is never released doesn't make the file grow without end") func pinnedForEver() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let reader = try RawClient(agent, "a1")
        try reader.open(path)
        try reader.commit(Changes.create(0..<1000, n: -1, blob: String(repeating: "b", count: 900)))
        let pin = try reader.wire.call(SnapshotPin(realm: reader.realm))
        let writer = try RawClient(agent, "a2")
        try writer.open(path)
        for round in 0..<2000 * min(5, soakFactor) {
            try writer.commit(Changes.set((0..<10).map { Int64((round * 10 + $0) % 1000) }, n: Int64(round)))
        }
        let info = try writer.wire.call(RealmInfo(target: .path(path)))
        let oldest = try #require(info.pins.first)
        #expect(oldest.client == "a1" && oldest.pid == getpid() && oldest.version <= pin.version)
        #expect(
            try eventually(within: .seconds(20)) {
                try writer.commit(Changes.set([0], n: 0))
                return try writer.wire.call(RealmInfo(target: .path(path))).fileSize <= 16 << 20
            })
        // The old snapshot is still what it was.
        #expect(try reader.int(999, pin: pin.pin) == -1)
        #expect(try reader.int(0) == 0)
        try reader.release([pin.pin])
    }

    @Test("R17 the space of deleted objects is used again") func insertAndDeleteAll() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let client = try RawClient(agent)
        try client.open(path)
        let idle = try RawClient(agent, "idle")
        try idle.open(path)
        var sizes: [Int64] = []
        for _ in 0..<20 {
            try client.commit(Changes.create(0..<10_000, n: 1, name: "a name like others"))
            try client.commit(Changes.erase(0..<10_000))
            sizes.append(try client.wire.call(RealmInfo(target: .path(path))).fileSize)
        }
        #expect(try client.count() == 0)
        #expect(Double(sizes[19]) <= 1.2 * Double(sizes[1]), "\(sizes)")
        #expect(try client.wire.call(RealmCompact(target: .path(path))).after <= 1 << 20)
    }

    @Test("R81 clients that hang up in the middle of an answer") func hangUps() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let witness = try RawClient(agent, "witness")
        try witness.open(path)
        try witness.commit(Changes.create(0..<1200, blob: String(repeating: "x", count: 4096)))
        _ = try witness.wire.call(AgentStatus())
        let before = try witness.wire.call(AgentStatus()).descriptors
        for _ in 0..<100 * min(10, soakFactor) {
            let client = try RawClient(agent, "hasty")
            try client.open(path)
            for _ in 0..<5 { try client.wire.send(ReadQuery(realm: client.realm, query: QueryRequest("Item"))) }
            var start = [UInt8](repeating: 0, count: 4)
            _ = try client.wire.connection.receive(deadline: .now + .seconds(10)) { frame, _ in
                start = Array(frame.prefix(4))
            }
            #expect(start != [0, 0, 0, 0])
            #expect(try witness.int(5) == 0)
        }
        #expect(try witness.wire.call(AgentStatus()).pid == agent.pid)
        #expect(
            try eventually {
                let status = try witness.wire.call(AgentStatus())
                return status.clients.count == 1 && status.descriptors <= before
            })
    }

    @Test("R84 paths given by clients don't lead elsewhere") func paths() throws {
        let agent = try AgentUnderTest().start()
        let client = try RawClient(agent)
        try client.open(agent.home.path("a.realm"))
        let outside = TemporaryDirectory()
        symlink(outside.path("target.realm"), agent.home.path("dangling.realm"))
        #expect(FileManager.default.createFile(atPath: outside.path("real.realm"), contents: nil))
        symlink(outside.path("real.realm"), agent.home.path("leaving.realm"))
        symlink("a.realm", agent.home.path("alias.realm"))
        mkdir(agent.home.path("directory.realm"), 0o700)
        link(agent.home.path("a.realm"), agent.home.path("hard.realm"))

        func refusal(_ path: String) -> WireError? {
            do {
                _ = try client.wire.call(RealmOpen(path: path, create: true))
                return nil
            } catch {
                return error as? WireError
            }
        }
        #expect(refusal(agent.home.path("leaving.realm"))?.code == .permissionDenied)
        #expect(refusal(agent.home.path("dangling.realm"))?.code == .fileNotFound)
        #expect(refusal(agent.home.path("directory.realm"))?.code == .notARealm)
        #expect(refusal(agent.home.path("missing/a.realm"))?.code == .fileNotFound)
        #expect(refusal(agent.home.path("hard.realm"))?.code == .alreadyOpen)
        #expect(refusal("/dev/null")?.code == .notARealm)
        #expect(refusal(agent.home.path("alias.realm")) == nil)
        #expect(try client.wire.call(AgentStatus()).realms.count == 1)
        #expect(access(outside.path("target.realm"), F_OK) != 0)

        let copy = #expect(throws: WireError.self) {
            try client.wire.call(
                RealmCopy(target: .handle(client.realm), destination: agent.home.path("leaving.realm")))
        }
        #expect(copy?.code == .permissionDenied)
        let over = #expect(throws: WireError.self) {
            try client.wire.call(RealmCopy(target: .handle(client.realm), destination: agent.home.path("a.realm")))
        }
        #expect(over?.code == .fileExists)
        #expect(
            try client.wire.call(
                RealmCopy(target: .handle(client.realm), destination: agent.home.path("copy.realm"))
            ).bytes > 0)
    }

    @Test("R86 an agent that is restarted under its clients loses and doubles nothing") func restarts() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let setUp = try RawClient(agent)
        try setUp.open(path)
        let clients = (0..<4).map { Persistent(Int64($0)) }
        for client in clients { client.start(agent, path: path) }
        for _ in 0..<5 {
            let before = clients.map(\.acknowledged)
            #expect(eventually { zip(clients, before).allSatisfy { $0.acknowledged > $1 + 5 } })
            agent.kill(SIGTERM)
            #expect(agent.waitForExit() == 0)
            try agent.start()
        }
        for client in clients { client.stop() }
        #expect(eventually { clients.allSatisfy(\.hasEnded) })
        #expect(clients.map(\.problem) == [nil, nil, nil, nil])
        let reader = try RawClient(agent)
        try reader.open(path)
        for client in clients {
            #expect(try reader.count("n == \(client.index)") == client.acknowledged)
        }
        #expect(try reader.wire.call(RealmVerify(target: .handle(reader.realm))).problems == [])
    }

    /// A client that keeps its uid over a lost connection, asks what became of the commit, and goes on.
    private final class Persistent: @unchecked Sendable {
        let index: Int64
        private let lock = NSLock()
        private var count: Int64 = 0
        private var stopped = false
        private var ended = false
        private var failure: String?

        init(_ index: Int64) { self.index = index }

        var acknowledged: Int64 { lock.withLock { count } }
        var hasEnded: Bool { lock.withLock { ended } }
        var problem: String? { lock.withLock { failure } }
        func stop() { lock.withLock { stopped = true } }

        func start(_ agent: AgentUnderTest, path: String) {
            Thread { [self] in
                do {
                    try run(agent, path)
                } catch {
                    lock.withLock { failure = "\(error)" }
                }
                lock.withLock { ended = true }
            }.start()
        }

        private func run(_ agent: AgentUnderTest, _ path: String) throws {
            var client = try reconnect(agent, path)
            while !lock.withLock({ stopped }) {
                let key = index << 32 | acknowledged
                let uid = UniqueId()
                while true {
                    do {
                        try client.commit(Changes.create([key], n: index), uid: uid, mustCreate: true)
                        break
                    } catch let error as WireError where error.code == .connectionLost || error.code == .shuttingDown {
                        client = try reconnect(agent, path)
                        if try client.wire.call(WriteOutcome(realm: client.realm, uid: uid)).version != nil { break }
                    }
                }
                lock.withLock { count += 1 }
            }
        }

        private func reconnect(_ agent: AgentUnderTest, _ path: String) throws -> RawClient {
            let deadline = ContinuousClock.now + .seconds(20)
            while true {
                do {
                    let client = try RawClient(agent, "client \(index)")
                    try client.open(path)
                    return client
                } catch let error as WireError where ContinuousClock.now < deadline {
                    guard [.agentUnavailable, .connectionLost, .shuttingDown].contains(error.code) else { throw error }
                    usleep(5000)
                }
            }
        }
    }

    @Test func aRealmThatIsDeletedWhileOpenIsNotWrittenAnyMore() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let client = try RawClient(agent)
        try client.open(path)
        try client.commit(Changes.create([1]))
        unlink(path)
        let error = #expect(throws: WireError.self) { try client.commit(Changes.create([2])) }
        #expect(error?.code == .fileNotFound)
        // What is open stays readable; who opens anew gets a new realm.
        #expect(try client.count() == 1)
        let other = try RawClient(agent)
        #expect(try other.open(path).created)
        try other.commit(Changes.create([3]))
        #expect(try other.count() == 1)
        #expect(try client.count() == 1)
    }

    @Test func compactionTellsEverybodyOfTheNewGeneration() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let client = try RawClient(agent)
        let opened = try client.open(path, events: true)
        let pin = try client.wire.call(SnapshotPin(realm: client.realm))
        let other = try RawClient(agent)
        try other.open(path)
        let reply = try other.wire.call(RealmCompact(target: .handle(other.realm)))
        #expect(reply.generation > opened.generation)
        let event = try client.wire.nextEvent().decoded(as: RealmChanged.self)
        #expect(event.generation == reply.generation)
        #expect(try client.wire.call(RealmReopen(realm: client.realm)).generation == reply.generation)
        #expect(
            try client.wire.call(ReadCount(realm: client.realm, pin: pin.pin, query: QueryRequest("Item"))).count == 0)
        try other.commit(Changes.create([1]))
        #expect(try client.count() == 1)
    }
}
