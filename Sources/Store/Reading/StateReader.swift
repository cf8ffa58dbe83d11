import Model

extension Snapshot {
    /// The digest of schema and objects: equal for realms that hold the same, however they came about.
    package func stateDigest() -> String {
        var digest = StateDigest()
        var reader = StateReader(self)
        for stored in schema.tables {
            digest.add(class: stored.name, stored.kind, key: stored.keyColumn)
            let columns = stored.columns.filter { $0.id != stored.primaryKey?.id }
            for column in columns {
                digest.add(
                    property: column.property.name, of: stored.name, column.property.type,
                    isNullable: column.property.isNullable, column.property.collection, target: column.property.target)
            }
            guard stored.kind != .embedded else { continue }
            let table = table(stored.id)
            for position in 0..<table.clusterCount {
                let cluster = table.cluster(at: position)
                for row in 0..<cluster.count {
                    digest.add(
                        object: table.primaryKey(cluster, row), of: stored.name,
                        columns.map { ($0.property.name, reader.value(table, cluster, row, $0)) })
                }
            }
        }
        return digest.value
    }
}

extension StoredTable {
    /// The key column as AddTable declares it; nil for embedded classes (C-52).
    package var keyColumn: KeyColumn? {
        guard kind != .embedded else { return nil }
        guard let property = primaryKey?.property else { return KeyColumn(name: "", type: nil, isNullable: false) }
        return KeyColumn(name: property.name, type: property.type, isNullable: property.isNullable)
    }
}

/// Reads what objects hold as it is stored: links by class and key, whether or not their target exists (C-13).
package struct StateReader {
    private let snapshot: Snapshot
    /// Primary keys of objects that are linked to and don't exist, by table.
    private var tombstones: [TableId: [ObjectKey: PrimaryKey]] = [:]

    package init(_ snapshot: Snapshot) { self.snapshot = snapshot }

    /// What an object holds in a property.
    package mutating func value(_ table: Table, _ cluster: Cluster, _ row: Int, _ column: StoredColumn) -> StateValue {
        let key = cluster.key(at: row)
        switch column.property.collection {
        case .list: return .list(elements(table.list(key, column), table, column))
        case .set: return .set(values(elements(table.list(key, column), table, column)))
        case .dictionary: return .dictionary(entries(table.dictionary(key, column), table, column))
        case .single: break
        }
        guard let chunk = cluster.chunk(column.slot) else { return .value(.null) }
        if chunk.kind == .link { return link(chunk.link(row), table, column) }
        guard chunk.kind == .mixed else { return .value(table.value(cluster, row, column)) }
        let bytes = chunk.isExternal(row) ? table.blob(key, column) : nil
        let scalar = bytes.map { MixedCoding.decode($0) } ?? chunk.storedScalar(row)
        return content(scalar, table, column, CollectionAddress(table.stored.id, column.id, key))
    }

    private mutating func object(_ table: Table, _ key: ObjectKey) -> StateValue {
        guard let (cluster, row) = table.locate(key) else { return .value(.null) }
        return .object(table.stored.columns.map { ($0.property.name, value(table, cluster, row, $0)) })
    }

    /// The elements of a list, of a property or inside a Mixed of it.
    package mutating func elements(_ list: ListView, _ table: Table, _ column: StoredColumn) -> [StateValue] {
        (0..<list.count).map { index in
            let (chunk, row) = list.locate(index)
            switch chunk.kind {
            case .link: return link(chunk.link(row), table, column)
            case .mixed: return content(chunk.storedScalar(row), table, column, list.address)
            default: return .value(chunk.value(row))
            }
        }
    }

    private mutating func entries(
        _ dictionary: DictionaryView, _ table: Table, _ column: StoredColumn
    ) -> [(key: String, value: StateValue)] {
        let values = elements(dictionary.values, table, column)
        return values.indices.map { (dictionary.key(at: $0), values[$0]) }
    }

    /// Elements of a set are never collections.
    private func values(_ elements: [StateValue]) -> [Value] {
        elements.map { if case .value(let value) = $0 { value } else { .null } }
    }

    private mutating func link(_ target: ObjectKey?, _ table: Table, _ column: StoredColumn) -> StateValue {
        guard let target, let other = table.targetTable(column) else { return .value(.null) }
        return other.stored.kind == .embedded ? object(other, target) : .value(link(to: other, target))
    }

    private mutating func content(
        _ scalar: UnsafeScalar, _ table: Table, _ column: StoredColumn, _ address: CollectionAddress
    ) -> StateValue {
        if case .link(let id, let key) = scalar {
            return .value(snapshot.schema[id] == nil ? .null : link(to: snapshot.table(id), key))
        }
        switch table.content(scalar, address, column) {
        case .value(let value): return .value(value)
        case .object: return .value(.null)
        case .list(let list): return .list(elements(list, table, column))
        case .dictionary(let dictionary): return .dictionary(entries(dictionary, table, column))
        }
    }

    private mutating func link(to table: Table, _ key: ObjectKey) -> Value {
        guard let primaryKey = table.primaryKey(of: key) ?? tombstone(table, key) else { return .null }
        return .link(Link(className: table.stored.name, key: primaryKey))
    }

    private mutating func tombstone(_ table: Table, _ key: ObjectKey) -> PrimaryKey? {
        let known = tombstones[table.stored.id] ?? table.tombstones
        tombstones[table.stored.id] = known
        return known[key]
    }
}

extension Table {
    /// The primary keys of the objects that are linked to and don't exist.
    fileprivate var tombstones: [ObjectKey: PrimaryKey] {
        guard record.tombstones > 0 else { return [:] }
        var prefix = RecordKey()
        prefix.append(stored.id.raw)
        let found = try? transaction.withCursor(transaction.environment.databases.keys) { cursor in
            var found: [ObjectKey: PrimaryKey] = [:]
            var isThere = cursor.seek(prefix)
            while isThere, cursor.hasPrefix(prefix) {
                if let record = KeyRecord(cursor.value), record.isTombstone {
                    found[record.object] =
                        PrimaryKeyCoding.decode(cursor.key, table: stored.id) ?? globalKey(cursor.key)
                        ?? .string(String(decoding: cursor.value.dropFirst(9), as: UTF8.self))
                }
                isThere = cursor.next()
            }
            return found
        }
        return found ?? [:]
    }

    private func globalKey(_ recordKey: UnsafeRawBufferPointer) -> PrimaryKey? {
        guard recordKey.count == 19, recordKey[2] == 5 else { return nil }
        return .global(
            high: UInt64(bigEndian: recordKey.loadUnaligned(fromByteOffset: 3, as: UInt64.self)),
            low: UInt64(bigEndian: recordKey.loadUnaligned(fromByteOffset: 11, as: UInt64.self)))
    }
}
