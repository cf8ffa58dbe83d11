import Foundation

/// Waits until `condition` holds. False if it doesn't within `deadline`. Looks again every millisecond: for effects of
/// other threads and processes that have no other way to be waited for.
package func eventually(within deadline: Duration = .seconds(10), _ condition: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + deadline
    while true {
        if try condition() { return true }
        if ContinuousClock.now >= end { return false }
        usleep(1000)
    }
}

/// A directory (0700) that vanishes with the object. Its path is short enough for sockets.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init() {
        var template = Array("/tmp/reeve-test-XXXXXX".utf8CString)
        let made = mkdtemp(&template)
        precondition(made != nil, "mkdtemp: \(String(cString: strerror(errno)))")
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Path of an entry of the directory.
    package func path(_ name: String) -> String { "\(path)/\(name)" }
}

/// A seeded generator (SplitMix64), so that a failure can be repeated.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// How long random tests run: 1 in `make test`, the value of `REEVE_SOAK` in `make soak`.
package let soakFactor = max(1, Int(ProcessInfo.processInfo.environment["REEVE_SOAK"] ?? "") ?? 1)

/// Seed of a random test: `REEVE_SEED`, or a new one. Put it into the failure message.
package let randomSeed: UInt64 =
    ProcessInfo.processInfo.environment["REEVE_SEED"].flatMap { UInt64($0) }
    ?? UInt64.random(in: 0...UInt64(UInt32.max))
