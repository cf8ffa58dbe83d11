/// How one sequence became another: what left, what came, and what stayed. Elements may occur several times.
struct SequenceDelta<Element: Hashable> {
    /// Positions in the old sequence, ascending.
    private(set) var deletions: [Int] = []
    /// Positions in the new sequence, ascending.
    private(set) var insertions: [Int] = []
    /// Elements of another value at a place that stayed, by new position (only with `pairingReplacements`).
    private(set) var replacements: [Int] = []
    /// Positions of what stayed, old and new, both ascending.
    private(set) var kept: [(old: Int, new: Int)] = []

    /// An element that moved counts as deleted and inserted. `pairingReplacements`: an element that stands where
    /// another stood, between neighbours that stayed, replaces it.
    init(from old: [Element], to new: [Element], pairingReplacements: Bool = false) {
        var prefix = 0
        while prefix < old.count, prefix < new.count, old[prefix] == new[prefix] { prefix += 1 }
        var suffix = 0
        while suffix < old.count - prefix, suffix < new.count - prefix,
            old[old.count - 1 - suffix] == new[new.count - 1 - suffix]
        {
            suffix += 1
        }
        kept.reserveCapacity(prefix + suffix)
        for index in 0..<prefix { kept.append((index, index)) }
        matchMiddle(old, prefix..<old.count - suffix, new, prefix..<new.count - suffix)
        for offset in stride(from: suffix, to: 0, by: -1) { kept.append((old.count - offset, new.count - offset)) }
        collectGaps(old.count, new.count, pairingReplacements)
    }

    private mutating func matchMiddle(
        _ old: [Element], _ oldRange: Range<Int>, _ new: [Element], _ newRange: Range<Int>
    ) {
        guard !oldRange.isEmpty, !newRange.isEmpty else { return }
        // Equal elements are matched in order: the first with the first, and so on.
        var places: [Element: (next: Int, all: [Int])] = [:]
        places.reserveCapacity(oldRange.count)
        for index in oldRange { places[old[index], default: (0, [])].all.append(index) }
        var pairs: [(old: Int, new: Int)] = []
        for index in newRange {
            guard let place = places[new[index]], place.next < place.all.count else { continue }
            pairs.append((place.all[place.next], index))
            places[new[index]]?.next += 1
        }
        kept += Self.longestRising(pairs)
    }

    /// The longest part of the pairs in which the old positions rise: what has kept its order.
    private static func longestRising(_ pairs: [(old: Int, new: Int)]) -> [(old: Int, new: Int)] {
        // `tails[n]`: the pair that ends the best rising run of length n + 1.
        var tails: [Int] = []
        var previous = [Int](repeating: -1, count: pairs.count)
        for (index, pair) in pairs.enumerated() {
            var low = 0
            var high = tails.count
            while low < high {
                let middle = (low + high) / 2
                if pairs[tails[middle]].old < pair.old { low = middle + 1 } else { high = middle }
            }
            previous[index] = low > 0 ? tails[low - 1] : -1
            if low == tails.count { tails.append(index) } else { tails[low] = index }
        }
        var result: [(old: Int, new: Int)] = []
        var index = tails.last ?? -1
        while index >= 0 {
            result.append(pairs[index])
            index = previous[index]
        }
        return result.reversed()
    }

    private mutating func collectGaps(_ oldCount: Int, _ newCount: Int, _ pairing: Bool) {
        var (old, new) = (0, 0)
        for next in kept + [(oldCount, newCount)] {
            let paired = pairing ? min(next.old - old, next.new - new) : 0
            replacements += new..<new + paired
            deletions += old + paired..<next.old
            insertions += new + paired..<next.new
            (old, new) = (next.old + 1, next.new + 1)
        }
    }
}
