import Model

extension WriteTransaction {
    /// Removes a table with all that belongs to it. Writers must have been dropped.
    func dropTable(_ table: StoredTable) throws {
        for column in table.columns where column.property.holdsObjects { try cutLinks(column, of: table) }
        let databases = store.databases
        var prefix = RecordKey()
        prefix.append(table.id.raw)
        for database in [
            databases.objects, databases.keys, databases.index, databases.backlinks, databases.lists, databases.blobs
        ] {
            try store.deleteAll(database, prefix: prefix)
        }
        try store.delete(databases.meta, .meta(table.id))
        droppedChanges[table.id] = nil
        schema = SchemaEdit.removing(schema, table.id)
    }

    /// Removes the values of a column. Writers must have been dropped.
    func dropColumn(_ column: StoredColumn, of table: StoredTable) throws {
        if column.property.holdsObjects { try cutLinks(column, of: table) }
        let databases = store.databases
        let prefix = RecordKey.index(table.id, column.id)
        for database in [databases.index, databases.lists, databases.blobs] {
            try store.deleteAll(database, prefix: prefix)
        }
        for base in try clusterBases(table) {
            try store.delete(databases.objects, .objects(table.id, base: base, column.id))
        }
    }

    /// Takes the objects of asymmetric classes out of the file; no instruction says so (F-65).
    func dropAsymmetricObjects() throws {
        for table in schema.tables where table.kind == .asymmetric {
            guard try writer(table).record.count > 0 else { continue }
            try flush()
            let writer = try writer(table)
            for base in try clusterBases(table) {
                for object in try writer.storedKeys(base) {
                    if let (cluster, row) = try writer.locate(object) { try eraseRow(writer, cluster, row) }
                }
            }
            try dropWriters()
            var prefix = RecordKey()
            prefix.append(table.id.raw)
            try store.deleteAll(store.databases.keys, prefix: prefix)
        }
    }

    /// The bases of a table's clusters in the file.
    func clusterBases(_ table: StoredTable) throws -> [Int64] {
        var bases: [Int64] = []
        let cursor = try store.cursor(store.databases.objects)
        var next: Int64 = 0
        while try cursor.seek(.objects(table.id, base: next, .objectKeys)), let key = ObjectsKey(cursor.key),
            key.table == table.id
        {
            guard key.base >= next else {
                throw StoreError(.corrupt, "class \(table.name): cluster \(key.base) is out of order", path: store.path)
            }
            bases.append(key.base)
            guard key.base < Int64.max else { break }
            next = key.base + 1
        }
        return bases
    }

    /// Cuts what the values of a column that goes hold on to: links, embedded objects, collections inside a Mixed.
    private func cutLinks(_ column: StoredColumn, of table: StoredTable) throws {
        for base in try clusterBases(table) {
            let writer = try writer(table)
            let plan = writer.plans[column.slot]
            for object in try writer.storedKeys(base) {
                if plan.collection != .single {
                    try removeElements(container(writer, plan, object))
                } else if let (cluster, row) = try writer.locate(object) {
                    try forgetValue(writer, cluster, row, plan)
                }
            }
            try flush()
        }
        try dropWriters()
    }
}

extension PropertySchema {
    /// Whether its values can hold on to objects.
    fileprivate var holdsObjects: Bool { type == .link || type == .mixed }
}
