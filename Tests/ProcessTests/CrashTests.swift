import Foundation
import Model
import TestSupport
import Testing
import Wire

/// `kill -9` at random moments: what was acknowledged is there, whole and in order; what wasn't is there whole or not.
@Suite(.serialized) struct CrashTests {
    /// Objects that one transaction creates; together they are the transaction.
    private static let group: Int64 = 5

    /// A writer of its own thread: transaction after transaction, each creating `group` objects with the number of the
    /// transaction as `n`, in the writer's own range of keys. Remembers what was acknowledged.
    private final class Writer: @unchecked Sendable {
        private let lock = NSLock()
        private var last: Int64 = -1
        private var ended = false
        let index: Int64
        let first: Int64

        init(_ index: Int64, first: Int64) {
            self.index = index
            self.first = first
        }

        /// Number of the last acknowledged transaction; below `first` if none was.
        var acknowledged: Int64 { lock.withLock { max(last, first - 1) } }
        var hasEnded: Bool { lock.withLock { ended } }

        func start(_ agent: AgentUnderTest, path: String, seed: UInt64) {
            Thread { [self] in
                var random = SeededGenerator(seed: seed)
                // Whatever ends it, the agent's death or its own connection's: it has seen what was acknowledged.
                try? run(agent, path, &random)
                lock.withLock { ended = true }
            }.start()
        }

        private func run(_ agent: AgentUnderTest, _ path: String, _ random: inout SeededGenerator) throws {
            let client = try RawClient(agent, "writer \(index)", timeout: .seconds(20))
            try client.open(path, events: true)
            var number = first
            while true {
                let keys = CrashTests.keys(index, number)
                let size = Int.random(in: 0...2000, using: &random)
                let changes = Changes.create(keys, n: number, blob: String(repeating: "b", count: size))
                if Bool.random(using: &random) {
                    try client.commit(changes)
                } else {
                    try client.transaction { _ in changes }
                }
                lock.withLock { last = number }
                number += 1
            }
        }
    }

    private static func keys(_ writer: Int64, _ number: Int64) -> [Int64] {
        (0..<group).map { writer << 40 | number * group + $0 }
    }

    /// Number of the transactions of a writer that are there. Each must be whole, and none may be missing before the last.
    private func check(_ client: RawClient, _ writer: Int64, acknowledged: Int64, _ note: Comment) throws -> Int64 {
        var found: Int64 = 0
        let low = writer << 40
        let query = QueryRequest(
            "Item", filter: "id >= $0 AND id < $1",
            arguments: [.value(.int(low)), .value(.int((writer + 1) << 40))])
        var reply = try client.wire.call(
            ReadQuery(realm: client.realm, query: query, form: ObjectForm(properties: ["id", "n"])))
        var objects = reply.objects ?? []
        while let cursor = reply.cursor {
            reply = try client.wire.call(ReadNext(cursor: cursor))
            objects += reply.objects ?? []
        }
        var count: [Int64: Int64] = [:]
        for object in objects {
            guard case .int64(let id)? = object["id"], case .int64(let n)? = object["n"] else {
                throw TestFailure("an object without values")
            }
            #expect((id - low) / Self.group == n, note)
            count[n, default: 0] += 1
        }
        while count[found] == Self.group { found += 1 }
        #expect(count.count == Int(found), "a transaction is missing or torn; \(note)")
        #expect(found > acknowledged, "acknowledged \(acknowledged), found \(found); \(note)")
        return found
    }

