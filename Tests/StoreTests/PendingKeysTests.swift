import TestSupport
import Testing

@testable import Store

struct PendingKeysTests {
    private struct Known: Equatable {
        var object: Int64
        var state: PendingKeys.State
    }

    private func key(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }

    private func find(_ keys: inout PendingKeys, _ number: Int) -> Known? {
        key(number).withUnsafeBytes { keys.find($0) }.map { Known(object: $0.object, state: $0.state) }
    }

    private func set(_ keys: inout PendingKeys, _ number: Int, _ known: Known) {
        key(number).withUnsafeBytes { keys.set($0, object: known.object, known.state) }
    }

    private func contents(_ keys: PendingKeys) -> [(Int, Known)] {
        var found: [(Int, Known)] = []
        keys.forEachAscending { key, entry in
            found.append((Int(key[0]) << 8 | Int(key[1]), Known(object: entry.object, state: entry.state)))
        }
        return found
    }

    @Test func `ascending keys are found, whatever was looked for between`() {
        var keys = PendingKeys()
        #expect(keys.isEmpty)
        #expect(find(&keys, 0) == nil)
        for number in 0..<1_000 {
            #expect(find(&keys, number) == nil)
            set(&keys, number, Known(object: Int64(number), state: .present))
            if number % 300 == 299 { #expect(find(&keys, number / 2)?.object == Int64(number / 2)) }
        }
        for number in 0..<1_000 { #expect(find(&keys, number)?.object == Int64(number)) }
        set(&keys, 999, Known(object: 999, state: .absent))
        #expect(find(&keys, 999)?.state == .absent)
        #expect(contents(keys).map(\.0) == Array(0..<1_000))
        keys.removeAll()
        #expect(keys.isEmpty)
        #expect(find(&keys, 5) == nil)
        set(&keys, 5, Known(object: 1, state: .tombstone))
        #expect(find(&keys, 5) == Known(object: 1, state: .tombstone))
        #expect(contents(keys).count == 1)
    }

    @Test func `keys in any order agree with a dictionary`() {
        var generator = SeededGenerator(seed: randomSeed)
        for round in 0..<20 {
            var keys = PendingKeys()
            var model: [Int: Known] = [:]
            // The first so many ascend.
            let ascending = round * 10
            for step in 0..<500 {
                let number = step < ascending ? step * 3 : Int.random(in: 0..<700, using: &generator)
                #expect(find(&keys, number) == model[number], "seed \(randomSeed)")
                let states: [PendingKeys.State] = [.present, .tombstone, .absent]
                let known = Known(object: Int64(step), state: states[Int.random(in: 0..<3, using: &generator)])
                set(&keys, number, known)
                model[number] = known
            }
            let found = contents(keys)
            #expect(found.map(\.0) == model.keys.sorted(), "seed \(randomSeed)")
            #expect(found.allSatisfy { model[$0.0] == $0.1 }, "seed \(randomSeed)")
            #expect((0..<700).allSatisfy { find(&keys, $0) == model[$0] }, "seed \(randomSeed)")
        }
    }
}
