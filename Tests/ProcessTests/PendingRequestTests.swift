import Foundation
import Model
import TestSupport
import Testing
import Wire

/// Every request gets one reply, whatever happens to its handle or its connection meanwhile.
@Suite struct PendingRequestTests {
    private enum Outcome: Hashable {
        case result
        case error(String)
    }

    /// Reads until each of the requests has its reply.
    private func outcomes(_ client: BlockingClient, _ ids: [Int64]) throws -> [Int64: Outcome] {
        var outcomes: [Int64: Outcome] = [:]
        while !ids.allSatisfy({ outcomes[$0] != nil }) {
            let frame = try client.connection.receiveFrame(deadline: .now + .seconds(10))
            try frame.bytes.withUnsafeBytes { bytes in
                switch try UnsafeEnvelope(frame: bytes) {
                case .result(let id, _): outcomes[id] = .result
                case .failure(let id?, let error): outcomes[id] = .error(error.name)
                default: break
                }
            }
        }
        return outcomes
    }

    private func inFlight(_ name: String, _ witness: BlockingClient) throws -> Int32? {
        try witness.call(AgentStatus()).clients.first { $0.client == name }?.inFlight
    }

    @Test func requestsThatWaitAreCancelledWithTheirHandle() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let holder = try RawClient(agent)
        try holder.open(path)
        let begun = try holder.wire.call(WriteBegin(realm: holder.realm))
        let client = try RawClient(agent, "closer")
        try client.open(path)
        let waiting = try [
            client.wire.send(WriteCommit(realm: client.realm, changes: Bytes(Changes.create([1])), uid: UniqueId())),
            client.wire.send(ObjectPut(realm: client.realm, className: "Item", objects: [["id": .int64(2)]])),
            client.wire.send(WriteOutcome(realm: client.realm, uid: UniqueId())),
            client.wire.send(WriteBegin(realm: client.realm))
        ]
        // Without id it counts as well, until it is cancelled.
        try client.wire.notify(
            WriteCommit(realm: client.realm, changes: Bytes(Changes.create([3])), uid: UniqueId()))
        #expect(try eventually { try inFlight("closer", holder.wire) == 5 })
        let close = try client.wire.send(RealmClose(realm: client.realm))
        let outcomes = try outcomes(client.wire, waiting + [close])
        for id in waiting { #expect(outcomes[id] == .error("cancelled")) }
        #expect(outcomes[close] == .result)
        #expect(try inFlight("closer", holder.wire) == 0)
        _ = try holder.wire.call(WriteCancel(realm: holder.realm, transaction: begun.transaction))
        #expect(try holder.count() == 0)
    }

    @Test func aCommitThatRunsIsAnsweredThoughItsHandleIsClosed() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let witness = try RawClient(agent)
        try witness.open(path)
        let client = try RawClient(agent, "closer")
        for key in 0..<10 {
            try client.open(path)
            let commit = try client.wire.send(
                WriteCommit(realm: client.realm, changes: Bytes(Changes.create([Int64(key)])), uid: UniqueId()))
            let close = try client.wire.send(RealmClose(realm: client.realm))
            let outcomes = try outcomes(client.wire, [commit, close])
            #expect(outcomes[close] == .result)
            // The close may have come before the commit's turn: then nothing was written.
            let wasWritten = try witness.int(Int64(key)) != nil
            #expect(outcomes[commit] == (wasWritten ? .result : .error("cancelled")))
        }
        // An answer may leave before the loop knows of it.
        #expect(try eventually { try inFlight("closer", witness.wire) == 0 })
    }

    @Test func whoEndsItsDirectionGetsTheRepliesThatTakeTime() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let client = try RawClient(agent)
        try client.open(path)
        let ids = try [
            client.wire.send(WriteCommit(realm: client.realm, changes: Bytes(Changes.create([1])), uid: UniqueId())),
            client.wire.send(ReadCount(realm: client.realm, query: QueryRequest("Item")))
        ]
        client.wire.connection.shutdownWriting()
        #expect(try outcomes(client.wire, ids) == [ids[0]: .result, ids[1]: .result])
    }
}
