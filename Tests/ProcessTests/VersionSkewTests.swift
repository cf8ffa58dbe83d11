import Foundation
import TestSupport
import Testing
import Wire

/// R85: after an upgrade a client meets an agent of another version.
@Suite struct VersionSkewTests {
    @Test("R85 an app opens, reads, writes and observes with an older and a newer agent", arguments: ["0.0.9", "99.0"])
    func appWithAnotherAgent(version: String) throws {
        let agent = try AgentUnderTest().start()
        let other = try AgentOfAnotherVersion(
            agent, version: version, features: [.descriptors, Feature(rawValue: "telepathy")])
        defer { other.close() }
        let path = agent.home.path("a.realm")
        let environment = ["REEVE_SOCKET": other.location.path]
        let observer = try ClientProcess(agent, ["observe", path, "3"], environment: environment)
        #expect(try observer.wait(for: "ready") == "0")
        for _ in 0..<3 { try ClientProcess(agent, ["insert-one", path], environment: environment).finish() }
        #expect(try observer.wait(for: "seen") == "3")
        let count = try ClientProcess(agent, ["count", path], environment: environment)
        try count.finish()
        #expect(count.output.first == "count 3")
    }

    @Test("R85 an older client opens, reads, writes and observes") func olderClient() throws {
        let agent = try AgentUnderTest().start()
        let older = try RawClient(agent.connect("app", version: "0.0.1", features: []))
        try older.open(agent.home.path("a.realm"))
        let subscription = try older.wire.call(Subscribe(realm: older.realm, query: QueryRequest("Item")))
        #expect(subscription.count == 0)
        try older.transaction { _ in Changes.create([1], n: 7) }
        #expect(try older.int(1) == 7)
        let changed = try older.wire.nextEvent().decoded(as: Changed.self)
        #expect(changed.insertions.count == 1)
        let client = try #require(try older.wire.call(AgentStatus(verbose: true)).clients.first)
        #expect(client.version == "0.0.1")
    }

    @Test("R85 what the older agent lacks is refused with both versions") func missingFeature() throws {
        let agent = try AgentUnderTest().start()
        let lacking = try AgentOfAnotherVersion(agent, version: "0.0.9", features: [])
        let client = try ClientProcess(
            agent, ["insert-one", agent.home.path("a.realm")], environment: ["REEVE_SOCKET": lacking.location.path])
        #expect(throws: TestFailure.self) { try client.finish() }
        let said = client.output.joined(separator: "\n")
        #expect(
            said.contains("0.0.9") && said.contains(ReeveVersion.current) && said.contains("descriptors"), "\(said)")
        lacking.close()

        let older = try AgentOfAnotherVersion(agent, version: "0.0.9", missing: [.realmList])
        defer { older.close() }
        let wire = try BlockingClient(to: older.location, client: "test")
        let error = #expect(throws: WireError.self) { try wire.call(RealmList()) }
        #expect(error?.code == .unsupportedFeature)
        #expect(error?.facts["agent"] == .string("0.0.9") && error?.facts["client"] == .string(ReeveVersion.current))
        // The conversation goes on.
        #expect(try wire.call(AgentStatus()).pid == agent.pid)
    }

    @Test("R85 status warns of an agent that is older than what is installed") func statusWarns() throws {
        let agent = try AgentUnderTest().start()
        #expect(try !agent.command(["status"]).output.contains("warning"))
        let older = try AgentOfAnotherVersion(agent, version: "0.0.9")
        defer { older.close() }
        let (status, output) = try agent.command(["status"], environment: ["REEVE_SOCKET": older.location.path])
        #expect(status == 0)
        #expect(output.contains("warning: the running agent is 0.0.9, older than the installed"), "\(output)")
    }

    @Test(arguments: [("0.9.9", "0.10.0", true), ("1.0", "1.0.1", true), ("1.0.0", "1.0", false), ("2.0", "1.9", false)]
    )
    func versionsCompareByNumber(a: String, b: String, isOlder: Bool) {
        #expect(ReeveVersion.isOlder(a, than: b) == isOlder)
    }
}
