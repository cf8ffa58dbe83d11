import Foundation

/// What a process keeps in memory of its own, which mapped files aren't.
enum ProcessMemory {
    /// In megabytes; 0 for a process that is gone.
    static func anonymous(_ pid: pid_t) -> Double {
        let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Double($0) }.map { $0 / 1e3 } ?? 0
    }

    /// The most that each of some processes has while `process` runs.
    static func peaks(of pids: [pid_t], during process: Process) -> [Double] {
        var peaks = pids.map(anonymous)
        while process.isRunning {
            for (place, pid) in pids.enumerated() { peaks[place] = max(peaks[place], anonymous(pid)) }
            usleep(10_000)
        }
        return peaks
    }
}
