import Store

/// Remembers what cancelled transactions created, so that accessors of such objects stay invalid although their keys
/// are given out again.
struct CancelledTransactions {
    private struct Entry {
        let generations: ClosedRange<UInt64>
        /// By table, the first key that was given to a new object.
        let firstNewKeys: [TableId: Int64]
    }

    /// Ascending by generations, which never overlap.
    private var entries: [Entry] = []

    mutating func insert(_ generations: ClosedRange<UInt64>, _ firstNewKeys: [TableId: Int64]) {
        guard !firstNewKeys.isEmpty else { return }
        entries.append(Entry(generations: generations, firstNewKeys: firstNewKeys))
    }

    /// Whether an accessor that was last located at `generation` stands for an object that never came to be.
    func contains(_ table: TableId, _ key: ObjectKey, generation: UInt64) -> Bool {
        guard let last = entries.last, generation <= last.generations.upperBound else { return false }
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].generations.upperBound < generation { low = middle + 1 } else { high = middle }
        }
        guard low < entries.count, entries[low].generations.contains(generation),
            let first = entries[low].firstNewKeys[table]
        else { return false }
        return key.raw >= first
    }
}
