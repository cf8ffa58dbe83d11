import Model

/// A property of a class as the file stores it.
package struct StoredColumn: Hashable, Sendable {
    package let id: ColumnId
    /// Its place in `StoredTable.columns`, and in the chunk array of a cluster.
    package let slot: Int
    package let property: PropertySchema

    package init(id: ColumnId, slot: Int, property: PropertySchema) {
        self.id = id
        self.slot = slot
        self.property = property
    }
}

/// A class as the file stores it.
package final class StoredTable: Sendable {
    package let id: TableId
    package let name: String
    package let kind: ClassKind
    package let columns: [StoredColumn]
    package let primaryKey: StoredColumn?
    /// The id that the next column of this table gets.
    package let nextColumnId: ColumnId
    private let slots: [String: Int]

    /// Makes a table of columns, which are given their slots in order. The primary key must be one of them.
    package init(
        id: TableId, name: String, kind: ClassKind, primaryKey: String?,
        columns: [(id: ColumnId, property: PropertySchema)], nextColumnId: ColumnId
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.columns = columns.enumerated().map {
            StoredColumn(id: $0.element.id, slot: $0.offset, property: $0.element.property)
        }
        slots = Dictionary(self.columns.map { ($0.property.name, $0.slot) }, uniquingKeysWith: { first, _ in first })
        self.primaryKey = primaryKey.flatMap { [slots, columns = self.columns] in slots[$0].map { columns[$0] } }
        self.nextColumnId = nextColumnId
    }

    package func column(named name: String) -> StoredColumn? {
        slots[name].map { columns[$0] }
    }

    package func column(_ id: ColumnId) -> StoredColumn? {
        columns.first { $0.id == id }
    }

    package var classSchema: ClassSchema {
        ClassSchema(name, kind: kind, primaryKey: primaryKey?.property.name, columns.map(\.property))
    }
}

/// The classes of a realm with their numbers in the file.
package struct StoredSchema: Sendable {
    /// Counts schema changes of this file: equal stamps, equal schemas.
    package let stamp: UInt64
    /// The version that the app gave its schema.
    package let version: UInt64
    package let tables: [StoredTable]
    /// The id that the next table gets.
    package let nextTableId: TableId
    /// The classes without their numbers in the file.
    package let realmSchema: RealmSchema
    private let byName: [String: Int]
    private let byId: [TableId: Int]

    package init(stamp: UInt64, version: UInt64, tables: [StoredTable], nextTableId: TableId) {
        self.stamp = stamp
        self.version = version
        self.tables = tables
        self.nextTableId = nextTableId
        realmSchema = RealmSchema(tables.map(\.classSchema))
        byName = Dictionary(tables.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        byId = Dictionary(tables.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The schema of a new file.
    package static let empty = StoredSchema(stamp: 0, version: 0, tables: [], nextTableId: TableId(1))

    package func table(named name: String) -> StoredTable? {
        byName[name].map { tables[$0] }
    }

    package subscript(id: TableId) -> StoredTable? {
        byId[id].map { tables[$0] }
    }

}
