import Foundation
import Model
import TestSupport
import Testing
import Wire

/// Peers that mean harm or know no better: the agent stays up and the others are served.
@Suite struct HostileClientTests {
    /// Sends bytes and reads until the agent closes, or says nothing more for a moment.
    private func answer(_ agent: AgentUnderTest, to bytes: [UInt8]) throws -> [UInt8] {
        let connection = try agent.connectRaw()
        try connection.send(bytes, deadline: .now + .seconds(10))
        connection.shutdownWriting()
        var all: [UInt8] = []
        while let frame = try? connection.receiveFrame(deadline: .now + .seconds(10)) { all += frame.bytes }
        return all
    }

    private func expectAlive(_ agent: AgentUnderTest, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(agent.isRunning, "\(agent.output)", sourceLocation: sourceLocation)
        let status = try agent.connect("witness").call(AgentStatus())
        #expect(status.pid == agent.pid, sourceLocation: sourceLocation)
    }

    private func errorName(_ bytes: [UInt8]) -> String? {
        guard let document = try? BSONDocument(bytes: bytes), case .document(let error)? = document["error"],
            case .string(let name)? = error["name"]
        else { return nil }
        return name
    }

    private func hello() throws -> [UInt8] { try Hello(client: "hostile", pid: getpid()).frame(id: 1) }

    @Test func truncatedFramesAtEveryLength() throws {
        let agent = try AgentUnderTest().start()
        let frame = try hello()
        for length in 1..<frame.count {
            #expect(try answer(agent, to: Array(frame[..<length])).isEmpty)
        }
        try expectAlive(agent)
    }

    @Test(arguments: [Int32.max, 64 << 20, (32 << 20) + 1, -1, 0, 4, .min])
    func impossibleLengths(length: Int32) throws {
        let agent = try AgentUnderTest().start()
        let bytes = withUnsafeBytes(of: length.littleEndian) { Array($0) } + [UInt8](repeating: 0, count: 64)
        let name = errorName(try answer(agent, to: bytes))
        #expect(name == (length > 32 << 20 ? "frameTooLarge" : "badFrame"))
        try expectAlive(agent)
    }

