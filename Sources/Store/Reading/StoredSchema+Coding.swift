import Model

extension StoredSchema {
    package func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.append(stamp)
        writer.append(version)
        writer.append(nextTableId.raw)
        writer.append(UInt16(tables.count))
        for table in tables {
            writer.append(table.id.raw)
            writer.append(table.kind.rawValue)
            writer.append(table.primaryKey?.id.raw ?? 0)
            writer.append(table.nextColumnId.raw)
            writer.append(table.name)
            writer.append(UInt16(table.columns.count))
            for column in table.columns {
                let property = column.property
                writer.append(column.id.raw)
                writer.append(UInt8(bitPattern: property.type.rawValue))
                writer.append(UInt8((property.isNullable ? 1 : 0) | (property.isIndexed ? 2 : 0)))
                writer.append(property.collection.rawValue)
                writer.append(property.name)
                writer.append(property.target ?? "")
            }
        }
        return writer.bytes
    }

    /// Only the stamp of an encoded schema.
    static func stamp(of bytes: UnsafeRawBufferPointer) -> UInt64? {
        var reader = ByteReader(bytes)
        return reader.uint64()
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws {
        var reader = ByteReader(bytes)
        guard let schema = StoredSchema(from: &reader), reader.isAtEnd else {
            throw StoreError(.corrupt, "the stored schema can't be read")
        }
        self = schema
    }

    private init?(from reader: inout ByteReader) {
        guard let stamp = reader.uint64(), let version = reader.uint64(), let nextTable = reader.uint16(),
            let count = reader.uint16(), stamp < FileFormat.numberLimit, nextTable > 0
        else { return nil }
        var tables: [StoredTable] = []
        var ids: Set<TableId> = []
        for _ in 0..<count {
            guard let table = StoredTable(from: &reader), table.id.raw > 0, table.id.raw < nextTable,
                ids.insert(table.id).inserted
            else { return nil }
            tables.append(table)
        }
        self.init(stamp: stamp, version: version, tables: tables, nextTableId: TableId(nextTable))
    }
}

extension StoredTable {
    fileprivate convenience init?(from reader: inout ByteReader) {
        guard let id = reader.uint16(), let kind = reader.uint8().flatMap(ClassKind.init(rawValue:)),
            let primaryKey = reader.uint16(), let nextColumn = reader.uint16(), let name = reader.string(),
            let count = reader.uint16(), nextColumn > 0, nextColumn <= ColumnId.greatest.raw + 1
        else { return nil }
        var ids: Set<UInt16> = []
        var columns: [(id: ColumnId, property: PropertySchema)] = []
        for _ in 0..<count {
            guard let id = reader.uint16(),
                let type = reader.uint8().flatMap({ ValueType(rawValue: Int8(bitPattern: $0)) }),
                let flags = reader.uint8(), let collection = reader.uint8().flatMap(CollectionKind.init(rawValue:)),
                let name = reader.string(), let target = reader.string(), id > 0, id < nextColumn,
                ids.insert(id).inserted
            else { return nil }
            let property = PropertySchema(
                name, type, nullable: flags & 1 != 0, collection: collection, target: target.isEmpty ? nil : target,
                indexed: flags & 2 != 0)
            columns.append((ColumnId(id), property))
        }
        guard primaryKey == 0 || ids.contains(primaryKey) else { return nil }
        let keyName = columns.first { primaryKey != 0 && $0.id.raw == primaryKey }?.property.name
        self.init(
            id: TableId(id), name: name, kind: kind, primaryKey: keyName, columns: columns,
            nextColumnId: ColumnId(nextColumn))
    }
}
