import Foundation
import TestSupport

/// A child process that runs a scenario of `test-client` against an agent's home.
final class ClientProcess {
    private let process = Process()
    private let input = Pipe()
    private let collector: OutputCollector

    /// `program` lies beside the agent's.
    init(
        _ agent: AgentUnderTest, program: String = "test-client", _ arguments: [String],
        environment: [String: String] = [:]
    ) throws {
        let output = Pipe()
        collector = OutputCollector(output)
        process.executableURL = URL(fileURLWithPath: AgentUnderTest.binary).deletingLastPathComponent()
            .appendingPathComponent(program)
        process.arguments = arguments
        process.environment = agent.clientEnvironment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
    }

    deinit {
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    }

    var pid: Int32 { process.processIdentifier }

    /// All lines so far.
    var output: [String] { collector.lines }

    func signal(_ signal: Int32) {
        Foundation.kill(process.processIdentifier, signal)
    }

    /// Waits for a line that begins with `prefix`; returns what follows it.
    func wait(for prefix: String, within deadline: Duration = .seconds(30)) throws -> String {
        var found: String?
        let there = eventually(within: deadline) {
            found = output.first { $0.hasPrefix(prefix) }
            return found != nil
        }
        guard there, let found else {
            throw TestFailure("no line \"\(prefix)…\" of pid \(pid): \(output.suffix(20))")
        }
        return found.dropFirst(prefix.count).trimmingCharacters(in: .whitespaces)
    }

    func write(_ line: String) {
        input.fileHandleForWriting.write(Data((line + "\n").utf8))
    }

    func closeInput() {
        try? input.fileHandleForWriting.close()
    }

    /// Waits for the end. Throws unless it is a success.
    func finish(within deadline: Duration = .seconds(120)) throws {
        guard eventually(within: deadline, { !process.isRunning }) else {
            throw TestFailure("pid \(pid) doesn't end: \(output.suffix(20))")
        }
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw TestFailure("pid \(pid) ended with \(process.terminationStatus): \(output.suffix(20))")
        }
        guard eventually({ collector.isComplete }) else { throw TestFailure("pid \(pid) left its output open") }
    }
}
