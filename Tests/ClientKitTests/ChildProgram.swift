import Foundation
import TestSupport

@testable import ClientKit

/// A run of `test-client` as a process of its own.
final class ChildProgram: @unchecked Sendable {
    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()
    private let text = ClientKit.Lock("")

    /// Starts it; `environment` replaces what is there.
    init(_ arguments: [String], environment: [String: String]) throws {
        process.executableURL = URL(fileURLWithPath: AgentUnderTest.binary).deletingLastPathComponent()
            .appendingPathComponent("test-client")
        process.arguments = arguments
        process.environment = environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { first, _ in first }
        process.standardOutput = output
        process.standardError = errors
        output.fileHandleForReading.readabilityHandler = { [text] handle in
            let data = handle.availableData
            if !data.isEmpty { text.withLock { $0 += String(decoding: data, as: UTF8.self) } }
        }
        try process.run()
    }

    /// What it has said so far.
    var said: [String] { text.withLock { $0.split(separator: "\n").map(String.init) } }
    var isRunning: Bool { process.isRunning }

    /// Waits for its end; the lines of standard error.
    func finish() -> (status: Int32, wasTrapped: Bool, errors: String) {
        let data = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        output.fileHandleForReading.readabilityHandler = nil
        let rest = output.fileHandleForReading.readDataToEndOfFile()
        text.withLock { $0 += String(decoding: rest, as: UTF8.self) }
        return (
            process.terminationStatus, process.terminationReason == .uncaughtSignal,
            String(decoding: data, as: UTF8.self)
        )
    }

    func kill() { send(SIGKILL) }

    func send(_ signal: Int32) {
        Foundation.kill(process.processIdentifier, signal)
    }
}
