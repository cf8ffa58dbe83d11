/// A set of object keys as runs of consecutive ones.
package struct KeyRuns: Hashable, Sendable {
    /// Disjoint, ascending, not adjacent.
    package private(set) var runs: [ClosedRange<Int64>] = []

    package init() {}

    package init(_ keys: some Sequence<ObjectKey>) {
        for key in keys { insert(key) }
    }

    package var isEmpty: Bool { runs.isEmpty }
    package var count: Int { runs.reduce(0) { $0 + $1.count } }

    /// The keys, ascending.
    package var keys: [ObjectKey] {
        runs.flatMap { run in run.map { ObjectKey($0) } }
    }

    package func contains(_ key: ObjectKey) -> Bool {
        let place = firstRun(endingNotBelow: key.raw)
        return place < runs.count && runs[place].contains(key.raw)
    }

    package mutating func insert(_ key: ObjectKey) {
        insert(key.raw...key.raw)
    }

    /// Inserts a run of keys; constant time at the end.
    package mutating func insert(_ run: ClosedRange<Int64>) {
        if let last = runs.last, run.lowerBound > last.upperBound {
            if run.lowerBound == last.upperBound + 1 {
                runs[runs.count - 1] = last.lowerBound...run.upperBound
            } else {
                runs.append(run)
            }
            return
        }
        // Runs that overlap or touch the new one become one with it.
        let from = firstRun(endingNotBelow: run.lowerBound == Int64.min ? run.lowerBound : run.lowerBound - 1)
        var to = from
        var merged = run
        while to < runs.count, runs[to].lowerBound <= run.upperBound || runs[to].lowerBound - 1 == run.upperBound {
            merged = min(merged.lowerBound, runs[to].lowerBound)...max(merged.upperBound, runs[to].upperBound)
            to += 1
        }
        runs.replaceSubrange(from..<to, with: CollectionOfOne(merged))
    }

    /// - Returns: whether the key was there.
    @discardableResult
    package mutating func remove(_ key: ObjectKey) -> Bool {
        let place = firstRun(endingNotBelow: key.raw)
        guard place < runs.count, runs[place].contains(key.raw) else { return false }
        let run = runs[place]
        var parts: [ClosedRange<Int64>] = []
        if run.lowerBound < key.raw { parts.append(run.lowerBound...(key.raw - 1)) }
        if run.upperBound > key.raw { parts.append((key.raw + 1)...run.upperBound) }
        runs.replaceSubrange(place...place, with: parts)
        return true
    }

    private func firstRun(endingNotBelow key: Int64) -> Int {
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].upperBound < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