    @Test func randomBytes() throws {
        let agent = try AgentUnderTest().start()
        let seed = randomSeed
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 * soakFactor {
            var bytes = (0..<Int.random(in: 1...300, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            // A plausible length gets the bytes past the first gate.
            if Bool.random(using: &random), bytes.count >= 5 {
                bytes[0] = UInt8(bytes.count & 0xFF)
                bytes[1] = UInt8(bytes.count >> 8)
                bytes[2] = 0
                bytes[3] = 0
                bytes[bytes.count - 1] = 0
            }
            _ = try answer(agent, to: bytes)
        }
        #expect(agent.isRunning, "seed \(seed)")
        try expectAlive(agent)
    }

    /// Every request with bytes flipped: understood, refused, or the connection ends; nothing else.
    @Test func mutatedRequests() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let seed = randomSeed
        var random = SeededGenerator(seed: seed)
        let requests: [[UInt8]] = [
            try RealmOpen(path: path, schema: RawClient.schema, create: true, events: true).frame(id: 2),
            try ReadQuery(
                realm: 1,
                query: QueryRequest(
                    "Item", filter: "n > $0 AND name BEGINSWITH 'a'", arguments: [.value(.int(3))],
                    sort: [SortCriterion("n")], distinct: ["name"], limit: 5)
            ).frame(id: 3),
            try WriteCommit(realm: 1, changes: Bytes(Changes.create([1, 2, 3])), uid: UniqueId()).frame(id: 4),
            try ObjectPut(realm: 1, className: "Item", objects: [["id": .int64(5), "name": .string("x")]]).frame(id: 5),
            try Subscribe(realm: 1, query: QueryRequest("Item"), initial: true).frame(id: 6),
            try ReadAggregate(realm: 1, query: QueryRequest("Item"), function: .sum, property: "n").frame(id: 7),
            try WriteBegin(realm: 1).frame(id: 8), try SnapshotRelease(realm: 1, pins: [1, 2, 3]).frame(id: nil),
            try WriteOutcome(realm: 1, uid: UniqueId()).frame(id: 9),
            try ReadNext(cursor: 1).frame(id: 10), try RealmInfo(target: .handle(1)).frame(id: 11)
        ]
        for _ in 0..<100 * soakFactor {
            var bytes = try hello()
            for request in requests {
                var mutated = request
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    // The length stays, or only the first mutation would ever be looked at.
                    mutated[Int.random(in: 4..<mutated.count, using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
                bytes += mutated
            }
            _ = try answer(agent, to: bytes)
        }
        #expect(agent.isRunning, "seed \(seed)")
        try expectAlive(agent)
        let client = try RawClient(agent)
        try client.open(path)
        #expect(try client.wire.call(RealmVerify(target: .handle(client.realm))).problems == [])
    }

    @Test func deepDocuments() throws {
        let agent = try AgentUnderTest().start()
        for depth in [90, 257, 5_000, 100_000] {
            var body: [UInt8] = [5, 0, 0, 0, 0]
            for _ in 0..<depth {
                let length = UInt32(body.count + 8)
                body = withUnsafeBytes(of: length.littleEndian) { Array($0) } + [3, 0x61, 0] + body + [0]
                if body.count > 1 << 20 { break }
            }
            _ = try answer(agent, to: body)
        }
        try expectAlive(agent)
    }

    @Test func requestsBeforeHelloEndTheConnection() throws {
        let agent = try AgentUnderTest().start()
        let bytes = try answer(agent, to: AgentStatus().frame(id: 1))
        #expect(String(decoding: bytes, as: UTF8.self).contains("helloRequired"))
    }

    @Test func unknownMethodsAreRefusedAndTheConversationGoesOn() throws {
        let agent = try AgentUnderTest().start()
        let client = try agent.connect()
        let request: BSONDocument = ["id": .int64(77), "method": .string("realm.explode")]
        try client.connection.send(request.encoded())
        #expect(errorName(try client.connection.receiveFrame(deadline: .now + .seconds(10)).bytes) == "unknownMethod")
        #expect(try client.call(AgentStatus()).pid == agent.pid)
    }

    @Test func wrongHandlesAreRefusedByName() throws {
        let agent = try AgentUnderTest().start()
        let client = try RawClient(agent)
        try client.open(agent.home.path("a.realm"))
        func code(_ body: () throws -> Void) -> String? {
            do {
                try body()
                return nil
            } catch {
                return (error as? WireError)?.name
            }
        }
        #expect(code { _ = try client.wire.call(WriteBegin(realm: 77)) } == "unknownRealm")
        #expect(
            code { _ = try client.wire.call(ReadCount(realm: client.realm, pin: 999, query: QueryRequest("Item"))) }
                == "unknownPin")
        #expect(code { _ = try client.wire.call(ReadNext(cursor: 999)) } == "unknownCursor")
        #expect(code { _ = try client.wire.call(Unsubscribe(subscription: 999)) } == "unknownSubscription")
        #expect(
            code { _ = try client.wire.call(WriteCancel(realm: client.realm, transaction: 9)) } == "unknownTransaction")
        #expect(
            code { _ = try client.wire.call(ReadCount(realm: client.realm, query: QueryRequest("Nothing"))) }
                == "unknownClass")
        #expect(code { _ = try client.count("n >") } == "badQuery")
        #expect(code { _ = try client.wire.call(RealmOpen(path: "relative", create: true)) } == "badParams")
        #expect(
            code { _ = try client.wire.call(RealmOpen(path: agent.home.path("none.realm"))) } == "fileNotFound")
    }

    @Test func aHalfClosedConnectionGetsWhatItAskedFor() throws {
        let agent = try AgentUnderTest().start()
        let bytes = try answer(agent, to: hello() + AgentStatus().frame(id: 2))
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("limits") && text.contains("uptimeMs"))
    }

    @Test func aClientThatNeverReadsIsLetGoAndTheOthersAreServed() throws {
        let agent = try AgentUnderTest(environment: ["REEVE_SLOW_READER_S": "1"]).start()
        let path = agent.home.path("a.realm")
        let writer = try RawClient(agent)
        try writer.open(path)
        try writer.commit(Changes.create(0..<300, blob: String(repeating: "x", count: 4000)))
        let deaf = try RawClient(agent)
        try deaf.open(path)
        let query = ReadQuery(realm: deaf.realm, query: QueryRequest("Item"))
        // A thread, since the agent will stop reading what this client sends.
        let thread = Thread { for _ in 0..<5000 { if (try? deaf.wire.send(query)) == nil { return } } }
        thread.start()
        #expect(
            try eventually(within: .seconds(30)) {
                try writer.int(1) != nil && writer.wire.call(AgentStatus()).clients.count == 1
            })
        #expect(agent.output.contains("slowReader"))
        #expect(try writer.wire.call(AgentStatus()).residentBytes < 200 << 20)
        deaf.wire.connection.shutdown()
    }

    @Test func twoHundredClientsAtOnce() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let clients = try (0..<200).map { try RawClient(agent, "client \($0)") }
        for client in clients { try client.open(path, events: true) }
        for (index, client) in clients.enumerated() { try client.commit(Changes.create([Int64(index)])) }
        #expect(try clients[0].count() == 200)
        #expect(try clients[0].wire.call(AgentStatus()).clients.count == 200)
    }

    @Test func outOfDescriptorsItRefusesAndRecovers() throws {
        let agent = try AgentUnderTest()
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", "ulimit -n 64; exec '\(AgentUnderTest.binary)' agent"]
        shell.environment = [
            "HOME": agent.home.path, "REEVE_SOCKET": agent.location.path, "SWIFT_BACKTRACE": "enable=no"
        ]
        shell.standardError = FileHandle.nullDevice
        try shell.run()
        defer { kill(shell.processIdentifier, SIGKILL) }
        #expect(eventually(within: .seconds(20)) { (try? agent.connect()) != nil })
        let witness = try agent.connect("witness")
        var crowd: [BlockingConnection] = []
        for _ in 0..<100 { if let connection = try? agent.connectRaw() { crowd.append(connection) } }
        let error = #expect(throws: WireError.self) { _ = try agent.connect(timeout: .seconds(10)) }
        #expect(error?.code == .outOfResources || error?.code == .connectionLost)
        #expect(try witness.call(AgentStatus()).pid == shell.processIdentifier)
        crowd = []
        #expect(eventually(within: .seconds(20)) { (try? agent.connect(timeout: .seconds(2))) != nil })
    }
}
