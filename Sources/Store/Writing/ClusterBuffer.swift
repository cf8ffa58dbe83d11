import Model

/// One column of a cluster being written.
final class ColumnBuffer {
    @exclusivity(unchecked) var builder: ChunkBuilder
    @exclusivity(unchecked) var isDirty = false

    init(_ builder: ChunkBuilder) {
        self.builder = builder
    }

    /// Appends defaults until there are `count` rows.
    func pad(to count: Int, nullable: Bool) {
        while builder.count < count {
            // A link's null is its zero.
            if nullable && builder.kind != .link { builder.appendNull() } else { builder.appendDefault() }
        }
    }
}

/// A cluster of a table while a transaction changes it: its keys, and those columns that were touched.
final class ClusterBuffer {
    let base: Int64
    /// Whether the file has records of it.
    @exclusivity(unchecked) var isStored: Bool
    /// Rows that it has there.
    let storedCount: Int
    @exclusivity(unchecked) var keys: ContiguousArray<Int64>
    @exclusivity(unchecked) var keysAreDirty = false
    /// By slot; the two hidden columns of global keys come last.
    @exclusivity(unchecked) var columns: [ColumnBuffer?]
    /// Rows whose object was erased. They stay until the cluster is written, so that row numbers hold meanwhile.
    @exclusivity(unchecked) var removed = RowBits()
    @exclusivity(unchecked) var removedCount = 0
    /// Rows from here on aren't in the indexes yet.
    @exclusivity(unchecked) var firstUnindexedRow: Int

    init(base: Int64, keys: ContiguousArray<Int64>, columnCount: Int, isStored: Bool) {
        self.base = base
        self.keys = keys
        self.isStored = isStored
        storedCount = isStored ? keys.count : 0
        columns = Array(repeating: nil, count: columnCount + 2)
        firstUnindexedRow = keys.count
    }

    var liveCount: Int { keys.count - removedCount }

    var isDirty: Bool { keysAreDirty || columns.contains { $0?.isDirty == true } }

    /// The row of an object, erased or not.
    func row(of key: Int64) -> Int? {
        guard let first = keys.first, let last = keys.last, key >= first, key <= last else { return nil }
        if last - first + 1 == Int64(keys.count) { return Int(key - first) }
        let row = firstRow(notBelow: key)
        return keys[row] == key ? row : nil
    }

    func firstRow(notBelow key: Int64) -> Int {
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func remove(_ row: Int) {
        removed.set(row, true)
        removedCount += 1
        keysAreDirty = true
    }

    func restore(_ row: Int) {
        removed.set(row, false)
        removedCount -= 1
        keysAreDirty = true
    }
}
