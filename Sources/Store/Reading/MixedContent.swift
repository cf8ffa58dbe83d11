import Model

/// What a Mixed holds.
package enum MixedContent {
    /// Anything but a link or a collection.
    case value(Value)
    case object(TableId, ObjectKey)
    case list(ListView)
    case dictionary(DictionaryView)
}

extension Table {
    /// What a Mixed property holds; null if there is no such object. A link to an object that doesn't exist is null.
    package func mixed(_ key: ObjectKey, _ column: StoredColumn) -> MixedContent {
        guard let (cluster, row) = locate(key) else { return .value(.null) }
        return mixed(cluster, row, column)
    }

    package func mixed(_ cluster: Cluster, _ row: Int, _ column: StoredColumn) -> MixedContent {
        content(
            cluster.scalar(row, column), CollectionAddress(stored.id, column.id, cluster.key(at: row)), column)
    }

    /// What a scalar stands for; `address` is that of any collection of the property.
    func content(_ scalar: UnsafeScalar, _ address: CollectionAddress, _ column: StoredColumn) -> MixedContent {
        var address = address
        address.isKeys = false
        switch scalar {
        case .link(let table, let key): return .object(table, key)
        case .list(let id):
            address.nested = id
            return .list(ListView(self, column, address))
        case .dictionary(let id):
            address.nested = id
            return .dictionary(DictionaryView(self, column, address))
        default: return .value(scalar.value)
        }
    }
}

extension Snapshot {
    /// The scalar as it is seen: a link to an object that doesn't exist is null (C-13).
    func visible(_ scalar: UnsafeScalar) -> UnsafeScalar {
        guard case .link(let id, let key) = scalar else { return scalar }
        guard schema[id] != nil else { return .null }
        let table = table(id)
        return table.record.tombstones == 0 || table.contains(key) ? scalar : .null
    }

    /// The value of a visible scalar; null for collections.
    func value(_ scalar: UnsafeScalar) -> Value {
        guard case .link(let id, let key) = scalar else { return scalar.value }
        guard schema[id] != nil, let primaryKey = table(id).primaryKey(of: key) else { return .null }
        return .link(Link(className: table(id).stored.name, key: primaryKey))
    }
}
