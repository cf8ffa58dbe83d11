import Model
import TestSupport
import Testing

@testable import ClientKit

@Suite("Primary keys of a transaction's new objects")
struct NewPrimaryKeysTests {
    /// The keys of an overlay's rows, nil where the object was deleted.
    private struct Rows {
        var keys = NewPrimaryKeys()
        var rows: [PrimaryKey?] = []

        mutating func insert(_ key: PrimaryKey) -> Int {
            keys.insert(key)
            rows.append(key)
            return rows.count - 1
        }

        mutating func find(_ key: PrimaryKey) -> Int? {
            keys.mayContain(key) ? keys.find(key, among: rows.count) { rows[$0] } : nil
        }

        mutating func remove(_ key: PrimaryKey) {
            keys.remove(key)
            if let row = rows.firstIndex(of: key) { rows[row] = nil }
        }
    }

    @Test("rising keys are found, and the next one is told to be absent")
    func rising() {
        var keys = Rows()
        for number in 0..<100 {
            #expect(!keys.keys.mayContain(.int(Int64(number))))
            #expect(keys.insert(.int(Int64(number))) == number)
        }
        #expect(keys.find(.int(42)) == 42)
        #expect(!keys.keys.mayContain(.int(100)))
    }

    @Test("a deleted object's key is free again")
    func removed() {
        var keys = Rows()
        _ = keys.insert(.string("a"))
        _ = keys.insert(.string("b"))
        keys.remove(.string("b"))
        #expect(keys.find(.string("b")) == nil)
        #expect(keys.find(.string("a")) == 0)
        #expect(keys.insert(.string("b")) == 2)
        #expect(keys.find(.string("b")) == 2)
        keys.remove(.string("b"))
        #expect(keys.find(.string("b")) == nil)
    }

    @Test("any order agrees with a dictionary")
    func random() {
        var generator = SeededGenerator(seed: randomSeed)
        var keys = Rows()
        var model: [PrimaryKey: Int] = [:]
        for _ in 0..<2000 {
            let key = PrimaryKey.int(Int64.random(in: 0..<300, using: &generator))
            #expect(keys.find(key) == model[key], "seed \(randomSeed)")
            if model[key] == nil {
                model[key] = keys.insert(key)
            } else if Bool.random(using: &generator) {
                keys.remove(key)
                model[key] = nil
            }
        }
    }
}
