import Foundation
import Testing

@testable import reeve

/// What is written about the commands, held against the commands.
@Suite struct CommandDocumentTests {
    private static let manual: String = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("contrib/man/reeve.1")
        // Hyphens may be written as such or escaped.
        return ((try? String(contentsOf: file, encoding: .utf8)) ?? "").replacing("\\-", with: "-")
    }()

    /// The part of the manual about a command.
    private func section(_ command: any Command.Type) -> String? {
        let lines = Self.manual.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let start = lines.firstIndex { line in
            let words = line.split(separator: " ").map { $0.trimmingCharacters(in: ["\""]) }
            return words.count >= 2 && [".B", ".BR", ".BI"].contains(words[0]) && words[1] == command.name
        }
        guard let start else { return nil }
        let end = lines[(start + 1)...].firstIndex { $0 == ".TP" || $0 == ".PP" } ?? lines.endIndex
        return lines[start..<end].joined(separator: "\n")
    }

    @Test(arguments: CommandLineTool.names) func theManualHasEveryCommandAndOption(name: String) throws {
        let command = try #require(CommandLineTool.commands.first { $0.name == name })
        let text = try #require(section(command), "the manual says nothing of reeve \(name)")
        let general = try #require(Self.manual.range(of: "\n.PP\n.I choice"))
        let everywhere = Self.manual[general.lowerBound...]
        for option in command.options {
            let isSaid = text.contains("--\(option.name)") || everywhere.contains("--\(option.name)")
            #expect(isSaid, "the manual says nothing of reeve \(name) --\(option.name)")
        }
    }

    @Test(arguments: CommandLineTool.names) func theHelpHasEveryOption(name: String) throws {
        let command = try #require(CommandLineTool.commands.first { $0.name == name })
        for option in command.options {
            #expect(command.help.contains("--\(option.name)"))
            let isChoice = command.synopsis.contains("--\(option.name)")
            #expect(isChoice, "the usage line of reeve \(name) lacks --\(option.name)")
        }
        #expect(!command.summary.isEmpty && !command.summary.hasSuffix("."))
    }

    @Test func completionsHaveEveryCommandAndOption() throws {
        for command in CommandLineTool.commands {
            for option in command.options {
                let line = CompletionCommand.bash.split(separator: "\n").first {
                    $0.hasPrefix("        \(command.name)) ")
                }
                #expect(line?.contains("--\(option.name)") == true, "bash: \(command.name) --\(option.name)")
                let zsh = CompletionCommand.zsh.split(separator: "\n").first {
                    $0.hasPrefix("        \(command.name)) ")
                }
                #expect(zsh?.contains("--\(option.name)[") == true, "zsh: \(command.name) --\(option.name)")
                #expect(
                    CompletionCommand.fish.contains("__fish_seen_subcommand_from \(command.name)' -l \(option.name)"),
                    "fish: \(command.name) --\(option.name)")
            }
        }
    }

    @Test("the script for bash completes commands, options and actions") func bashCompletes() throws {
        func complete(_ words: [String]) throws -> [String] {
            let script =
                CompletionCommand.bash
                + "\nCOMP_WORDS=(\(words.map { "'\($0)'" }.joined(separator: " "))); COMP_CWORD=\(words.count - 1)\n"
                + "_reeve; printf '%s\\n' \"${COMPREPLY[@]}\"\n"
            let process = Process()
            let (input, output) = (Pipe(), Pipe())
            process.executableURL = URL(fileURLWithPath: "/bin/bash")
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            try input.fileHandleForWriting.write(contentsOf: Data(script.utf8))
            try input.fileHandleForWriting.close()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return text.split(separator: "\n").map(String.init)
        }
        #expect(try complete(["reeve", "sch"]) == ["schema"])
        #expect(try complete(["reeve", "doctor", "--s"]) == ["--server"])
        #expect(try complete(["reeve", "user", "re"]) == ["revoke"])
        #expect(try complete(["reeve", "watch", "a.realm", "Dog", "--ini"]) == ["--initial"])
        #expect(try complete(["reeve", "nonsense", "--"]) == [])
    }

    @Test func everyCommandThatPrintsForPeopleHasJSON() {
        // These run until they are ended, or print what is for a program already.
        let others = ["agent", "server", "completion"]
        for command in CommandLineTool.commands where !others.contains(command.name) {
            #expect(command.options.contains { $0.name == "json" }, "reeve \(command.name) has no --json")
        }
    }

    @Test func wrongNamesAreAnsweredWithTheNearest() {
        #expect(CommandLineTool.similarCommand("qurey") == "query")
        #expect(CommandLineTool.similarCommand("statsu") == "status")
        #expect(CommandLineTool.similarCommand("x") == nil)
        #expect(CommandLineTool.similarCommand("completely different") == nil)
    }
}
