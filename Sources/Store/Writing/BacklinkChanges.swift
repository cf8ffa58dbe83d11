import Foundation

/// Links that a transaction made and cut, by target, before they go into `backlinks`.
struct BacklinkChanges {
    struct Link: Hashable {
        var target: TableId
        var targetKey: Int64
        var origin: TableId
        var column: ColumnId
        var originKey: Int64

        var recordKey: RecordKey {
            .backlinks(to: target, ObjectKey(targetKey), from: origin, column, ObjectKey(originKey))
        }
    }

    private var deltas: [Link: Int64] = [:]

    var isEmpty: Bool { deltas.isEmpty }

    mutating func add(_ link: Link, _ delta: Int64) {
        deltas[link, default: 0] += delta
    }

    /// Writes the changes; records of links that are no more go.
    mutating func flush(_ store: UnsafeRecordStore) throws {
        guard !deltas.isEmpty else { return }
        let database = store.databases.backlinks
        let sorted = deltas.filter { $0.value != 0 }.map { ($0.key, $0.value) }.sorted { a, b in
            let (x, y) = (a.0, b.0)
            if x.target != y.target { return x.target < y.target }
            if x.targetKey != y.targetKey { return x.targetKey < y.targetKey }
            if x.origin != y.origin { return x.origin < y.origin }
            if x.column != y.column { return x.column < y.column }
            return x.originKey < y.originKey
        }
        deltas.removeAll(keepingCapacity: deltas.count < 10_000)
        for (link, delta) in sorted {
            let key = link.recordKey
            var count = delta
            if let bytes = store.get(database, key), bytes.count == 4 {
                count += Int64(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
            }
            if count > 0 {
                guard let number = UInt32(exactly: count) else {
                    throw StoreError(
                        .corrupt, "an object is linked to \(count) times by one property", path: store.path)
                }
                try withUnsafeBytes(of: number.littleEndian) { try store.put(database, key, $0) }
            } else {
                try store.delete(database, key)
            }
        }
    }
}
