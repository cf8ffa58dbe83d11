/// Where the clusters of a table lie, in the order of their keys.
///
/// Immutable, so that snapshots can share it while the table's clusters keep their keys.
final class ClusterDirectory: Sendable {
    let bases: [Int64]
    /// Position of each cluster's first row in the table; one more than there are clusters, the last being the count.
    let firstIndexes: [Int]
    /// The version that it was made for.
    let version: UInt64

    init(bases: [Int64], firstIndexes: [Int], version: UInt64) {
        self.bases = bases
        self.firstIndexes = firstIndexes
        self.version = version
    }

    var count: Int { bases.count }

    /// Walks over the key columns of a table's clusters.
    /// - Parameter earlier: a directory whose clusters below `validBelow` are unchanged.
    static func build(
        _ table: TableId, _ transaction: ReadTransaction, version: UInt64, reusing earlier: ClusterDirectory?,
        validBelow: Int64
    ) throws -> ClusterDirectory {
        var bases: [Int64] = []
        var firstIndexes: [Int] = [0]
        if let earlier {
            let kept = earlier.position(notBelow: validBelow)
            bases = Array(earlier.bases[..<kept])
            firstIndexes = Array(earlier.firstIndexes[...kept])
        }
        var next = earlier == nil ? 0 : validBelow
        try transaction.withCursor(transaction.environment.databases.objects) { cursor in
            while cursor.seek(.objects(table, base: next, .objectKeys)), let key = ObjectsKey(cursor.key),
                key.table == table
            {
                guard key.column == .objectKeys, let header = ChunkHeader(checking: cursor.value),
                    header.kind == .keys, header.count <= DefaultChunk.capacity, key.base >= next
                else { throw StoreError(.corrupt, "cluster \(key.base) of table \(table.raw) has no readable keys") }
                bases.append(key.base)
                firstIndexes.append((firstIndexes.last ?? 0) + Int(header.count))
                guard key.base < Int64.max else { break }
                next = key.base + 1
            }
        }
        return ClusterDirectory(bases: bases, firstIndexes: firstIndexes, version: version)
    }

    /// The first cluster whose base isn't below `base`.
    func position(notBelow base: Int64) -> Int {
        var low = 0
        var high = bases.count
        while low < high {
            let middle = (low + high) / 2
            if bases[middle] < base { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The cluster that holds `key` if any does.
    func position(of key: ObjectKey) -> Int? {
        guard key.raw >= 0 else { return nil }
        let after = key.raw == Int64.max ? bases.count : position(notBelow: key.raw + 1)
        return after == 0 ? nil : after - 1
    }

    /// The cluster that holds the row at `index`.
    func position(ofIndex index: Int) -> Int? {
        guard index >= 0, index < (firstIndexes.last ?? 0) else { return nil }
        var low = 0
        var high = bases.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if firstIndexes[middle] <= index { low = middle } else { high = middle }
        }
        return low
    }
}

/// The parts of a record key of `objects`.
struct ObjectsKey {
    var table: TableId
    var base: Int64
    var column: ColumnId

    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 12 else { return nil }
        table = TableId(UInt16(bigEndian: bytes.loadUnaligned(as: UInt16.self)))
        base = Int64(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt64.self)))
        column = ColumnId(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 10, as: UInt16.self)))
    }
}
