import Agent
import Foundation
import Wire

/// What `reeve …` does: finds the sub-command, runs it, turns errors into text and an exit status.
enum CommandLineTool {
    static var commands: [any Command.Type] {
        [
            AgentCommand.self, StatusCommand.self, ListCommand.self, SchemaCommand.self, QueryCommand.self,
            ExplainCommand.self, PutCommand.self, DeleteCommand.self, WatchCommand.self, ImportCommand.self,
            ExportCommand.self, CopyCommand.self, CompactCommand.self,
            VerifyCommand.self, HashCommand.self, QueueCommand.self, WhyCommand.self, SyncCommand.self,
            WaitCommand.self,
            LogoutCommand.self,
            ShutdownCommand.self, DoctorCommand.self, BugreportCommand.self, LabCommand.self, CompletionCommand.self,
            ServerCommand.self, AppCommand.self, UserCommand.self, SessionCommand.self
        ]
    }

    /// What they are called.
    static var names: [String] { commands.map { $0.name } }

    private static func overview() -> String {
        let width = commands.map { $0.name.count }.max() ?? 0
        let lines = commands.map {
            "  \($0.name)\(String(repeating: " ", count: width - $0.name.count))  \($0.summary)"
        }
        return """
            reeve \(ReeveVersion.current): realms shared between processes

            usage: reeve COMMAND …    (reeve COMMAND --help says more)

            \(lines.joined(separator: "\n"))

            Exit status: 0 done, 1 "no" or a failure, 2 a command line that was not understood, 3 output that could not be
            written; reeve wait has two more.
            """
    }

    /// The command that a wrong name is nearest to, if it is near.
    static func similarCommand(_ name: String) -> String? {
        func distance(_ a: [Character], _ b: [Character]) -> Int {
            var row = Array(0...b.count)
            for (i, x) in a.enumerated() {
                var diagonal = row[0]
                row[0] = i + 1
                for (j, y) in b.enumerated() {
                    let cost = min(row[j + 1] + 1, row[j] + 1, diagonal + (x == y ? 0 : 1))
                    diagonal = row[j + 1]
                    row[j + 1] = cost
                }
            }
            return row[b.count]
        }
        guard name.count <= 20 else { return nil }
        let nearest = commands.map { (name: $0.name, distance: distance(Array(name), Array($0.name))) }
            .min { $0.distance < $1.distance }
        return nearest.flatMap { $0.distance <= 2 && $0.distance < name.count ? $0.name : nil }
    }

    /// Runs the command line of the process and returns the exit status. Refuses arguments that aren't UTF-8: what they
    /// would be turned into names other files and objects.
    ///
    /// Unsafe: `unsafeArguments` must be `count` C strings.
    static func run(unsafeArguments: UnsafePointer<UnsafeMutablePointer<CChar>?>, count: Int) -> Int32 {
        var arguments: [String] = []
        for index in 0..<count {
            guard let bytes = unsafeArguments[index] else { break }
            guard let argument = String(validatingCString: bytes) else {
                Output.error("reeve: argument \(index) is not UTF-8: \"\(String(cString: bytes))\"")
                return 2
            }
            arguments.append(argument)
        }
        return run(Array(arguments.dropFirst()))
    }

    /// Returns the exit status.
    static func run(_ arguments: [String]) -> Int32 {
        guard let name = arguments.first else {
            Output.error(overview())
            return 2
        }
        switch name {
        case "--help", "-h", "help":
            Output.line(overview())
            return 0
        case "--version", "version":
            Output.line("reeve \(ReeveVersion.current)")
            return 0
        default: break
        }
        guard let command = commands.first(where: { $0.name == name }) else {
            let similar = similarCommand(name).map { "; do you mean reeve \($0)?" } ?? "; reeve --help lists them"
            Output.error("reeve: there is no command \"\(name)\"\(similar)")
            return 2
        }
        let rest = Array(arguments.dropFirst())
        if rest.prefix(while: { $0 != "--" }).contains("--help") {
            Output.line(command.help)
            return 0
        }
        let asJSON = rest.contains("--json")
        do {
            return try command.run(Arguments(rest, options: command.options))
        } catch let error as UsageError {
            Output.error("reeve \(name): \(error)\nusage: reeve \(name) \(command.synopsis)")
            return 2
        } catch let error as WireError {
            if asJSON {
                Output.json([
                    "error": ["code": Int(error.code.number), "name": error.name, "message": error.messageWithPath]
                ])
            } else {
                Output.error("reeve \(name): \(error.messageWithPath)")
            }
            return 1
        } catch {
            if asJSON {
                Output.json(["error": ["name": "failure", "message": "\(error)"]])
            } else {
                Output.error("reeve \(name): \(error)")
            }
            return 1
        }
    }
}

extension WireError {
    /// The message, with the file that it is about.
    var messageWithPath: String {
        guard case .string(let path)? = facts["path"], !message.contains(path) else { return message }
        return "\(path): \(message)"
    }
}
