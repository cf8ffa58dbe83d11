import Model

/// Makes schemas out of others. Nothing here touches the file's data.
enum SchemaEdit {
    static func with(_ schema: StoredSchema, version: UInt64? = nil, tables: [StoredTable]? = nil) -> StoredSchema {
        StoredSchema(
            stamp: schema.stamp &+ 1, version: version ?? schema.version, tables: tables ?? schema.tables,
            nextTableId: schema.nextTableId)
    }

    /// Adds a class without properties but the key. Throws `badChangeset` when the file has given all its numbers away.
    static func adding(
        _ schema: StoredSchema, _ name: String, _ kind: ClassKind, key: PropertySchema?
    ) throws(StoreError) -> StoredSchema {
        guard schema.nextTableId.raw < .max else {
            throw StoreError(
                .badChangeset,
                "there is no number left for class '\(name)': the realm has had \(UInt16.max - 1) classes")
        }
        let table = StoredTable(
            id: schema.nextTableId, name: name, kind: kind, primaryKey: key?.name,
            columns: key.map { [(id: ColumnId(1), property: $0)] } ?? [], nextColumnId: ColumnId(key == nil ? 1 : 2))
        return StoredSchema(
            stamp: schema.stamp &+ 1, version: schema.version, tables: schema.tables + [table],
            nextTableId: TableId(schema.nextTableId.raw + 1))
    }

    static func removing(_ schema: StoredSchema, _ id: TableId) -> StoredSchema {
        with(schema, tables: schema.tables.filter { $0.id != id })
    }

    /// Replaces a table by one with other columns; a new column has id 0. Throws `badChangeset` when the class has given
    /// all its numbers away: the last two are those of hidden columns.
    static func changing(
        _ schema: StoredSchema, _ id: TableId, kind: ClassKind? = nil, primaryKey: String?,
        _ columns: [(id: ColumnId, property: PropertySchema)]
    ) throws(StoreError) -> StoredSchema {
        guard let table = schema[id] else { return schema }
        var next = table.nextColumnId.raw
        var numbered: [(id: ColumnId, property: PropertySchema)] = []
        for var column in columns {
            if column.id.raw == 0 {
                guard next < ColumnId.globalKeyHigh.raw else {
                    throw StoreError(
                        .badChangeset,
                        "there is no number left for property '\(column.property.name)': class '\(table.name)' has had "
                            + "\(ColumnId.globalKeyHigh.raw - 1) properties")
                }
                column.id = ColumnId(next)
                next += 1
            }
            numbered.append(column)
        }
        let changed = StoredTable(
            id: id, name: table.name, kind: kind ?? table.kind, primaryKey: primaryKey, columns: numbered,
            nextColumnId: ColumnId(next))
        return with(schema, tables: schema.tables.map { $0.id == id ? changed : $0 })
    }
}

extension StoredTable {
    var numberedProperties: [(id: ColumnId, property: PropertySchema)] {
        columns.map { ($0.id, $0.property) }
    }
}
