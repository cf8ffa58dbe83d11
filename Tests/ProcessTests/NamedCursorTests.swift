import Foundation
import TestSupport
import Testing
import Wire

/// `cursor.*` and `reeve watch --since`: every change once, whoever was away.
@Suite struct NamedCursorTests {
    private let agent: AgentUnderTest
    private let path: String

    init() throws {
        agent = try AgentUnderTest().start()
        path = agent.home.path("a.realm")
        try put("Rex", 3)
        try put("Ada", 5)
    }

    private func put(_ name: String, _ age: Int) throws {
        let object = "{\"name\": \"\(name)\", \"age\": \(age)}"
        let (status, output) = try agent.shell("echo '\(object)' | \"$REEVE\" import \(path) Dog - --key name")
        guard status == 0 else { throw TestFailure(output) }
    }

    private func watch(_ arguments: String...) throws -> [String] {
        let (status, output) = try agent.command(
            ["watch", path, "Dog", "age > 2", "--since", "mine", "--once"] + arguments)
        guard status == 0 else { throw TestFailure(output) }
        return output.split(separator: "\n").map(String.init)
    }

    @Test func everyChangeIsToldOnceAlsoAfterRestarts() throws {
        #expect(try watch() == ["2 match; \"mine\" begins here"])
        #expect(try watch() == [])
        try put("Rex", 4)
        try put("Zoe", 9)
        try put("Pup", 1)
        _ = try agent.command(["delete", path, "Dog", "Ada"])
        // The agent is killed, the watcher was away all the time.
        agent.kill(SIGKILL)
        try agent.start()
        try put("Zoe", 10)
        let told = try watch()
        #expect(told.count == 3)
        #expect(told.contains { $0.hasPrefix("-") && $0.contains("name=Ada") })
        #expect(told.contains { $0.hasPrefix("+") && $0.contains("name=Zoe") && $0.contains("age=10") })
        #expect(told.contains { $0.hasPrefix("~") && $0.contains("name=Rex") && $0.contains("age=4") })
        #expect(try watch() == [])
        // Changed and changed back is no change; leaving the result is a deletion.
        try put("Rex", 7)
        try put("Rex", 4)
        #expect(try watch() == [])
        try put("Rex", 2)
        #expect(try watch().map { $0.prefix(1) } == ["-"])
        #expect(try watch("--forget") == ["forgotten"])
    }

    @Test func aWatchGoesOnWithWhatComes() throws {
        let watcher = try ClientProcess(
            agent, program: "reeve", ["watch", path, "Dog", "--since", "mine", "--changes", "2"])
        _ = try watcher.wait(for: "2 match")
        try put("Zoe", 1)
        _ = try watcher.wait(for: "+ ")
        try put("Zoe", 2)
        _ = try watcher.wait(for: "~ ")
        try watcher.finish()
        let (status, output) = try agent.command(["watch", path, "Dog", "--since", "mine", "--once", "--json"])
        #expect(status == 0 && output.isEmpty)
    }

    @Test func onlyAdvancingMovesACursorAndOnlyToWhatWasRead() throws {
        let client = try agent.connect()
        let realm = try client.call(RealmOpen(path: path)).realm
        let query = QueryRequest("Dog")
        let first = try client.call(CursorRead(realm: realm, cursor: "c", query: query))
        #expect(first.since == nil && first.insertions.keys.count == 2)
        let again = try client.call(CursorRead(realm: realm, cursor: "c", query: query))
        #expect(again.since == nil && again.insertions.keys.count == 2)
        #expect(throws: WireError.self) {
            try client.call(CursorAdvance(realm: realm, cursor: "c", version: again.version + 1))
        }
        _ = try client.call(CursorAdvance(realm: realm, cursor: "c", version: again.version))
        #expect(throws: WireError.self) {
            try client.call(CursorAdvance(realm: realm, cursor: "c", version: again.version))
        }
        let other = try agent.connect()
        let theirs = try other.call(RealmOpen(path: path)).realm
        let seen = try other.call(CursorRead(realm: theirs, cursor: "c", query: query))
        #expect(seen.since == again.version && seen.insertions.keys.isEmpty && seen.modifications.keys.isEmpty)
        let refusal = #expect(throws: WireError.self) {
            try other.call(CursorRead(realm: theirs, cursor: "c", query: QueryRequest("Dog", filter: "age > 1")))
        }
        #expect(refusal?.code == .badParams && refusal?.message.contains("another query") == true)
        #expect(throws: WireError.self) {
            try other.call(CursorRead(realm: theirs, cursor: "", query: query))
        }
        #expect(try other.call(CursorRemove(realm: theirs, cursor: "c")).removed)
        #expect(try !other.call(CursorRemove(realm: theirs, cursor: "c")).removed)
    }

    @Test func aDamagedCursorIsNotTakenForANewOne() throws {
        _ = try watch()
        let folder = agent.home.path(".local/share/reeve/agent/cursors")
        let file = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: folder + "/" + file))
        let (status, output) = try agent.command(["watch", path, "Dog", "age > 2", "--since", "mine", "--once"])
        #expect(status == 1 && output.contains("can't be read"))
        #expect(try watch("--forget") == ["forgotten"])
        #expect(try watch() == ["2 match; \"mine\" begins here"])
    }
}
