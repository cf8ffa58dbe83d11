import Model

extension WriteTransaction {
    /// Gives a class the properties that an app declares (MI-02). New and retyped properties begin with defaults, those
    /// that are gone are dropped, nulls of properties that became required become defaults.
    /// The class stays embedded or not: see `convertKinds`. With `rebuildingKeys` the records of its keys are wrong.
    func migrate(_ table: StoredTable, to wanted: ClassSchema, rebuildingKeys: Bool = false) throws {
        let difference = SchemaDifference(table, wanted)
        guard difference.needsMigration || rebuildingKeys else { return }
        try dropWriters()
        let keyColumn = table.primaryKey
        for (column, _) in difference.madeRequired where column.property.collection == .single {
            try rewrite(column, of: table) { builder, row, _ in
                if builder.isNull(row) {
                    var single = ChunkBuilder(builder.kind)
                    single.appendDefault()
                    builder.replace(row, with: single)
                }
            }
        }
        for (column, _) in difference.madeRequired where column.property.collection != .single {
            try fillNullElements(column, of: table)
        }
        // What the file doesn't hold shows as null from now on: it must be written as what it was.
        for (column, _) in difference.madeOptional where column.property.collection == .single {
            try rewrite(column, of: table) { _, _, _ in }
        }
        let retyped = Set(difference.retyped.map(\.0.id))
        for column in difference.removed + difference.retyped.map(\.0) { try dropColumn(column, of: table) }
        let columns = wanted.properties.map { property -> (id: ColumnId, property: PropertySchema) in
            guard let known = table.column(named: property.name), !retyped.contains(known.id) else {
                return (ColumnId(0), property)
            }
            var kept = property
            // Indexes are made afterwards.
            kept.isIndexed = known.property.isIndexed
            return (known.id, kept)
        }
        schema = try SchemaEdit.changing(schema, table.id, primaryKey: wanted.primaryKey, columns)
        let keysAreWrong =
            rebuildingKeys || difference.keyIsChanged || keyColumn.map { retyped.contains($0.id) } ?? false
        // Whoever becomes embedded, or ceases to be, gets or loses them later.
        if keysAreWrong, !difference.kindIsChanged, table.kind != .embedded {
            try rebuildKeys(table, hadGlobalKeys: keyColumn == nil && !rebuildingKeys)
        }
        guard let changed = schema[table.id] else { return }
        for column in changed.columns where column.property.isIndexed {
            try buildIndex(changed, column)
        }
        noteSchemaChange()
    }

    /// Runs `body` over the rows of a column and writes every chunk of it.
    func rewrite(
        _ column: StoredColumn, of table: StoredTable, _ body: (inout ChunkBuilder, Int, Int64) throws -> Void
    ) throws {
        let writer = try TableWriter(table, schema, store)
        let plan = writer.plans[column.slot]
        for base in try clusterBases(table) {
            guard let cluster = try writer.cluster(for: base), let buffer = try writer.column(cluster, plan) else {
                continue
            }
            for row in 0..<buffer.builder.count { try body(&buffer.builder, row, cluster.keys[row]) }
            try store.put(
                store.databases.objects, .objects(table.id, base: base, column.id), buffer.builder.encoded())
            writer.forgetBuffers()
        }
    }

    private func fillNullElements(_ column: StoredColumn, of table: StoredTable) throws {
        let kind = ChunkKind(column.property.type)
        let writer = try TableWriter(table, schema, store)
        for base in try clusterBases(table) {
            for object in try writer.storedKeys(base) {
                let list = try ListBuffer(CollectionAddress(table.id, column.id, ObjectKey(object)), kind, store)
                if column.property.collection == .set { try fillNull(list) } else { try list.fillNulls() }
                try list.flush(store)
            }
        }
    }

