import Foundation

/// A run of `test-client` as a process of its own.
package final class ChildProgram: @unchecked Sendable {
    private let process = Process()
    private let output: OutputCollector
    private let errors: OutputCollector

    /// Starts it; `environment` replaces what is there.
    package init(_ arguments: [String], environment: [String: String]) throws {
        process.executableURL = URL(fileURLWithPath: AgentUnderTest.binary).deletingLastPathComponent()
            .appendingPathComponent("test-client")
        process.arguments = arguments
        process.environment = environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { first, _ in first }
        let (out, err) = (Pipe(), Pipe())
        process.standardOutput = out
        process.standardError = err
        output = OutputCollector(out)
        errors = OutputCollector(err)
        try process.run()
    }

    /// What it has said so far.
    package var said: [String] { output.lines }
    package var isRunning: Bool { process.isRunning }

    /// Waits for its end; the lines of standard error.
    package func finish() -> (status: Int32, wasTrapped: Bool, errors: String) {
        process.waitUntilExit()
        while !(output.isComplete && errors.isComplete) { usleep(1000) }
        return (process.terminationStatus, process.terminationReason == .uncaughtSignal, errors.text)
    }

    package func kill() { send(SIGKILL) }

    package func send(_ signal: Int32) {
        Foundation.kill(process.processIdentifier, signal)
    }
}
