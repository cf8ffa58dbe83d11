import Foundation

/// A sync server as a process of its own, which makes apps as they are asked for.
final class BenchServer {
    private(set) var url = ""
    private let binary: URL
    private let data: String
    private var process = Process()

    /// `name` is that of its data directory.
    init(_ bench: Bench, name: String = "server") throws {
        binary = bench.binaries.appendingPathComponent("reeve")
        data = bench.path(name)
        try start(at: "127.0.0.1:0")
    }

    private func start(at address: String) throws {
        let log = Pipe()
        process = Process()
        process.executableURL = binary
        process.arguments = ["server", "--data", data, "--listen", address, "--development"]
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
        // Its log goes on being read, so that it never waits for a reader.
        Thread.detachNewThread { while !log.fileHandleForReading.availableData.isEmpty {} }
    }

    /// Ends it and starts it at the same address: what it had in memory is gone.
    func restart() throws {
        end()
        try start(at: String(url.dropFirst("http://".count)))
    }

    /// The app that `url`'s clients use. An app's first configuration stays (AP-02), so each server has one of its own.
    static func app(at url: String) -> String { "bench-" + url.drop { !$0.isNumber }.filter(\.isNumber) }

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
    }
}