    @Test func theAgentIsKilledUnderLoad() throws {
        let agent = try AgentUnderTest()
        let path = agent.home.path("a.realm")
        let seed = randomSeed
        var random = SeededGenerator(seed: seed)
        var next: [Int64] = [0, 0, 0, 0]
        for round in 0..<6 * soakFactor {
            try agent.start()
            let writers = next.indices.map { Writer(Int64($0), first: next[$0]) }
            for writer in writers { writer.start(agent, path: path, seed: random.next()) }
            let before = writers.map(\.acknowledged)
            _ = eventually(within: .seconds(20)) { zip(writers, before).allSatisfy { $0.acknowledged > $1 } }
            usleep(UInt32.random(in: 0...60_000, using: &random))
            agent.kill(SIGKILL)
            #expect(eventually(within: .seconds(30)) { writers.allSatisfy(\.hasEnded) })

            try agent.start()
            let client = try RawClient(agent)
            try client.open(path)
            for writer in writers {
                next[Int(writer.index)] = try check(
                    client, writer.index, acknowledged: writer.acknowledged, "round \(round), seed \(seed)")
            }
            let report = try client.wire.call(RealmVerify(target: .handle(client.realm)))
            #expect(report.problems == [], "round \(round), seed \(seed)")
            agent.kill(round % 2 == 0 ? SIGKILL : SIGTERM)
            #expect(agent.waitForExit() != nil)
        }
    }

    @Test func writersAreKilledUnderLoad() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let witness = try RawClient(agent)
        try witness.open(path)
        let seed = randomSeed
        var random = SeededGenerator(seed: seed)
        var next: Int64 = 0
        for round in 0..<10 * soakFactor {
            // A process of its own, since threads can't be killed: it writes without end and prints what was
            // acknowledged.
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["python3", "-c", Self.pythonWriter, agent.location.path, path, "9", "\(next)"]
            process.standardOutput = output
            process.standardError = FileHandle.standardError
            try process.run()
            let first = output.fileHandleForReading.availableData
            usleep(UInt32.random(in: 0...30_000, using: &random))
            kill(process.processIdentifier, SIGKILL)
            let rest = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            let lines = String(decoding: first + rest, as: UTF8.self).split(
                separator: "\n", omittingEmptySubsequences: false)
            // The last line may be cut.
            let acknowledged = lines.dropLast().last.flatMap { Int64($0) } ?? next - 1
            #expect(eventually { (try? witness.wire.call(AgentStatus()).clients.count) == 1 })
            try witness.transaction { _ in Changes.create([Int64(1) << 50 + Int64(round)]) }
            next = try check(witness, 9, acknowledged: acknowledged, "round \(round), seed \(seed)")
            #expect(try witness.wire.call(RealmVerify(target: .handle(witness.realm))).problems == [])
        }
    }

    /// Writes through `object.put`, one group of objects a transaction; half of the time it dies with a transaction open.
    private static let pythonWriter = """
        import socket, struct, sys
        path, realm, writer, number = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
        def element(key, value):
            k = key.encode() + b"\\0"
            if isinstance(value, bool): return b"\\x08" + k + (b"\\1" if value else b"\\0")
            if isinstance(value, int): return b"\\x12" + k + struct.pack("<q", value)
            if isinstance(value, str):
                b = value.encode() + b"\\0"
                return b"\\x02" + k + struct.pack("<i", len(b)) + b
            if isinstance(value, list):
                return b"\\x04" + k + document({str(i): v for i, v in enumerate(value)})
            return b"\\x03" + k + document(value)
        def document(d):
            body = b"".join(element(k, v) for k, v in d.items())
            return struct.pack("<i", len(body) + 5) + body + b"\\0"
        s = socket.socket(socket.AF_UNIX); s.connect(path)
        last = 0
        def call(method, params):
            global last
            last += 1
            s.sendall(document({"id": last, "method": method, "params": params}))
            data = b""
            while len(data) < 4 or len(data) < struct.unpack("<i", data[:4])[0]:
                part = s.recv(65536)
                if not part: sys.exit("closed")
                data += part
            if b"error" in data[:40]: sys.exit(repr(data))
        call("hello", {"protocol": 1, "client": "python", "pid": 1})
        call("realm.open", {"path": realm})
        while True:
            objects = [{"id": (writer << 40) + number * 5 + i, "n": number} for i in range(5)]
            call("object.put", {"realm": 1, "class": "Item", "objects": objects})
            print(number, flush=True)
            number += 1
        """
}
