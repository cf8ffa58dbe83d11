import Model

/// The entries of one dictionary at one snapshot, in the order of their keys' bytes, read in place. Use it only while
/// the snapshot lives.
package struct DictionaryView: Sendable {
    /// The keys: strings.
    package let keys: ListView
    /// The values, each at the index of its key.
    package let values: ListView

    init(_ table: Table, _ column: StoredColumn, _ address: CollectionAddress) {
        keys = ListView(table, column, address.keys)
        values = ListView(table, column, address)
        if keys.count != values.count {
            table.snapshot.note(
                fault: "\(table.stored.name).\(column.property.name) of object \(address.object.raw) has "
                    + "\(keys.count) keys for \(values.count) values")
        }
    }

    package var count: Int { min(keys.count, values.count) }

    /// Where a key is; nil if it isn't there.
    package func index(of key: String) -> Int? {
        var key = key
        return key.withUTF8 { index(of: UnsafeRawBufferPointer($0)) }
    }

    /// Where the key with these bytes is.
    package func index(of key: UnsafeRawBufferPointer) -> Int? {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            let (chunk, row) = keys.locate(middle)
            switch chunk.bytes(row).order(key) {
            case .less: low = middle + 1
            case .equal: return middle
            case .greater, .none: high = middle
            }
        }
        return nil
    }

    package func key(at index: Int) -> String {
        let (chunk, row) = keys.locate(index)
        return chunk.string(row)
    }

    /// The value of a key: null for a link whose object doesn't exist; nil if the key isn't there.
    package subscript(_ key: String) -> Value? {
        index(of: key).map { values.value(at: $0) }
    }

    /// All entries.
    package var entries: [(key: String, value: Value)] {
        (0..<count).map { (key(at: $0), values.value(at: $0)) }
    }
}