    /// Makes the records of `keys` anew from the primary-key column, or gives out global keys.
    func rebuildKeys(_ old: StoredTable, hadGlobalKeys: Bool) throws {
        guard let table = schema[old.id] else { return }
        var prefix = RecordKey()
        prefix.append(table.id.raw)
        try store.deleteAll(store.databases.keys, prefix: prefix)
        let writer = try TableWriter(table, schema, store)
        // Tombstones went with their keys; links to them stay unresolved for good.
        for base in try clusterBases(table) {
            guard let cluster = try writer.cluster(for: base) else { continue }
            for row in 0..<cluster.keys.count {
                let object = cluster.keys[row]
                let key: PrimaryKey
                if let primaryKey = table.primaryKey,
                    let column = try writer.column(cluster, writer.plans[primaryKey.slot])
                {
                    column.pad(to: row + 1, nullable: primaryKey.property.isNullable)
                    key = try writer.value(cluster, row, writer.plans[primaryKey.slot]).primaryKey ?? .null
                } else {
                    let low = writer.record.nextGlobalKey
                    guard low <= TableRecord.greatestGlobalKey else {
                        throw bad("C-135", "class '\(table.name)' has no key left after 0-\(low)")
                    }
                    writer.record.nextGlobalKey = low + 1
                    writer.recordIsDirty = true
                    let column = try writer.hiddenColumn(cluster, writer.plans.count)
                    column.pad(to: row + 1, nullable: false)
                    column.builder.set(row, int: Int64(bitPattern: low))
                    column.isDirty = true
                    key = .global(high: 0, low: low)
                }
                let encoded = PrimaryKeyCoding.encode(table.id, key)
                let plain: TableWriter.EncodedKey? = encoded.longString.map { .long($0) }
                try encoded.key.withUnsafeBytes { bytes in
                    let name = plain ?? .plain(bytes)
                    if try writer.find(name) != nil {
                        throw StoreError(
                            .schemaMismatch,
                            "Primary key property '\(table.name).\(table.primaryKey?.property.name ?? "")' has duplicate "
                                + "values after migration: \(key.text)", path: file.path)
                    }
                    try writer.set(name, object, .present)
                }
            }
        }
        if hadGlobalKeys {
            for base in try clusterBases(table) {
                for id in [ColumnId.globalKeyLow, .globalKeyHigh] {
                    try store.delete(store.databases.objects, .objects(table.id, base: base, id))
                }
            }
        }
        try writer.flush(version: nextVersion)
    }

    // MARK: Indexes

    /// Adds or removes the index of a property.
    func setIndex(_ id: TableId, _ column: ColumnId, _ isIndexed: Bool) throws {
        guard let table = schema[id], table.column(column)?.property.isIndexed != isIndexed else { return }
        try dropWriters()
        schema = try SchemaEdit.changing(
            schema, id, primaryKey: table.primaryKey?.property.name,
            table.numberedProperties.map { numbered in
                guard numbered.id == column else { return numbered }
                var changed = numbered
                changed.property.isIndexed = isIndexed
                return changed
            })
        guard let changed = schema[id], let stored = changed.column(column) else { return }
        if isIndexed {
            try buildIndex(changed, stored)
        } else {
            try store.deleteAll(store.databases.index, prefix: .index(id, column))
        }
    }

    /// Makes the index of a column from its values.
    func buildIndex(_ table: StoredTable, _ column: StoredColumn) throws {
        try store.deleteAll(store.databases.index, prefix: .index(table.id, column.id))
        let writer = try TableWriter(table, schema, store)
        guard writer.plans[column.slot].isIndexed else { return }
        var keys: [RecordKey] = []
        for base in try clusterBases(table) {
            guard let cluster = try writer.cluster(for: base) else { continue }
            for row in 0..<cluster.keys.count {
                if let key = try writer.indexKey(cluster, row, writer.plans[column.slot]) { keys.append(key) }
            }
            writer.forgetBuffers()
        }
        let cursor = try store.cursor(store.databases.index)
        for key in keys.sorted(by: RecordKey.isLess) {
            try key.withUnsafeBytes {
                try cursor.put($0, UnsafeRawBufferPointer(start: nil, count: 0), appending: false)
            }
        }
    }
}
