import Foundation
import Model
import Query
import TestSupport
import Testing

@testable import Store

/// Text conditions over whole columns: as each text by itself, also where one ends and the next begins, where letters
/// fold to ASCII, where texts are null, empty, or stored elsewhere.
struct TextScanTests {
    private static let letters = ["a", "A", "b", "B", "ab", "k", "K", "\u{212A}", "s", "\u{17F}", "é", "É", "日", "\0"]

    private func text(_ generator: inout SeededGenerator, _ count: ClosedRange<Int>) -> String {
        (0..<Int.random(in: count, using: &generator)).map { _ in
            // Mostly ASCII, so that there are clusters without anything else.
            let few = Int.random(in: 0..<40, using: &generator) > 0
            return Self.letters[Int.random(in: 0..<(few ? 7 : Self.letters.count), using: &generator)]
        }.joined()
    }

    private func matches(_ text: String?, _ op: Comparison.Operator, _ pattern: String, _ folds: Bool) -> Bool {
        guard let text else { return op == .notEqual }
        let options: Comparison.Options = folds ? .caseInsensitive : []
        let (a, b) = (Array(TextFolding.fold(text, options).utf8), Array(TextFolding.fold(pattern, options).utf8))
        return switch op {
        case .equal: a == b
        case .notEqual: a != b
        case .beginsWith: a.starts(with: b)
        case .endsWith: a.reversed().starts(with: b.reversed())
        default: b.isEmpty || a.indices.contains { a[$0...].starts(with: b) }
        }
    }

    @Test func `columns of texts are searched as each text by itself is`() throws {
        var generator = SeededGenerator(seed: randomSeed)
        let realm = TestRealm()
        let file = try realm.open()
        try file.ensure(dogs)
        let texts: [String?] = (0..<2_500).map { number in
            switch number % 50 {
            case 0: nil
            case 1: String(repeating: "x", count: 5_000) + text(&generator, 0...3)
            default: text(&generator, 0...6)
            }
        }
        var changes: [Instruction] = []
        for (number, text) in texts.enumerated() {
            changes.append(.create("Dog", Int64(number)))
            changes.append(.set("Dog", Int64(number), "nick", text.map { .string($0) } ?? .null))
        }
        try file.write(changes)
        let snapshot = try file.snapshot()
        let table = try #require(snapshot.table(named: "Dog"))
        for _ in 0..<(60 * soakFactor) {
            let pattern = text(&generator, 0...3)
            for op: Comparison.Operator in [.equal, .notEqual, .beginsWith, .endsWith, .contains] {
                for folds in [false, true] {
                    let comparison = Comparison(
                        .path(PropertyPath(names: ["nick"]), quantifier: nil), op, .constant(.string(pattern)),
                        options: folds ? .caseInsensitive : [])
                    let found = try snapshot.objects(ClassQuery("Dog", .comparison(comparison)))
                    let expected = texts.indices.filter { matches(texts[$0], op, pattern, folds) }
                    #expect(
                        found.map { table.primaryKey(of: $0) } == expected.map { .int(Int64($0)) },
                        "seed \(randomSeed): \(op)\(folds ? "[c]" : "") '\(pattern)'")
                }
            }
        }
        #expect(snapshot.damage.isEmpty)
    }

    @Test func `texts that begin alike are sorted to the end`() throws {
        var generator = SeededGenerator(seed: randomSeed)
        let realm = TestRealm()
        let file = try realm.open()
        try file.ensure(dogs)
        let texts: [String?] = (0..<600).map { number in
            number % 9 == 0 ? nil : ["", "prefix_o", "prefix_of", "a", "a\0"][number % 5] + text(&generator, 0...2)
        }
        var changes: [Instruction] = []
        for (number, text) in texts.enumerated() {
            changes.append(.create("Dog", Int64(number)))
            changes.append(.set("Dog", Int64(number), "nick", text.map { .string($0) } ?? .null))
        }
        try file.write(changes)
        let snapshot = try file.snapshot()
        let table = try #require(snapshot.table(named: "Dog"))
        for ascending in [true, false] {
            let key = SortKey(PropertyPath(names: ["nick"]), ascending: ascending)
            let found = try snapshot.objects(ClassQuery("Dog", .constant(true), [.sort([key])]))
            func order(_ a: Int) -> [UInt8]? { texts[a].map { Array($0.utf8) } }
            let expected = texts.indices.sorted { a, b in
                let (x, y) = (order(a), order(b))
                if x == y { return a < b }
                guard let x else { return ascending }
                guard let y else { return !ascending }
                return x.lexicographicallyPrecedes(y) == ascending
            }
            #expect(found.map { table.primaryKey(of: $0) } == expected.map { .int(Int64($0)) }, "seed \(randomSeed)")
        }
    }
}
