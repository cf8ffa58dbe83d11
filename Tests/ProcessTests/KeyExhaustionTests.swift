import Model
import TestSupport
import Testing
import Wire

/// The keys that the agent gives to objects without primary key are numbers, which a client can use up.
@Suite struct KeyExhaustionTests {
    @Test func classesWithoutPrimaryKeyRunOutOfKeysWithAnError() throws {
        let agent = try AgentUnderTest().start()
        let schema = RealmSchema([ClassSchema("Plain", [PropertySchema("n", .int)])])
        func create(_ low: UInt64) -> Bytes {
            var writer = ChangesetWriter()
            writer.append(.createObject(className: "Plain", key: .global(high: 0, low: low)))
            return Bytes(writer.finished())
        }
        let client = try agent.connect()
        let realm = try client.call(RealmOpen(path: agent.home.path("a.realm"), schema: schema, create: true)).realm
        for low in [UInt64.max, UInt64.max - 1, 1 << 63] as [UInt64] {
            let error = #expect(throws: WireError.self) {
                try client.call(WriteCommit(realm: realm, changes: create(low), uid: UniqueId()))
            }
            #expect(error?.code == .badChangeset)
        }
        let put = ObjectPut(realm: realm, className: "Plain", objects: [["n": .int64(1)]])
        #expect(try client.call(put).created == 1)
        _ = try client.call(WriteCommit(realm: realm, changes: create(UInt64(Int64.max)), uid: UniqueId()))
        for _ in 0..<2 {
            #expect(#expect(throws: WireError.self) { try client.call(put) }?.code == .badChangeset)
        }
        #expect(try client.call(ReadCount(realm: realm, query: QueryRequest("Plain"))).count == 2)
        #expect(agent.isRunning)
    }
}
