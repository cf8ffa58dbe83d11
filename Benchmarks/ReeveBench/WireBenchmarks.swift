import CFloor
import Foundation
import Wire

/// What a small request costs, next to an echo of the same size on the same event loop in C.
struct WireBenchmarks {
    let bench: Bench

    func run() throws -> [Measurement] {
        print("round trips…")
        let count = 20_000
        // What a wake-up costs depends on which processors the two are on: the same ones in both cases.
        let isPinned = ProcessInfo.processInfo.activeProcessorCount > 1 && floor_pin(0, 0) == 0
        if isPinned { floor_pin(bench.agentPid, 1) }
        defer {
            floor_pin(0, -1)
            floor_pin(bench.agentPid, -1)
        }
        let client = try BlockingClient(to: SocketLocation.resolve(), client: "reeve-bench")
        let realm = try client.call(RealmOpen(path: bench.path("wire.realm"), create: true)).realm
        // A request that does next to nothing, with an empty reply.
        let release = SnapshotRelease(realm: realm, pins: [])
        let echo = try echoNanoseconds(size: try release.frame(id: 1).count, count: count, isPinned)

        for _ in 0..<1000 { _ = try client.call(release) }
        let times = try (0..<count).map { _ in
            let start = now()
            _ = try client.call(release)
            return Double(now() - start)
        }
        return [
            .atMost(
                1.5, "round trip of a small request", median(times) / 1e3, "µs", peer: "C libuv echo", echo / 1e3)
        ]
    }

    private func echoNanoseconds(size: Int, count: Int, _ isPinned: Bool) throws -> Double {
        let path = bench.path("echo.sock")
        let server = try bench.child(["--role", "echo", path])
        defer {
            floor_echo_stop(path)
            server.waitUntilExit()
        }
        let deadline = Date(timeIntervalSinceNow: 10)
        while !FileManager.default.fileExists(atPath: path) {
            guard Date() < deadline, server.isRunning else { throw BenchError("the echo server did not start") }
            usleep(5_000)
        }
        if isPinned { floor_pin(server.processIdentifier, 1) }
        var times = [UInt64](repeating: 0, count: count)
        let result = floor_echo_round_trips(path, size, count, &times)
        guard result == 0 else { throw BenchError("echo: \(String(cString: strerror(-result)))") }
        return median(times.map { Double($0) })
    }

    /// The echo server's role.
    static func echo(path: String) throws {
        let result = floor_echo_serve(path)
        guard result == 0 else { throw BenchError("echo: \(String(cString: strerror(-result)))") }
    }
}
