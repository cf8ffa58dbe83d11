import Model

extension WriteTransaction {
    /// Removes a table with all that belongs to it. Writers must have been dropped.
    func dropTable(_ table: StoredTable) throws {
        for column in table.columns where column.property.type == .link { try cutLinks(column, of: table) }
        try backlinks.flush(store)
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
        if column.property.type == .link {
            try cutLinks(column, of: table)
            try backlinks.flush(store)
        }
        let databases = store.databases
        let prefix = RecordKey.index(table.id, column.id)
        for database in [databases.index, databases.lists, databases.blobs] {
            try store.deleteAll(database, prefix: prefix)
        }
        for base in try clusterBases(table) {
            try store.delete(databases.objects, .objects(table.id, base: base, column.id))
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
            bases.append(key.base)
            guard key.base < Int64.max else { break }
            next = key.base + 1
        }
        return bases
    }

    /// Notes that the links of a column are gone; their values stay as they are.
    private func cutLinks(_ column: StoredColumn, of table: StoredTable) throws {
        let writer = try TableWriter(table, schema, store)
        let plan = writer.plans[column.slot]
        // Embedded objects are written by their own writers.
        defer { if plan.isEmbedded { stream.forgetClasses() } }
        for base in try clusterBases(table) {
            for object in try writer.storedKeys(base) {
                if plan.collection != .single {
                    let list = try ListBuffer(
                        CollectionAddress(table.id, column.id, ObjectKey(object)), .link, store)
                    try list.forEachLink { try releaseLink(writer, plan, object, $0) }
                } else if let (cluster, row) = try writer.locate(object),
                    let chunk = try writer.column(cluster, plan), row < chunk.builder.count
                {
                    try releaseLink(writer, plan, object, chunk.builder.int(row))
                }
            }
            writer.forgetBuffers()
        }
        if plan.isEmbedded { try dropWriters() }
    }
}
