import Foundation

/// Where a run happens: a temporary directory with an agent of its own.
final class Bench {
    let directory: URL
    /// Where `reeve` is.
    let binaries: URL
    let agent: BenchAgent

    init(binaries: URL) throws {
        self.binaries = binaries
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("reeve-bench-\(getpid())")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        agent = try BenchAgent(binaries: binaries, home: directory)
        setenv("REEVE_SOCKET", agent.socket, 1)
        setenv("REEVE_AGENT", binaries.appendingPathComponent("reeve").path, 1)
        setenv("HOME", directory.path, 1)
    }

    var socket: String { agent.socket }
    var agentPid: pid_t { agent.pid }

    func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

    /// Starts this program again in another role, on another device if there is one.
    func child(
        _ arguments: [String], on device: BenchAgent? = nil, input: Pipe? = nil, output: Pipe? = nil
    ) throws -> Process {
        let process = Process()
        if let device {
            process.environment = ProcessInfo.processInfo.environment.merging(
                ["REEVE_SOCKET": device.socket, "HOME": device.home.path]) { $1 }
        }
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        if let input { process.standardInput = input }
        if let output { process.standardOutput = output }
        try process.run()
        return process
    }

    func finish() {
        agent.end()
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
