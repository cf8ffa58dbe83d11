import Model

/// A property as the file knows it.
package struct StoredColumn: Hashable, Sendable {
    package let id: ColumnId
    /// Position in the table's `columns`.
    package let slot: Int
    package let property: PropertySchema

    package init(id: ColumnId, slot: Int, property: PropertySchema) {
        self.id = id
        self.slot = slot
        self.property = property
    }
}

/// A class as the file knows it.
package final class StoredTable: Sendable {
    package let id: TableId
    package let name: String
    package let kind: ClassKind
    package let primaryKey: StoredColumn?
    /// All properties; a column's index here is its slot. Columns are only ever added, at the end.
    package let columns: [StoredColumn]
    private let slots: [String: Int]

    package init(id: TableId, name: String, kind: ClassKind, primaryKey: String?, columns: [StoredColumn]) {
        self.id = id
        self.name = name
        self.kind = kind
        self.columns = columns
        slots = Dictionary(uniqueKeysWithValues: columns.map { ($0.property.name, $0.slot) })
        self.primaryKey = primaryKey.flatMap { name in columns.first { $0.property.name == name } }
    }

    package func column(named name: String) -> StoredColumn? {
        slots[name].map { columns[$0] }
    }
}

/// All classes of a realm file.
package struct StoredSchema: Sendable {
    /// The schema version that apps declare.
    package let version: UInt64
    package let tables: [StoredTable]
    private let byName: [String: Int]
    private let byId: [TableId: Int]

    package init(version: UInt64, tables: [StoredTable]) {
        self.version = version
        self.tables = tables
        byName = Dictionary(uniqueKeysWithValues: tables.enumerated().map { ($1.name, $0) })
        byId = Dictionary(uniqueKeysWithValues: tables.enumerated().map { ($1.id, $0) })
    }

    package func table(named name: String) -> StoredTable? {
        byName[name].map { tables[$0] }
    }

    package subscript(_ id: TableId) -> StoredTable? {
        byId[id].map { tables[$0] }
    }

    /// The classes without the file's own numbers.
    package var realmSchema: RealmSchema {
        RealmSchema(
            tables.map { table in
                ClassSchema(
                    table.name, kind: table.kind, primaryKey: table.primaryKey?.property.name,
                    table.columns.map(\.property))
            })
    }
}
