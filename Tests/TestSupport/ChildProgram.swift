import Foundation

/// A run of `test-client` as a process of its own.
package final class ChildProgram: @unchecked Sendable {
    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()
    private let text = Text()

    /// Starts it; `environment` replaces what is there.
    package init(_ arguments: [String], environment: [String: String]) throws {
        process.executableURL = URL(fileURLWithPath: AgentUnderTest.binary).deletingLastPathComponent()
            .appendingPathComponent("test-client")
        process.arguments = arguments
        process.environment = environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { first, _ in first }
        process.standardOutput = output
        process.standardError = errors
        output.fileHandleForReading.readabilityHandler = { [text] handle in
            let data = handle.availableData
            if !data.isEmpty { text.append(data) }
        }
        try process.run()
    }

    /// What it has said so far.
    package var said: [String] { text.value.split(separator: "\n").map(String.init) }
    package var isRunning: Bool { process.isRunning }

    /// Waits for its end; the lines of standard error.
    package func finish() -> (status: Int32, wasTrapped: Bool, errors: String) {
        let data = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        output.fileHandleForReading.readabilityHandler = nil
        let rest = output.fileHandleForReading.readDataToEndOfFile()
        text.append(rest)
        return (
            process.terminationStatus, process.terminationReason == .uncaughtSignal,
            String(decoding: data, as: UTF8.self)
        )
    }

    package func kill() { send(SIGKILL) }

    package func send(_ signal: Int32) {
        Foundation.kill(process.processIdentifier, signal)
    }

    /// What a process has written, which a thread of its own collects.
    private final class Text: @unchecked Sendable {
        private let lock = NSLock()
        private var bytes = Data()

        func append(_ more: Data) { lock.withLock { bytes += more } }
        var value: String { lock.withLock { String(decoding: bytes, as: UTF8.self) } }
    }
}
