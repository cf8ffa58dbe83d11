import Foundation
import TestSupport

/// A child process that runs a scenario of `test-client` against an agent's home.
final class ClientProcess {
    private let process = Process()
    private let input = Pipe()
    private let lines: LineCollector

    /// `program` lies beside the agent's.
    init(
        _ agent: AgentUnderTest, program: String = "test-client", _ arguments: [String],
        environment: [String: String] = [:]
    ) throws {
        let output = Pipe()
        lines = LineCollector(output.fileHandleForReading)
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
    var output: [String] { lines.all }

    func signal(_ signal: Int32) {
        Foundation.kill(process.processIdentifier, signal)
    }

    /// Waits for a line that begins with `prefix`; returns what follows it.
    func wait(for prefix: String, within deadline: Duration = .seconds(30)) throws -> String {
        var found: String?
        let there = eventually(within: deadline) {
            found = lines.all.first { $0.hasPrefix(prefix) }
            return found != nil
        }
        guard there, let found else {
            throw TestFailure("no line \"\(prefix)…\" of pid \(pid): \(lines.all.suffix(20))")
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
            throw TestFailure("pid \(pid) doesn't end: \(lines.all.suffix(20))")
        }
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw TestFailure("pid \(pid) ended with \(process.terminationStatus): \(lines.all.suffix(20))")
        }
        guard eventually({ lines.isComplete }) else { throw TestFailure("pid \(pid) left its output open") }
    }
}

/// Collects lines of a pipe on a thread of its own.
private final class LineCollector: @unchecked Sendable {
    // Every access to `collected` and `hasEnded` is under `lock`.
    private let lock = NSLock()
    private var collected: [String] = []
    private var hasEnded = false

    init(_ handle: FileHandle) {
        Thread.detachNewThread { [self] in
            var buffer = Data()
            while true {
                let more = handle.availableData
                buffer.append(more)
                while let end = buffer.firstIndex(of: 10) {
                    let line = String(decoding: buffer[..<end], as: UTF8.self)
                    buffer = Data(buffer[buffer.index(after: end)...])
                    lock.withLock { collected.append(line) }
                }
                if more.isEmpty { return lock.withLock { hasEnded = true } }
            }
        }
    }

    var all: [String] { lock.withLock { collected } }
    /// Whether nothing more comes.
    var isComplete: Bool { lock.withLock { hasEnded } }
}
