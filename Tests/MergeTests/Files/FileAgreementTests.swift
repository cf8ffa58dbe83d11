import Model
import Store
import TestSupport
import Testing

@testable import Merge

/// What a realm file makes of changesets is what the realm in memory makes of them, on which merging is proved.
@Suite struct FileAgreementTests {
    private let directory = TemporaryDirectory()

    private func file(_ name: String) throws -> RealmFile {
        var options = RealmFileOptions()
        options.inMemory = true
        return try RealmFile(path: "\(directory.path)/\(name).realm", options: options)
    }

    private func write(_ instructions: [Instruction], to file: RealmFile) throws {
        let transaction = try file.beginWrite()
        do {
            let bytes = try Changeset.encode(instructions)
            try bytes.withUnsafeBytes { try transaction.apply($0) }
            try transaction.commit(uid: nil)
        } catch {
            transaction.rollback()
            throw error
        }
    }

    @Test(.enabled(if: GoldenMerges.isPresent, "no golden data: set REEVE_VECTORS to the directory of merge.json"))
    func `recorded histories leave the same state in a file (M-100)`() throws {
        for (number, record) in try GoldenMerges.load().enumerated() where record.result == "ok" {
            let merged = try MergedPair(ours: record.ours, theirs: record.theirs)
            for (side, changesets) in [
                record.ours.map(\.instructions) + merged.theirs, record.theirs.map(\.instructions) + merged.ours
            ].enumerated() {
                let file = try file("\(number)-\(side)")
                var state = ReplicaState()
                do {
                    for changeset in [record.base] + changesets {
                        try state.apply(changeset)
                        try write(changeset, to: file)
                    }
                } catch {
                    Issue.record("\(record.name): \(error)")
                }
                let snapshot = try file.snapshot()
                #expect(snapshot.stateDigest() == state.digest, "\(record.name)")
                #expect(snapshot.checkInvariants() == [], "\(record.name)")
                try file.close()
            }
        }
    }

    @Test func `random changes leave the same state in a file`() throws {
        let seed = randomSeed
        for round in 0..<UInt64(20 * soakFactor) {
            let run = ConvergenceRun(seed: seed &+ round)
            let file = try file("random-\(round)")
            var state = ReplicaState()
            try state.apply(TestSchema.base)
            try write(TestSchema.base, to: file)
            for transaction in 0..<UInt64(30) {
                var writer = RandomWriter(
                    state, fileIdent: 0, focus: run.focus, keys: run.keys, seed: seed &+ round &* 1_000 &+ transaction)
                for _ in 0..<4 { try writer.change() }
                do {
                    try write(writer.recorded, to: file)
                } catch {
                    let summary = writer.recorded.map { "\($0)" }.joined(separator: "\n")
                    Issue.record("seed \(seed), round \(round), transaction \(transaction): \(error)\n\(summary)")
                    break
                }
                state = writer.state
                guard try file.snapshot().stateDigest() == state.digest else {
                    let summary = writer.recorded.map { "\($0)" }.joined(separator: "\n")
                    Issue.record("seed \(seed), round \(round), transaction \(transaction) differs after\n\(summary)")
                    break
                }
            }
            #expect(try file.snapshot().checkInvariants() == [], "seed \(seed), round \(round)")
            try file.close()
        }
    }
}
