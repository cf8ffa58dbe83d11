extension RecordKey {
    /// Key of `objects`: a column of a cluster.
    package static func objects(_ table: TableId, base: Int64, _ column: ColumnId) -> RecordKey {
        var key = RecordKey()
        key.append(table.raw)
        key.append(UInt64(bitPattern: base))
        key.append(column.raw)
        return key
    }

    /// Key of `lists`: a record of one list; number 0 is its root.
    package static func lists(
        _ table: TableId, _ column: ColumnId, _ object: ObjectKey, nested: NestedId? = nil, number: UInt32
    ) -> RecordKey {
        var key = blobs(table, column, object)
        if let nested { key.append(nested.raw) }
        key.append(number)
        return key
    }

    /// Key of `blobs`: one long string or binary.
    package static func blobs(_ table: TableId, _ column: ColumnId, _ object: ObjectKey) -> RecordKey {
        var key = RecordKey()
        key.append(table.raw)
        key.append(column.raw)
        key.append(UInt64(bitPattern: object.raw))
        return key
    }

    /// Key of `backlinks`: the links from one property of one object to another.
    package static func backlinks(
        to target: TableId, _ targetKey: ObjectKey, from origin: TableId, _ column: ColumnId, _ originKey: ObjectKey
    ) -> RecordKey {
        var key = backlinks(to: target, targetKey)
        key.append(origin.raw)
        key.append(column.raw)
        key.append(UInt64(bitPattern: originKey.raw))
        return key
    }

    /// What all records about links to one object begin with.
    package static func backlinks(to target: TableId, _ targetKey: ObjectKey) -> RecordKey {
        var key = RecordKey()
        key.append(target.raw)
        key.append(UInt64(bitPattern: targetKey.raw))
        return key
    }

    /// Key of `changes`.
    package static func changes(_ version: UInt64) -> RecordKey {
        var key = RecordKey()
        key.append(version)
        return key
    }

    /// Key of `meta`.
    package static func meta(_ name: String) -> RecordKey {
        var key = RecordKey()
        for byte in name.utf8 { key.append(byte) }
        return key
    }

    /// Key of a table's record in `meta`.
    package static func meta(_ table: TableId) -> RecordKey {
        var key = meta("table:")
        key.append(table.raw)
        return key
    }

    /// What all index records of one column begin with.
    package static func index(_ table: TableId, _ column: ColumnId) -> RecordKey {
        var key = RecordKey()
        key.append(table.raw)
        key.append(column.raw)
        return key
    }
}
