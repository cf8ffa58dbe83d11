import Foundation
import TestSupport
import Testing
import Wire

/// `reeve` started as nobody should start it.
@Suite struct CommandSurroundingsTests {
    private let agent: AgentUnderTest

    init() throws {
        agent = try AgentUnderTest().start()
        _ = try agent.shell(#"echo '[{"id": 1, "name": "a"}]' > o.json; "$REEVE" import a.realm Thing o.json --key id"#)
    }

    @Test func outputThatIsClosedIsSaidAndNothingGoesToTheAgentInstead() throws {
        let (status, output) = try agent.shell(
            #""$REEVE" query a.realm Thing --json 2>said >&-; s=$?; cat said; exit $s"#)
        #expect(status == 3)
        #expect(output.contains("can't write the output: Bad file descriptor"), "\(output)")
        #expect(try agent.shell(#""$REEVE" query a.realm Thing <&- >&- 2>&-"#).status == 3)
        #expect(try agent.shell(#""$REEVE" query a.realm Thing --count"#).output == "1\n")
        #expect(!agent.output.contains("badFrame"), "\(agent.output)")
    }

    @Test func anArgumentThatIsNotUTF8IsRefused() throws {
        let (status, output) = try agent.shell(#""$REEVE" import "$(printf 'b\377.realm')" Thing o.json"#)
        #expect(status == 2)
        #expect(output.contains("argument 2 is not UTF-8"), "\(output)")
        let names = try FileManager.default.contentsOfDirectory(atPath: agent.home.path)
        #expect(!names.contains { $0.hasPrefix("b") })
    }

    @Test func nothingInARealmCommandsTheTerminal() throws {
        try #"[{"id": 2, "name": "\u001b[31mred\u009b1m\u202e\nx"}]"#
            .write(toFile: agent.home.path("o.json"), atomically: true, encoding: .utf8)
        _ = try agent.shell(#""$REEVE" import a.realm Thing o.json"#)
        let table = try agent.command(["query", agent.home.path("a.realm"), "Thing"]).output
        #expect(table.contains(#"\u{1b}[31mred\u{9b}1m\u{202e}⏎x"#), "\(table)")
        let json = try agent.command(["query", agent.home.path("a.realm"), "Thing", "id == 2", "--json"]).output
        #expect(json.contains(#""name":"\u001b[31mred\u009b1m\u202e\nx""#), "\(json)")
        let watched = try agent.shell(
            #"""
            "$REEVE" watch a.realm Thing "id == 2" --initial --changes 1 | {
                read -r count; read -r first; printf '%s\n' "$first"
                "$REEVE" put a.realm Thing '{"id": 2, "name": "x"}' && cat
            }
            """#
        ).output
        #expect(watched.contains(#"name=\u{1b}[31mred\u{9b}1m\u{202e}⏎x"#), "\(watched)")
        let refused = try agent.command(["query", agent.home.path("a.realm"), "Th\u{1b}[1m\u{7f}"]).output
        #expect(refused.contains(#"Th\u{1b}[1m\u{7f}"#), "\(refused)")
        for output in [table, json, watched, refused] {
            #expect(!output.unicodeScalars.contains { $0 == "\u{1b}" || $0 == "\u{9b}" || $0 == "\u{202e}" })
        }
    }

    @Test func anAgentNeedsNoHome() throws {
        agent.kill(SIGKILL)
        let environment = ["HOME": "/proc/none", "XDG_STATE_HOME": "/proc/none"]
        let realm = agent.home.path("a.realm")
        let (status, output) = try agent.command(["query", realm, "Thing", "--count"], environment: environment)
        #expect(status == 0)
        #expect(output.contains("the agent runs without a log"), "\(output)")
        #expect(output.hasSuffix("\n1\n"), "\(output)")
        #expect(try agent.command(["shutdown"], environment: environment).status == 0)
    }

    @Test func anAgentThatCannotStartIsTriedAFewTimesOnly() throws {
        agent.kill(SIGKILL)
        #expect(chmod(agent.location.directory, 0o755) == 0)
        let (status, output) = try agent.command(["query", agent.home.path("a.realm"), "Thing", "--count"])
        #expect(status == 1)
        #expect(output.split(separator: "\n").count < 8, "\(output)")
    }

    @Test func anAgentThatHangsIsSaid() throws {
        let environment = ["REEVE_ANSWER_S": "1"]
        let realm = agent.home.path("a.realm")
        // One hangs from the beginning, the other while a command waits.
        let watch = Process()
        let said = Pipe()
        watch.executableURL = URL(fileURLWithPath: AgentUnderTest.binary)
        watch.arguments = ["watch", realm, "Thing"]
        watch.environment = agent.clientEnvironment.merging(environment) { $1 }
        watch.standardOutput = FileHandle.nullDevice
        watch.standardError = said
        try watch.run()
        #expect(eventually { (try? agent.connect().call(AgentStatus()).clients.count) == 2 })
        // It waits as long as the agent is well.
        #expect(!eventually(within: .seconds(3)) { !watch.isRunning })
        agent.kill(SIGSTOP)
        defer { agent.kill(SIGCONT) }
        let (status, output) = try agent.command(["query", realm, "Thing"], environment: environment)
        #expect(status == 1)
        #expect(output.contains("the agent (pid \(agent.pid)) doesn't answer"), "\(output)")
        watch.waitUntilExit()
        let text = String(decoding: said.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(text.contains("the agent (pid \(agent.pid)) doesn't answer"), "\(text)")
    }

    /// Root may write anything, unless it gives that up.
    private func unprivileged(_ script: String) throws -> (status: Int32, output: String) {
        guard geteuid() == 0 else { return try agent.shell(script) }
        return try agent.shell("exec setpriv --bounding-set=-all --inh-caps=-all /bin/sh -c '\(script)'")
    }

    @Test func aFileThatMayNotBeWrittenCanBeRead() throws {
        _ = try agent.command(["shutdown"])
        #expect(agent.waitForExit() == 0)
        #expect(chmod(agent.home.path("a.realm"), 0o400) == 0)
        let read = #"$REEVE query a.realm Thing --json && $REEVE verify a.realm && $REEVE ls a.realm --json"#
        for isDirectoryClosed in [false, true] {
            if isDirectoryClosed {
                mkdir(agent.home.path("closed"), 0o700)
                #expect(rename(agent.home.path("a.realm"), agent.home.path("closed/a.realm")) == 0)
                #expect(chmod(agent.home.path("closed"), 0o500) == 0)
            }
            let place = isDirectoryClosed ? "closed/" : ""
            let (status, output) = try unprivileged(read.replacingOccurrences(of: "a.realm", with: place + "a.realm"))
            #expect(status == 0, "\(output)")
            #expect(output.contains(#"{"$key":0,"id":1,"name":"a"}"#), "\(output)")
            #expect(output.contains("sound: 1 objects"), "\(output)")
            for command in ["delete \(place)a.realm Thing 1", "compact \(place)a.realm"] {
                let (status, output) = try unprivileged("$REEVE " + command)
                #expect(status == 1)
                #expect(output.contains("may be read, but not written"), "\(output)")
            }
            if isDirectoryClosed {
                let names = try FileManager.default.contentsOfDirectory(atPath: agent.home.path("closed"))
                #expect(names == ["a.realm"])
            }
            _ = try agent.command(["shutdown"])
        }
        #expect(chmod(agent.home.path("closed"), 0o700) == 0)
    }
}
