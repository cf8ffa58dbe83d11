import Foundation

/// A sync server as a process of its own, which makes apps as they are asked for.
final class BenchServer {
    let url: String
    private let binary: URL
    private let data: String
    private let process = Process()
    /// Its log goes on being read, so that it never waits for a reader.
    private let log = Pipe()

    /// `name` is that of its data directory.
    init(_ bench: Bench, name: String = "server") throws {
        binary = bench.binaries.appendingPathComponent("reeve")
        data = bench.path(name)
        process.executableURL = binary
        process.arguments = ["server", "--data", data, "--listen", "127.0.0.1:0", "--development"]
        process.standardOutput = FileHandle(forWritingAtPath: "/dev/null")
        process.standardError = log
        try process.run()
        var lines = LineReader(log.fileHandleForReading)
        var place: Substring?
        while place == nil, let line = lines.next() {
            guard line.contains("event=server.listening") else { continue }
            place = line.split(separator: " ").first { $0.hasPrefix("address=") }?.dropFirst(8)
        }
        guard let place else { throw BenchError("the server did not start") }
        url = "http://\(place)"
        log.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
    }

    var pid: pid_t { process.processIdentifier }

    /// Runs a command of the server's owner.
    func run(_ arguments: [String]) throws {
        let command = Process()
        command.executableURL = binary
        command.arguments = arguments + ["--data", data]
        command.standardOutput = FileHandle(forWritingAtPath: "/dev/null")
        try command.run()
        command.waitUntilExit()
        guard command.terminationStatus == 0 else { throw BenchError("reeve \(arguments) failed") }
    }

    func end() {
        process.terminate()
        process.waitUntilExit()
        log.fileHandleForReading.readabilityHandler = nil
    }
}
