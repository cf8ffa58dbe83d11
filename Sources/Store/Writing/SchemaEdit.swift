import Model

/// Makes schemas out of others. Nothing here touches the file's data.
enum SchemaEdit {
    static func with(_ schema: StoredSchema, version: UInt64? = nil, tables: [StoredTable]? = nil) -> StoredSchema {
        StoredSchema(
            stamp: schema.stamp + 1, version: version ?? schema.version, tables: tables ?? schema.tables,
            nextTableId: schema.nextTableId)
    }

    /// Adds a class without properties but the key.
    static func adding(
        _ schema: StoredSchema, _ name: String, _ kind: ClassKind, key: PropertySchema?
    ) -> StoredSchema {
        let table = StoredTable(
            id: schema.nextTableId, name: name, kind: kind, primaryKey: key?.name,
            columns: key.map { [(id: ColumnId(1), property: $0)] } ?? [], nextColumnId: ColumnId(key == nil ? 1 : 2))
        return StoredSchema(
            stamp: schema.stamp + 1, version: schema.version, tables: schema.tables + [table],
            nextTableId: TableId(schema.nextTableId.raw + 1))
    }

    static func removing(_ schema: StoredSchema, _ id: TableId) -> StoredSchema {
        with(schema, tables: schema.tables.filter { $0.id != id })
    }

    /// Replaces a table by one with other columns; a new column has id 0.
    static func changing(
        _ schema: StoredSchema, _ id: TableId, primaryKey: String?,
        _ columns: [(id: ColumnId, property: PropertySchema)]
    ) -> StoredSchema {
        with(
            schema,
            tables: schema.tables.map { table in
                guard table.id == id else { return table }
                var next = table.nextColumnId.raw
                let numbered = columns.map { column -> (id: ColumnId, property: PropertySchema) in
                    guard column.id.raw == 0 else { return column }
                    defer { next += 1 }
                    return (ColumnId(next), column.property)
                }
                return StoredTable(
                    id: id, name: table.name, kind: table.kind, primaryKey: primaryKey, columns: numbered,
                    nextColumnId: ColumnId(next))
            })
    }
}

extension StoredTable {
    var numberedProperties: [(id: ColumnId, property: PropertySchema)] {
        columns.map { ($0.id, $0.property) }
    }
}
