import Foundation

/// A program on a pseudo-terminal, which `script` makes: what it writes is what somebody would see, what is typed comes
/// as from a keyboard.
package final class TerminalProgram: @unchecked Sendable {
    // Nothing changes after `init`; the collector has a lock.
    private let process = Process()
    private let keyboard = Pipe()
    private let collector: OutputCollector

    /// `program` lies beside the agent's.
    package init(_ program: String, _ arguments: [String], environment: [String: String]) throws {
        let path = URL(fileURLWithPath: AgentUnderTest.binary).deletingLastPathComponent()
            .appendingPathComponent(program).path
        let words = ([path] + arguments).map { "'" + $0.replacing("'", with: "'\\''") + "'" }
        let output = Pipe()
        collector = OutputCollector(output)
        process.executableURL = URL(fileURLWithPath: "/usr/bin/script")
        process.arguments = ["-qfec", "exec " + words.joined(separator: " "), "/dev/null"]
        process.environment = environment.merging(["TERM": "xterm", "SHELL": "/bin/sh"]) { $1 }
        process.standardInput = keyboard
        process.standardOutput = output
        process.standardError = output
        try process.run()
    }

    deinit {
        kill()
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    }

    /// All lines so far, also those that were typed.
    package var screen: [String] {
        collector.text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    /// Types a line.
    package func type(_ line: String) {
        keyboard.fileHandleForWriting.write(Data((line + "\n").utf8))
    }

    /// Waits until some lines stand below each other, beyond the first `after` lines of the screen.
    package func wait(
        for lines: String..., after: Int = 0, within deadline: Duration = .seconds(30)
    ) throws {
        let there = eventually(within: deadline) {
            let screen = self.screen.dropFirst(after)
            return screen.indices.contains { start in screen[start...].starts(with: lines) }
        }
        guard there else { throw TestFailure("no \(lines) on the terminal:\n\(screen.joined(separator: "\n"))") }
    }

    /// Kills the program itself, not the terminal.
    package func kill() {
        guard process.isRunning else { return }
        let terminal = process.processIdentifier
        let children = try? String(contentsOfFile: "/proc/\(terminal)/task/\(terminal)/children", encoding: .utf8)
        for child in (children ?? "").split(separator: " ").compactMap({ Int32($0) }) {
            Foundation.kill(child, SIGKILL)
        }
    }

    /// Waits for the end; the exit status.
    package func finish(within deadline: Duration = .seconds(30)) throws -> Int32 {
        guard eventually(within: deadline, { !process.isRunning }) else {
            throw TestFailure("the program doesn't end:\n\(screen.joined(separator: "\n"))")
        }
        return process.terminationStatus
    }
}
