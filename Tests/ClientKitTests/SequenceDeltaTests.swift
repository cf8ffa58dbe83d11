import TestSupport
import Testing

@testable import ClientKit

@Suite("How one sequence became another")
struct SequenceDeltaTests {
    /// Deletes, then inserts, as an observer would (NO-03).
    private func replay(_ delta: SequenceDelta<Int>, _ old: [Int], _ new: [Int]) -> [Int] {
        var result = old
        for index in delta.deletions.reversed() { result.remove(at: index) }
        for index in delta.insertions { result.insert(new[index], at: index) }
        for index in delta.replacements { result[index] = new[index] }
        return result
    }

    @Test("NO-03: deletions and insertions reproduce every small sequence", arguments: [false, true])
    func everySmallCase(pairing: Bool) {
        let sequences = (0...4).flatMap { length in
            (0..<pow3(length)).map { number in (0..<length).map { number / pow3($0) % 3 } }
        }
        for old in sequences {
            for new in sequences {
                let delta = SequenceDelta(from: old, to: new, pairingReplacements: pairing)
                #expect(replay(delta, old, new) == new, "\(old) to \(new)")
                #expect(delta.deletions == delta.deletions.sorted() && delta.insertions == delta.insertions.sorted())
                #expect(delta.kept.allSatisfy { old[$0.old] == new[$0.new] })
                #expect(delta.kept.count + delta.replacements.count + delta.insertions.count == new.count)
                #expect(Set(delta.kept.map(\.new) + delta.replacements + delta.insertions).count == new.count)
            }
        }
    }

    private func pow3(_ exponent: Int) -> Int { (0..<exponent).reduce(1) { power, _ in power * 3 } }

    @Test("NO-03: a moved element is a deletion and an insertion")
    func moved() {
        let delta = SequenceDelta(from: [1, 2, 3, 4], to: [1, 3, 4, 2])
        #expect(delta.deletions == [1])
        #expect(delta.insertions == [3])
    }

    @Test("an element that stands where another stood replaces it, if asked for")
    func replaced() {
        let delta = SequenceDelta(from: [1, 2, 3], to: [1, 9, 3], pairingReplacements: true)
        #expect(delta.replacements == [1])
        #expect(delta.deletions.isEmpty && delta.insertions.isEmpty)
        #expect(SequenceDelta(from: [1, 2, 3], to: [1, 9, 3]).deletions == [1])
    }

    @Test("random edits of long sequences reproduce them")
    func random() {
        var generator = SeededGenerator(seed: randomSeed)
        for _ in 0..<200 * soakFactor {
            var new = Array(0..<Int.random(in: 0...200, using: &generator))
            let old = new
            for _ in 0..<Int.random(in: 0...20, using: &generator) where !new.isEmpty {
                switch Int.random(in: 0...2, using: &generator) {
                case 0: new.remove(at: Int.random(in: 0..<new.count, using: &generator))
                case 1: new.insert(1000 + new.count, at: Int.random(in: 0...new.count, using: &generator))
                default:
                    let element = new.remove(at: Int.random(in: 0..<new.count, using: &generator))
                    new.insert(element, at: Int.random(in: 0...new.count, using: &generator))
                }
            }
            let delta = SequenceDelta(from: old, to: new)
            #expect(replay(delta, old, new) == new, "seed \(randomSeed)")
        }
    }
}
