import Foundation

/// An agent as a process of its own, with a home of its own: a device.
final class BenchAgent {
    let home: URL
    let socket: String
    private let process: Process

    /// Starts it, and waits for its socket; `home` is made.
    init(binaries: URL, home: URL) throws {
        self.home = home
        let run = home.appendingPathComponent("run")
        try FileManager.default.createDirectory(
            at: run, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        socket = run.appendingPathComponent("agent.sock").path
        process = Process()
        process.executableURL = binaries.appendingPathComponent("reeve")
        process.arguments = ["agent"]
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["REEVE_SOCKET": socket, "HOME": home.path]) { $1 }
        process.standardError = FileHandle(forWritingAtPath: "/dev/null")
        process.standardOutput = FileHandle(forWritingAtPath: "/dev/null")
        try process.run()
        let deadline = Date(timeIntervalSinceNow: 10)
        while !FileManager.default.fileExists(atPath: socket) {
            guard Date() < deadline, process.isRunning else { throw BenchError("the agent did not start") }
            usleep(5_000)
        }
    }

    var pid: pid_t { process.processIdentifier }

    func end() {
        process.terminate()
        process.waitUntilExit()
    }
}
