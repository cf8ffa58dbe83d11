import Model
import Store
import TestSupport
import Testing

@testable import ClientKit

@Suite("Primary keys of a transaction's new objects")
struct NewPrimaryKeysTests {
    @Test("rising keys are found, and the next one is told to be absent")
    func rising() {
        var keys = NewPrimaryKeys()
        for number in 0..<100 {
            #expect(keys.find(.int(Int64(number))) == nil)
            keys.insert(.int(Int64(number)), ObjectKey(Int64(number)))
        }
        #expect(keys.find(.int(42)) == ObjectKey(42))
        #expect(keys.find(.int(100)) == nil)
    }

    @Test("a deleted object's key is free again")
    func removed() {
        var keys = NewPrimaryKeys()
        keys.insert(.string("a"), ObjectKey(1))
        keys.insert(.string("b"), ObjectKey(2))
        keys.remove(.string("b"))
        #expect(keys.find(.string("b")) == nil)
        #expect(keys.find(.string("a")) == ObjectKey(1))
        keys.insert(.string("b"), ObjectKey(3))
        #expect(keys.find(.string("b")) == ObjectKey(3))
    }

    @Test("any order agrees with a dictionary")
    func random() {
        var generator = SeededGenerator(seed: randomSeed)
        var keys = NewPrimaryKeys()
        var model: [PrimaryKey: ObjectKey] = [:]
        for step in 0..<2000 {
            let key = PrimaryKey.int(Int64.random(in: 0..<300, using: &generator))
            #expect(keys.find(key) == model[key], "seed \(randomSeed)")
            if model[key] == nil {
                keys.insert(key, ObjectKey(Int64(step)))
                model[key] = ObjectKey(Int64(step))
            } else if Bool.random(using: &generator) {
                keys.remove(key)
                model[key] = nil
            }
        }
    }
}
