import Foundation
import Model

extension Table {
    /// The object with a primary key; nil if there is none (a tombstone is none).
    package func find(_ primaryKey: PrimaryKey) -> ObjectKey? {
        keyRecord(primaryKey).flatMap { $0.isTombstone ? nil : $0.object }
    }

    /// What `keys` says about a primary key, tombstones included.
    package func keyRecord(_ primaryKey: PrimaryKey) -> KeyRecord? {
        let encoded = PrimaryKeyCoding.encode(stored.id, primaryKey)
        let keys = transaction.environment.databases.keys
        guard let longString = encoded.longString else {
            return transaction.get(keys, encoded.key).flatMap { KeyRecord($0) }
        }
        let found = try? transaction.withCursor(keys) { cursor -> KeyRecord? in
            var isThere = cursor.seek(encoded.key)
            while isThere, cursor.hasPrefix(encoded.key) {
                if cursor.value.count >= 9, cursor.value.dropFirst(9).elementsEqual(longString.utf8) {
                    return KeyRecord(cursor.value)
                }
                isThere = cursor.next()
            }
            return nil
        }
        return found ?? nil
    }

    /// The greatest primary key that the table knows, tombstones included: integers by value, others by their bytes; a
    /// greater one can't exist yet. Nil for an empty table, for global keys, and when the greatest is a long string.
    package var greatestPrimaryKey: PrimaryKey? {
        var after = RecordKey()
        after.append(stored.id.raw)
        after.append(UInt8(0xFF))
        let found = try? transaction.withCursor(transaction.environment.databases.keys) { cursor -> PrimaryKey? in
            guard cursor.seek(before: after) else { return nil }
            return PrimaryKeyCoding.decode(cursor.key, table: stored.id)
        }
        return found ?? nil
    }

    /// The primary key of an object, the global key where none is declared; nil if there is no such object. Embedded
    /// objects have none: what stands for it is their object key, which no other file knows.
    package func primaryKey(of key: ObjectKey) -> PrimaryKey? {
        locate(key).map { primaryKey($0.cluster, $0.row) }
    }

    package func primaryKey(_ cluster: Cluster, _ row: Int) -> PrimaryKey {
        if stored.kind == .embedded { return .global(high: 0, low: UInt64(bitPattern: cluster.key(at: row).raw)) }
        guard let column = stored.primaryKey, let chunk = cluster.chunk(column.slot) else {
            let hidden = stored.columns.count
            return .global(
                high: UInt64(bitPattern: cluster.chunk(hidden + 1)?.int(row) ?? 0),
                low: UInt64(bitPattern: cluster.chunk(hidden)?.int(row) ?? 0))
        }
        if chunk.isNull(row) { return .null }
        switch chunk.kind {
        case .int: return .int(chunk.int(row))
        case .objectId: return .objectId(chunk.objectId(row))
        case .uuid: return .uuid(chunk.uuid(row))
        case .string:
            guard case .string(let string) = value(cluster, row, column) else { return .null }
            return .string(string)
        default: return .null
        }
    }

    /// The value of a property; null if there is no such object, and for collections, those inside a Mixed too.
    package func value(_ key: ObjectKey, _ column: StoredColumn) -> Value {
        guard let (cluster, row) = locate(key) else { return .null }
        return value(cluster, row, column)
    }

    package func value(_ cluster: Cluster, _ row: Int, _ column: StoredColumn) -> Value {
        guard let chunk = cluster.chunk(column.slot) else { return .null }
        if chunk.kind == .link {
            return link(chunk.link(row), column).map { .link($0) } ?? .null
        }
        if chunk.kind == .mixed { return snapshot.value(cluster.scalar(row, column)) }
        if chunk.isExternal(row) {
            return chunk.kind.value(of: blob(cluster.key(at: row), column))
        }
        return chunk.value(row)
    }

    /// The link as it travels: class and primary key of the target; nil for none and for unresolved ones.
    func link(_ target: ObjectKey?, _ column: StoredColumn) -> Link? {
        guard let target, let table = targetTable(column), let key = table.primaryKey(of: target) else { return nil }
        return Link(className: table.stored.name, key: key)
    }

    /// The table that a link column points to.
    package func targetTable(_ column: StoredColumn) -> Table? {
        column.property.target.flatMap { snapshot.table(named: $0) }
    }

    /// The target of a to-one link; nil for none and for one whose object doesn't exist.
    package func linkKey(_ key: ObjectKey, _ column: StoredColumn) -> ObjectKey? {
        guard let (cluster, row) = locate(key) else { return nil }
        return linkKey(cluster, row, column)
    }

    package func linkKey(_ cluster: Cluster, _ row: Int, _ column: StoredColumn) -> ObjectKey? {
        guard let target = cluster.chunk(column.slot)?.link(row) else { return nil }
        return resolved(target, column)
    }

    /// The target unless it is known by its key only.
    func resolved(_ target: ObjectKey, _ column: StoredColumn) -> ObjectKey? {
        guard let table = targetTable(column) else { return nil }
        return table.record.tombstones == 0 || table.contains(target) ? target : nil
    }

    /// Bytes of a string or binary that lives outside its chunk.
    package func blob(_ key: ObjectKey, _ column: StoredColumn) -> UnsafeRawBufferPointer {
        let blobs = transaction.environment.databases.blobs
        if let bytes = transaction.get(blobs, .blobs(stored.id, column.id, key)) { return bytes }
        snapshot.note(fault: "value of \(stored.name).\(column.property.name) of object \(key.raw) is missing")
        return UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// The bytes of a string or binary, wherever they live; nil for null.
    package func bytes(_ cluster: Cluster, _ row: Int, _ column: StoredColumn) -> UnsafeRawBufferPointer? {
        guard let chunk = cluster.chunk(column.slot), !chunk.isNull(row) else { return nil }
        return chunk.isExternal(row) ? blob(cluster.key(at: row), column) : chunk.bytes(row)
    }

    /// The elements of a list or set, or the values of a dictionary in the order of their keys.
    package func list(_ key: ObjectKey, _ column: StoredColumn) -> ListView {
        ListView(self, column, CollectionAddress(stored.id, column.id, key))
    }

    /// The elements of a set.
    package func set(_ key: ObjectKey, _ column: StoredColumn) -> SetView {
        SetView(self, column, CollectionAddress(stored.id, column.id, key))
    }

    /// The entries of a dictionary.
    package func dictionary(_ key: ObjectKey, _ column: StoredColumn) -> DictionaryView {
        DictionaryView(self, column, CollectionAddress(stored.id, column.id, key))
    }
}

extension UnsafeChunk {
    /// The value in a row. Not for links, keys and values in `blobs`.
    package func value(_ row: Int) -> Value {
        if isNull(row) { return .null }
        switch kind {
        case .int: return .int(int(row))
        case .bool: return .bool(int(row) != 0)
        case .float: return .float(float(row))
        case .double: return .double(double(row))
        case .timestamp: return .timestamp(timestamp(row))
        case .objectId: return .objectId(objectId(row))
        case .uuid: return .uuid(uuid(row))
        case .decimal: return .decimal(decimal(row))
        case .string, .binary: return kind.value(of: bytes(row))
        case .link, .keys, .mixed: return .null
        }
    }
}

extension ChunkKind {
    /// The string or binary made of bytes.
    func value(of bytes: UnsafeRawBufferPointer) -> Value {
        self == .string ? .string(String(decoding: bytes, as: UTF8.self)) : .binary(Data(bytes))
    }
}
