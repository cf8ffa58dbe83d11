import Foundation
import Wire

/// A real agent process in a directory of its own, killed and cleaned up with the object.
package final class AgentUnderTest: @unchecked Sendable {
    package let home: TemporaryDirectory
    package let location: SocketLocation
    private let environment: [String: String]
    private var process: Process?
    private let log: FileHandle?

    /// The built command: `$REEVE_BINARY`, else `reeve` beside the test bundle.
    package static let binary: String = {
        if let path = ProcessInfo.processInfo.environment["REEVE_BINARY"], !path.isEmpty { return path }
        var directory = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        for _ in 0..<4 {
            let candidate = directory.appendingPathComponent("reeve").path
            if access(candidate, X_OK) == 0 { return candidate }
            directory.deleteLastPathComponent()
        }
        return "reeve"
    }()

    /// Prepares a home; `start` starts the agent. `environment` adds to the little that an agent needs.
    package init(environment: [String: String] = [:], home: TemporaryDirectory = TemporaryDirectory()) throws {
        self.home = home
        location = try SocketLocation(path: home.path("run/agent.sock"))
        var variables = [
            "HOME": home.path, "REEVE_SOCKET": location.path, "SWIFT_BACKTRACE": "enable=no",
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        ]
        variables.merge(environment) { $1 }
        self.environment = variables
        _ = FileManager.default.createFile(atPath: home.path("agent.out"), contents: nil)
        log = FileHandle(forWritingAtPath: home.path("agent.out"))
    }

    deinit {
        kill(SIGKILL)
    }

    /// Starts the agent and waits until it serves. `arguments` follow `reeve agent`.
    @discardableResult
    package func start(_ arguments: [String] = []) throws -> Self {
        try spawn(arguments)
        let deadline = ContinuousClock.now + .seconds(20)
        while true {
            if (try? BlockingConnection(to: location, deadline: .now + .seconds(5))) != nil { return self }
            guard process?.isRunning == true, ContinuousClock.now < deadline else {
                throw TestFailure("the agent doesn't serve: \(output)")
            }
            usleep(2000)
        }
    }

    /// Starts the agent's process without waiting for anything.
    package func spawn(_ arguments: [String] = []) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.binary)
        process.arguments = ["agent"] + arguments
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = log
        process.standardError = log
        try process.run()
        self.process = process
    }

    /// Environment of clients of this agent: they may also start it.
    package var clientEnvironment: [String: String] {
        environment.merging(["REEVE_AGENT": Self.binary]) { $1 }
    }

    package var pid: Int32 { process?.processIdentifier ?? 0 }
    package var isRunning: Bool { process?.isRunning ?? false }
    /// Memory of its own that is resident: without the files that it has mapped.
    package var residentBytes: Int {
        get throws {
            let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
            let number = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
            guard let number else { throw TestFailure("no RssAnon of \(pid)") }
            return number << 10
        }
    }
    /// What it wrote to its standard output and error.
    package var output: String { (try? String(contentsOfFile: home.path("agent.out"), encoding: .utf8)) ?? "" }

    /// Sends a signal; with SIGKILL also waits for the end.
    package func kill(_ signal: Int32) {
        guard let process, process.isRunning else { return }
        Foundation.kill(process.processIdentifier, signal)
        if signal == SIGKILL { process.waitUntilExit() }
    }

    /// Waits for the process's end; nil if it doesn't come in time.
    package func waitForExit(within deadline: Duration = .seconds(20)) -> Int32? {
        guard let process else { return nil }
        guard eventually(within: deadline, { !process.isRunning }) else { return nil }
        return process.terminationStatus
    }

    /// A client that has said hello.
    package func connect(
        _ name: String = "test", version: String = "", features: [Feature] = [], timeout: Duration = .seconds(30)
    ) throws -> BlockingClient {
        try BlockingClient(to: location, client: name, version: version, features: features, timeout: timeout)
    }

    /// A connected socket on which nothing has been said.
    package func connectRaw() throws -> BlockingConnection {
        try BlockingConnection(to: location, deadline: .now + .seconds(10))
    }

    /// Runs the `reeve` command in the agent's home. Returns its exit status and output.
    package func command(
        _ arguments: [String], environment extra: [String: String] = [:]
    ) throws -> (status: Int32, output: String) {
        try run(Self.binary, arguments, extra)
    }

    /// Runs a script of `sh` in the agent's home, with the `reeve` command as `$REEVE`. Returns its exit status and output.
    package func shell(
        _ script: String, environment extra: [String: String] = [:]
    ) throws -> (status: Int32, output: String) {
        try run("/bin/sh", ["-c", "cd \"$HOME\" && \(script)"], extra.merging(["REEVE": Self.binary]) { $1 })
    }

    private func run(
        _ program: String, _ arguments: [String], _ extra: [String: String]
    ) throws -> (status: Int32, output: String) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = environment.merging(extra) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}

/// Why a test can't go on.
package struct TestFailure: Error, CustomStringConvertible {
    package var description: String
    package init(_ description: String) { self.description = description }
}
