import Testing

@testable import History

/// The running total of what isn't acknowledged, against a sum made anew each time.
@Suite struct UnsentSizesTests {
    @Test func theTotalIsThatOfTheEntriesLeft() {
        var random = SystemRandomNumberGenerator()
        var sizes = UnsentSizes()
        var entries: [Int64: Int] = [:]
        var version: Int64 = 0
        var acknowledged: Int64 = 0
        for _ in 0..<2_000 {
            if Bool.random(using: &random) {
                version += Int64.random(in: 1...3, using: &random)
                let bytes = Int.random(in: 0...40, using: &random)
                sizes.append(version, bytes)
                entries[version] = bytes
            } else {
                acknowledged = Int64.random(in: acknowledged...max(acknowledged, version), using: &random)
                sizes.acknowledge(acknowledged)
            }
            let left = entries.filter { $0.key > acknowledged }.reduce(0) { $0 + $1.value }
            #expect(sizes.total == left, "acknowledged \(acknowledged) of \(entries.keys.sorted())")
            #expect(sizes.through == version)
        }
    }
}
