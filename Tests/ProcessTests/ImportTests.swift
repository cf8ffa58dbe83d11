import Foundation
import TestSupport
import Testing

/// `reeve import` and `reeve export` as a person uses them.
@Suite struct ImportTests {
    private let agent: AgentUnderTest
    private let realm: String

    init() throws {
        agent = try AgentUnderTest().start()
        realm = agent.home.path("a.realm")
    }

    private func load(_ json: String, _ arguments: [String] = []) throws -> (status: Int32, output: String) {
        let file = agent.home.path("objects.json")
        try json.write(toFile: file, atomically: true, encoding: .utf8)
        return try agent.command(["import", realm, "Thing", file] + arguments)
    }

    @Test func listsThatAreNullAreEmpty() throws {
        let (status, output) = try load(#"[{"id": 1, "tags": ["a"]}, {"id": 2, "tags": null}]"#, ["--key", "id"])
        #expect(status == 0, "\(output)")
        let text = try agent.command(["export", realm, "Thing"]).output
        #expect(text == #"{"id":1,"tags":["a"]}"# + "\n" + #"{"id":2,"tags":[]}"# + "\n")
    }

    @Test func anObjectThatFitsNotIsNamedAndNothingIsImported() throws {
        _ = try load(#"[{"id": 1, "name": "x"}]"#, ["--key", "id"])
        let (status, output) = try load(#"[{"id": 2, "name": "y"}, {"id": 3, "name": 4}]"#, ["--batch", "1"])
        #expect(status == 1)
        #expect(output.contains("object 2: 4 is not a value of Thing.name"), "\(output)")
        #expect(output.contains("nothing was imported"), "\(output)")
        #expect(try agent.command(["export", realm, "Thing"]).output == #"{"id":1,"name":"x"}"# + "\n")
    }

    @Test func whatTheAgentRefusesIsNamedWithWhatIsStoredAlready() throws {
        _ = try load(#"[{"id": 1, "name": "x"}]"#, ["--key", "id"])
        let (status, output) = try load(
            #"[{"id": 2, "name": "b"}, {"id": 3, "name": "c"}, {"name": "d"}, {"id": 5, "name": "e"}]"#,
            ["--batch", "2"])
        #expect(status == 1)
        #expect(output.contains("objects 3 to 4: "), "\(output)")
        #expect(output.contains("the 2 before them were imported"), "\(output)")
        #expect(try agent.command(["export", realm, "Thing"]).output.split(separator: "\n").count == 3)
    }

    @Test func aFullDiskIsSaid() throws {
        _ = try load(#"[{"id": 1, "name": "x"}]"#, ["--key", "id"])
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(fileURLWithPath: AgentUnderTest.binary)
        process.arguments = ["export", realm, "Thing"]
        process.environment = agent.clientEnvironment
        process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
        process.standardError = errors
        try process.run()
        let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 3)
        #expect(said.contains("can't write the output: No space left on device"), "\(said)")
    }

    @Test func aCommandStartsTheAgentWhenThereIsNone() throws {
        _ = try load(#"[{"id": 1}]"#, ["--key", "id"])
        agent.kill(SIGKILL)
        let (status, output) = try agent.command(["export", realm, "Thing"])
        #expect(status == 0)
        #expect(output == #"{"id":1}"# + "\n")
        #expect(try agent.command(["shutdown"]).status == 0)
    }
}
