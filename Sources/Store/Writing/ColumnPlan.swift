import Model

/// What applying needs to know of a column, at hand. A class, so that handing it on copies no strings.
final class ColumnPlan {
    let slot: Int
    let id: ColumnId
    let property: PropertySchema
    let kind: ChunkKind
    let type: ValueType
    let isNullable: Bool
    let isIndexed: Bool
    let isPrimaryKey: Bool
    let collection: CollectionKind
    let target: TableId?
    /// Whether the objects that it links to belong to it.
    let isEmbedded: Bool

    init(_ column: StoredColumn, of table: StoredTable, _ schema: StoredSchema) {
        let property = column.property
        slot = column.slot
        id = column.id
        self.property = property
        kind = ChunkKind(property.type)
        type = property.type
        isNullable =
            property.isNullable || property.type == .mixed
            || property.type == .link && (property.collection == .single || property.collection == .dictionary)
        isIndexed = property.isIndexed && IndexCoding.supports(property)
        isPrimaryKey = table.primaryKey?.id == column.id
        collection = property.collection
        let target = property.target.flatMap { schema.table(named: $0) }
        self.target = target?.id
        isEmbedded = target?.kind == .embedded
    }
}
