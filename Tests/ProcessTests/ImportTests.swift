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
        #expect(output.contains("the 2 before were imported"), "\(output)")
        #expect(try agent.command(["export", realm, "Thing"]).output.split(separator: "\n").count == 3)
    }

    @Test func pipesCanBeImported() throws {
        let (status, output) = try agent.shell(
            #"""
            mkfifo pipe && { echo '[{"id": 1}]' > pipe & } && "$REEVE" import a.realm Thing pipe --key id &&
            echo '{"id": 2}' | "$REEVE" import a.realm Thing /dev/stdin && echo '{"id": 3}' | "$REEVE" import a.realm Thing -
            """#)
        #expect(status == 0, "\(output)")
        #expect(try agent.command(["query", realm, "Thing", "--count"]).output == "3\n")
        #expect(try agent.command(["import", realm, "Thing", agent.home.path]).output.contains("Is a directory"))
    }

    @Test func whatIsNotJSONIsSaidWithItsPlace() throws {
        for (text, said) in [
            ("[{\"id\": 1,\n \"é\": tru}]", ["invalid value at line 2, column ", "(byte 2"]),
            ("{\"id\": 1}\n\n{\"id\": x}\n", ["invalid value at line 3, column 8 (byte 18)"]),
            ("{\"id\": 1}\n{\"id\": 2\n{\"id\": 3}\n", ["unexpected end of file at line 2, column 9 (byte 18)"]),
            ("[{\"id\": 1},", ["unexpected end of file at line 1, column 12 (byte 11)"]),
            ("{\"id\": 1}\n[2]\n", ["line 2 is not an object"])
        ] {
            let (status, output) = try load(text)
            #expect(status == 1)
            for part in said { #expect(output.contains(part), "\(output)") }
            #expect(output.contains(agent.home.path("objects.json")), "\(output)")
        }
    }

    @Test func anObjectOfSeveralLinesIsOne() throws {
        #expect(try load("{\n\"id\": 1\n}\n", ["--key", "id"]).status == 0)
        #expect(try agent.command(["query", realm, "Thing", "--count"]).output == "1\n")
    }

    @Test func largeObjectsFitWhateverTheirNumber() throws {
        let text = String(repeating: "x", count: 100_000)
        let lines = (0..<400).map { #"{"id": \#($0), "text": "\#(text)"}"# }
        let (status, output) = try load(lines.joined(separator: "\n"), ["--key", "id"])
        #expect(status == 0, "\(output)")
        #expect(output == "400 created, 0 changed in Thing\n")
    }

    @Test func aDiskThatFillsUpIsSaidWithWhatIsIn() throws {
        let text = String(repeating: "x", count: 100_001)
        let lines = (0..<400).map { #"{"id": \#($0), "text": "\#(text)"}"# }
        try lines.joined(separator: "\n").write(toFile: agent.home.path("big"), atomically: true, encoding: .utf8)
        agent.kill(SIGKILL)
        // The agent that the command starts may have files of 24 MB, give or take a part of a page.
        let (status, output) = try agent.shell(
            #"ulimit -f 49001; "$REEVE" import a.realm Thing big --key id --batch 10; s=$?; "$REEVE" ls a.realm; exit $s"#
        )
        #expect(status == 1)
        let stored = try #require(output.firstMatch(of: /the ([0-9]+) before were imported/)?.1, "\(output)")
        #expect(output.contains("No space left on device") || output.contains("File too large"), "\(output)")
        #expect(!output.contains("Input/output error"), "\(output)")
        #expect(output.contains("Thing  \(stored)\n"), "\(output)")
        #expect(try agent.command(["shutdown"]).status == 0)
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
