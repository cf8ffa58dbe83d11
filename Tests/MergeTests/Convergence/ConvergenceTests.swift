import TestSupport
import Testing

/// Replicas that write at the same time, with clocks that are off and connections that break, end in the same state
/// (M-100, M-102, M-108, M-109).
struct ConvergenceTests {
    static let rounds = 200 * soakFactor

    @Test func `replicas and a server end in the same state`() {
        let first = randomSeed
        for round in 0..<UInt64(Self.rounds) {
            let seed = first &+ round
            let run = ConvergenceRun(seed: seed)
            guard run.failure() != nil else { continue }
            Issue.record("REEVE_SEED=\(seed): \(run.shrunk().story)")
            return
        }
    }
}
