import Foundation

/// Where a run happens: a temporary directory with an agent of its own.
final class Bench {
    let directory: URL
    let socket: String
    private let agent: Process

    init(binaries: URL) throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("reeve-bench-\(getpid())")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let run = directory.appendingPathComponent("run")
        try FileManager.default.createDirectory(
            at: run, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        socket = run.appendingPathComponent("agent.sock").path
        setenv("REEVE_SOCKET", socket, 1)
        setenv("REEVE_AGENT", binaries.appendingPathComponent("reeve").path, 1)
        setenv("HOME", directory.path, 1)

        agent = Process()
        agent.executableURL = binaries.appendingPathComponent("reeve")
        agent.arguments = ["agent"]
        agent.standardError = FileHandle(forWritingAtPath: "/dev/null")
        agent.standardOutput = FileHandle(forWritingAtPath: "/dev/null")
        try agent.run()
        let deadline = Date(timeIntervalSinceNow: 10)
        while !FileManager.default.fileExists(atPath: socket) {
            guard Date() < deadline, agent.isRunning else { throw BenchError("the agent did not start") }
            usleep(5_000)
        }
    }

    var agentPid: pid_t { agent.processIdentifier }

    func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

    /// Starts this program again in another role.
    func child(_ arguments: [String], input: Pipe? = nil, output: Pipe? = nil) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        if let input { process.standardInput = input }
        if let output { process.standardOutput = output }
        try process.run()
        return process
    }

    func finish() {
        agent.terminate()
        agent.waitUntilExit()
        try? FileManager.default.removeItem(at: directory)
    }
}

struct BenchError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// A result of the C side: a time, or an SQLite error code as a negative number.
func checked(_ result: Int64) throws -> Double {
    guard result >= 0 else { throw BenchError("SQLite error \(-result)") }
    return Double(result)
}
