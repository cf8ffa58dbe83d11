import Foundation
import Model
import TestSupport
import Testing
import Wire

/// Clients that ask for more than the agent can keep: they wait or are refused, it stays small, the others are served.
@Suite struct FloodTests {
    private let path: String
    private let agent: AgentUnderTest

    init() throws {
        agent = try AgentUnderTest(environment: [
            "REEVE_WRITE_STALL_MS": "60000", "REEVE_TRANSACTION_LIMIT": "8000000", "REEVE_SNAPSHOTS": "64"
        ]).start()
        path = agent.home.path("a.realm")
    }

    private func client(_ name: String) throws -> RawClient {
        let client = try RawClient(agent, name)
        try client.open(path)
        return client
    }

    private func inFlight(_ name: String, _ witness: BlockingClient) throws -> Int32 {
        try witness.call(AgentStatus()).clients.first { $0.client == name }?.inFlight ?? 0
    }

    /// More than a connection's queue may hold, asked for in one breath.
    @Test func manyPointReadsOfMuchAreAnsweredAsTheyAreTaken() throws {
        let reader = try client("reader")
        try reader.commit(Changes.create([1], blob: String(repeating: "x", count: 2 << 20)))
        let request = ReadGet(realm: reader.realm, className: "Item", key: .int(1))
        let ids = try (0..<100).map { _ in try reader.wire.send(request) }
        let witness = try agent.connect("witness")
        #expect(try eventually { try witness.call(AgentStatus()).clients.contains { $0.queuedBytes > 1 << 20 } })
        #expect(try witness.call(AgentStatus()).residentBytes < 150 << 20)
        for _ in ids {
            #expect(try reader.wire.connection.receiveFrame(deadline: .now + .seconds(30)).bytes.count > 2 << 20)
        }
        #expect(try reader.int(1) == 0)
    }

    @Test func commitsThatWaitAreLeftInTheSocketBeyondALimit() throws {
        let holder = try client("holder")
        let begun = try holder.wire.call(WriteBegin(realm: holder.realm))
        let flooder = try client("flooder")
        flooder.wire.timeout = .seconds(3)
        let changes = Bytes(Changes.create([1], blob: String(repeating: "x", count: 4 << 20)))
        let error = #expect(throws: WireError.self) {
            for _ in 0..<100 {
                try flooder.wire.notify(WriteCommit(realm: flooder.realm, changes: changes, uid: UniqueId()))
            }
        }
        #expect(error?.code == .timedOut)
        #expect(try (10...20).contains(inFlight("flooder", holder.wire)))
        _ = try holder.wire.call(WriteCancel(realm: holder.realm, transaction: begun.transaction))
    }

    @Test func whatWasLeftInTheSocketIsTakenLater() throws {
        let holder = try client("holder")
        let begun = try holder.wire.call(WriteBegin(realm: holder.realm))
        let flooder = try client("flooder")
        let blob = String(repeating: "x", count: 4 << 20)
        let thread = Thread {
            for key in 0..<24 {
                let changes = Bytes(Changes.create([Int64(key)], blob: blob))
                _ = try? flooder.wire.send(WriteCommit(realm: flooder.realm, changes: changes, uid: UniqueId()))
            }
        }
        thread.start()
        #expect(try eventually(within: .seconds(30)) { try inFlight("flooder", holder.wire) >= 16 })
        _ = try holder.wire.call(WriteCancel(realm: holder.realm, transaction: begun.transaction))
        #expect(try eventually(within: .seconds(30)) { try holder.count() == 24 })
    }

    /// Its own commits wait for the end of its own transaction, so that must be read behind them.
    @Test func whoHoldsATransactionIsNotHeldUpByWhatWaits() throws {
        let client = try client("holder")
        let other = try client.wire.call(RealmOpen(path: path))
        let begun = try client.wire.call(WriteBegin(realm: client.realm))
        let changes = Bytes(Changes.create([1], blob: String(repeating: "x", count: 4 << 20)))
        for _ in 0..<20 {
            try client.wire.notify(WriteCommit(realm: other.realm, changes: changes, uid: UniqueId()))
        }
        let reply = try client.wire.call(
            WriteCommit(
                realm: client.realm, transaction: begun.transaction, changes: Bytes(Changes.create([2])),
                uid: UniqueId()))
        #expect(reply.version > begun.version)
        #expect(try eventually(within: .seconds(30)) { try client.count() == 2 })
    }

    @Test func aTransactionBeyondTheLimitIsUndone() throws {
        let client = try client("writer")
        let begun = try client.wire.call(WriteBegin(realm: client.realm))
        var writer = ChangesetWriter()
        let blob = Value.string(String(repeating: "x", count: 3_000_000))
        for key in 0..<3 {
            let path = InstructionPath("Item", .int(Int64(key)), "blob")
            writer.append(.createObject(className: "Item", key: .int(Int64(key))))
            writer.append(.update(path, .value(blob), isDefault: false))
            let bytes = Bytes([UInt8](writer.streamedBytes))
            writer.removeAll(keepingStrings: true)
            try client.wire.notify(
                WriteAppend(realm: client.realm, transaction: begun.transaction, changes: bytes))
        }
        let error = #expect(throws: WireError.self) {
            try client.wire.call(
                WriteCommit(realm: client.realm, transaction: begun.transaction, changes: Bytes([]), uid: UniqueId()))
        }
        #expect(error?.code == .transactionTooLarge)
        #expect(error?.facts["limit"] == .int64(8_000_000))
        #expect(try client.count() == 0)
        try client.transaction { _ in Changes.create([1]) }
        #expect(try client.count() == 1)
    }

    @Test func whoKeepsAllSnapshotsIsLetGoAndTheOthersCommit() throws {
        let modest = try client("modest")
        let hoarder = try client("hoarder")
        #expect(throws: WireError.self) {
            for key in 0..<100 {
                let changes = Bytes(Changes.create([Int64(key)]))
                _ = try hoarder.wire.call(WriteCommit(realm: hoarder.realm, changes: changes, uid: UniqueId()))
                try modest.commit(Changes.create([1000 + Int64(key)]))
            }
        }
        #expect(agent.output.contains("(tooManyHandles)"))
        #expect(agent.output.contains("hoarder (pid \(getpid())) dismissed: "), "\(agent.output)")
        for key in 0..<20 { try modest.commit(Changes.create([2000 + Int64(key)])) }
        #expect(try modest.count("id >= 2000") == 20)
    }
}
