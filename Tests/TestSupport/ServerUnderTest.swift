import Foundation

/// A run of `reeve server` as a process of its own. What the initialiser has made isn't changed afterwards, and the
/// process may be asked and ended from any thread: hence Sendable.
package final class ServerUnderTest: @unchecked Sendable {
    package let directory: TemporaryDirectory
    private let process = Process()
    private let errors: OutputCollector
    /// `127.0.0.1:PORT`, once it listens.
    package let place: String

    /// Starts it on a data directory and waits until it listens; `port` 0 takes a free one.
    package init(
        _ directory: TemporaryDirectory = TemporaryDirectory(), port: Int = 0, _ arguments: [String] = ["--development"]
    ) throws {
        self.directory = directory
        process.executableURL = URL(fileURLWithPath: AgentUnderTest.binary)
        process.arguments =
            ["server", "--data", directory.path + "/data", "--listen", "127.0.0.1:\(port)"] + arguments
        process.environment = ["SWIFT_BACKTRACE": "enable=no", "PATH": "/usr/bin:/bin"]
        let pipe = Pipe()
        process.standardError = pipe
        // Whoever waits for the test's output isn't to wait for the server.
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        errors = OutputCollector(pipe)
        try process.run()
        let (errors, process) = (errors, process)
        var place = ""
        let isDecided = eventually(within: .seconds(20)) {
            let line = errors.lines.first { $0.contains("event=server.listening") }
            place =
                line?.split(separator: " ").first { $0.hasPrefix("address=") }.map { String($0.dropFirst(8)) } ?? ""
            return !place.isEmpty || !process.isRunning
        }
        guard isDecided, !place.isEmpty else { throw TestFailure("the server hasn't begun: \(errors.text)") }
        self.place = place
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// What apps are configured with.
    package var url: String { "http://\(place)" }
    package var port: Int { place.split(separator: ":").last.flatMap { Int($0) } ?? 0 }
    package var isRunning: Bool { process.isRunning }
    package var log: String { errors.text }

    /// The files of its realms.
    package var realms: [String] {
        let data = URL(fileURLWithPath: directory.path + "/data")
        let files = FileManager.default.enumerator(at: data, includingPropertiesForKeys: nil)
        return (files?.allObjects as? [URL] ?? []).map(\.path).filter { $0.contains(".realm") }
    }

    /// Sends a signal, waits for the end and returns the exit status; nil if a signal ended it.
    @discardableResult
    package func end(_ signal: Int32) -> Int32? {
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        _ = eventually { errors.isComplete }
        return process.terminationReason == .exit ? process.terminationStatus : nil
    }

    /// Runs `body` while the server stands still.
    package func whileStopped<Result>(_ body: () throws -> Result) throws -> Result {
        let pid = process.processIdentifier
        kill(pid, SIGSTOP)
        defer { kill(pid, SIGCONT) }
        let stands = eventually {
            // The state follows the name, which is in parentheses.
            let status = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
            return status.split(separator: ")").last?.hasPrefix(" T") ?? false
        }
        guard stands else { throw TestFailure("the server \(pid) doesn't stop") }
        return try body()
    }

    /// Makes an app of flexible sync: in development and open to everybody, unless permissions say otherwise.
    package func makeFlexibleApp(_ id: String, permissions: String? = nil) throws {
        func run(_ arguments: [String]) throws {
            let (status, text) = try Self.reeve(arguments, data: directory)
            guard status == 0 else { throw TestFailure("reeve \(arguments.joined(separator: " ")): \(text)") }
        }
        try run(["app", "create", id, "--flexible"])
        guard let permissions else { return }
        let file = directory.path("\(id).permissions.json")
        try permissions.write(toFile: file, atomically: true, encoding: .utf8)
        try run(["app", "permissions", id, file])
    }

    /// Runs another sub-command on the same data directory.
    package static func reeve(_ arguments: [String], data directory: TemporaryDirectory) throws -> (
        status: Int32, text: String
    ) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: AgentUnderTest.binary)
        process.arguments = arguments + ["--data", directory.path + "/data"]
        let (out, err) = (Pipe(), Pipe())
        process.standardOutput = out
        process.standardError = err
        let (output, errors) = (OutputCollector(out), OutputCollector(err))
        try process.run()
        process.waitUntilExit()
        while !(output.isComplete && errors.isComplete) { usleep(1000) }
        return (process.terminationStatus, output.text + errors.text)
    }
}
