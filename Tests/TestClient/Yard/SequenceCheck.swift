/// Holds a change set against what a sequence of rows was and is.
struct SequenceCheck {
    let old: [String]
    let new: [String]
    /// Whether another element in the place of one counts as a modification, as in lists.
    var mayReplace = false
    /// Whether a row that is still there counts as modified.
    let isModified: (String) -> Bool

    /// What is wrong with a change set.
    func faults(deletions: [Int], insertions: [Int], modifications: [Int]) -> [String] {
        for (name, positions, count) in [
            ("deletions", deletions, old.count), ("insertions", insertions, new.count),
            ("modifications", modifications, new.count)
        ] {
            if positions.contains(where: { !(0..<count).contains($0) }) { return ["\(name) out of bounds"] }
            if zip(positions, positions.dropFirst()).contains(where: { $0 >= $1 }) { return ["\(name) out of order"] }
        }
        if !Set(insertions).isDisjoint(with: modifications) { return ["inserted and modified at once"] }
        let left = old.indices.filter { !deletions.contains($0) }
        let kept = new.indices.filter { !insertions.contains($0) }
        guard left.count == kept.count else { return ["\(left.count) rows stay, \(kept.count) are left"] }
        var faults: [String] = []
        for (before, after) in zip(left, kept) {
            let isTold = modifications.contains(after)
            if old[before] != new[after] {
                if !mayReplace || !isTold { faults.append("\(old[before]) became \(new[after]) at \(after)") }
            } else if isTold != isModified(new[after]) {
                // Which of several equal elements has stayed is not determined.
                if mayReplace, isTold,
                    old.filter({ $0 == new[after] }).count + new.filter({ $0 == new[after] }).count > 2
                {
                    continue
                }
                faults.append("\(new[after]) at \(after) is \(isTold ? "told" : "not told") as modified")
            }
        }
        let isUnique = Set(old).count == old.count && Set(new).count == new.count
        let unmoved = zip(left, kept).filter { old[$0.0] == new[$0.1] }.count
        if isUnique, unmoved < longestCommonLength { faults.append("\(unmoved) of \(longestCommonLength) rows stay") }
        return faults
    }

    /// How many rows can stay when the fewest move.
    private var longestCommonLength: Int {
        var lengths = [Int](repeating: 0, count: new.count + 1)
        for row in old {
            var diagonal = 0
            for (index, other) in new.enumerated() {
                let above = lengths[index + 1]
                lengths[index + 1] = row == other ? diagonal + 1 : max(above, lengths[index])
                diagonal = above
            }
        }
        return lengths[new.count]
    }
}
