import TestSupport
import Testing

@testable import Sync

/// Both machines on a network that fails, until everything has arrived everywhere once.
struct SimulationTests {
    @Test(arguments: SyncProtocol.Mode.allCases)
    func `no change is lost or doubled, and all replicas get all of them (P-56, P-107)`(mode: SyncProtocol.Mode) {
        for round in 0..<25 * UInt64(soakFactor) {
            let seed = randomSeed &+ round
            var simulation = Simulation<MemoryFile, MemoryHistory>(
                seed: seed, mode: mode, clients: 3, paths: mode == .flexible ? ["a"] : ["a", "b"])
            let fault = simulation.run(steps: 600)
            #expect(fault == nil, "seed \(seed), \(mode)")
            if fault != nil { return }
        }
    }

    @Test func `replicas that merge end in the server's state (P-109, P-138)`() {
        for round in 0..<25 * UInt64(soakFactor) {
            let seed = randomSeed &+ round
            var simulation = Simulation<MergingFile, MergingRealm>(
                seed: seed, mode: .partition, clients: 3, paths: ["a"])
            let fault = simulation.run(steps: 600)
            #expect(fault == nil, "seed \(seed)")
            if fault != nil { return }
        }
    }
}
