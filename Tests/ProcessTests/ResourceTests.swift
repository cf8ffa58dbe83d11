import Foundation
import TestSupport
import Testing
import Wire

/// An agent that has used up what it may have.
@Suite struct ResourceTests {
    @Test func havingNoDescriptorLeftIsSaid() throws {
        let agent = try AgentUnderTest()
        #expect(try agent.shell(#"ulimit -n 64; exec "$REEVE" agent --daemon"#).status == 0)
        let client = try agent.connect()
        defer { _ = try? client.call(AgentShutdown()) }
        var opened: [Int32] = []
        var refusal: WireError?
        while refusal == nil, opened.count < 64 {
            do {
                let path = agent.home.path("\(opened.count).realm")
                opened.append(try client.call(RealmOpen(path: path, schema: RawClient.schema, create: true)).realm)
            } catch let error as WireError {
                refusal = error
            }
        }
        #expect(refusal?.code == .outOfResources, "\(String(describing: refusal))")
        #expect(opened.count > 3)
        // What is open can be used, and what is closed makes room.
        let query = QueryRequest("Item")
        #expect(try client.call(ReadCount(realm: opened[0], query: query)).count == 0)
        for realm in opened[1...] { _ = try client.call(RealmClose(realm: realm)) }
        #expect(
            eventually {
                (try? client.call(RealmOpen(path: agent.home.path("z.realm"), create: true))) != nil
            })
    }
}
