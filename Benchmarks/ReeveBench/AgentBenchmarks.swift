import Foundation

/// What an agent costs that has nothing to do.
struct AgentBenchmarks {
    let bench: Bench

    func run() throws -> [Measurement] {
        print("watching an idle agent for 5 seconds…")
        let before = try contextSwitches()
        sleep(5)
        let wakeUps = try contextSwitches() - before
        return [
            .atMost(1, "idle agent: resident memory", try residentMegabytes(), "MB", peer: "goal", 20),
            Measurement(
                name: "idle agent: wake-ups in 5 s", value: Double(wakeUps), unit: "", peer: "goal", peerValue: 0,
                ratio: Double(wakeUps), goal: "<= 0", met: wakeUps == 0)
        ]
    }

    private func residentMegabytes() throws -> Double {
        let status = try String(contentsOfFile: "/proc/\(bench.agentPid)/status", encoding: .utf8)
        guard let kilobytes = Self.field("VmRSS", in: status) else { throw BenchError("no VmRSS") }
        return Double(kilobytes) / 1024
    }

    /// Voluntary switches of all threads: one for each time a thread woke and went back to sleep.
    private func contextSwitches() throws -> Int {
        let tasks = "/proc/\(bench.agentPid)/task"
        return try FileManager.default.contentsOfDirectory(atPath: tasks).reduce(0) { sum, thread in
            let status = try String(contentsOfFile: "\(tasks)/\(thread)/status", encoding: .utf8)
            return sum + (Self.field("voluntary_ctxt_switches", in: status) ?? 0)
        }
    }

    private static func field(_ name: String, in status: String) -> Int? {
        status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            .flatMap { line in line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } }
    }
}
