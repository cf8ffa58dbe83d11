import CLMDB
import Foundation
import Model
import Store
import TestSupport
import Testing

/// A realm file written record by record from a sample, without the store's write side: clusters, lists and blobs lie
/// as `FORMAT.md` says, in sizes that the test chooses.
final class FixtureFile {
    let path: String
    private let directory = TemporaryDirectory()
    private let sample: Sample
    private let layout: Layout

    struct Layout {
        var clusterRows = 7
        var listPiece = 3
        /// Every so many rows a key is skipped, so that clusters aren't dense.
        var gapEvery = 5
        var version: UInt64 = 1
        var format: UInt32 = 1
        /// Rows (class, row) that exist as keys only.
        var tombstones: Set<String> = []
    }

    init(_ sample: Sample, _ layout: Layout = Layout()) throws {
        self.sample = sample
        self.layout = layout
        path = directory.path("sample.realm")
        try write()
    }

    /// The object key of a sample row.
    func key(_ row: Int) -> ObjectKey {
        ObjectKey(Int64(row + (layout.gapEvery > 0 ? row / layout.gapEvery : 0)))
    }

    /// The sample row of an object key.
    func row(_ key: ObjectKey) -> Int {
        let raw = Int(key.raw)
        return layout.gapEvery > 0 ? raw - raw / (layout.gapEvery + 1) : raw
    }

    static func stored(_ schema: RealmSchema) -> StoredSchema {
        let tables = schema.classes.enumerated().map { number, schema in
            StoredTable(
                id: TableId(UInt16(number + 1)), name: schema.name, kind: schema.kind, primaryKey: schema.primaryKey,
                columns: schema.properties.enumerated().map { (ColumnId(UInt16($0 + 1)), $1) },
                nextColumnId: ColumnId(UInt16(schema.properties.count + 1)))
        }
        return StoredSchema(
            stamp: 1, version: 0, tables: tables, nextTableId: TableId(UInt16(schema.classes.count + 1)))
    }

    private func write() throws {
        var environment: OpaquePointer?
        try check(mdb_env_create(&environment))
        defer { mdb_env_close(environment) }
        try check(mdb_env_set_maxdbs(environment, FileFormat.databaseCount))
        try check(mdb_env_set_mapsize(environment, 1 << 32))
        try check(mdb_env_open(environment, path, UInt32(MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC), 0o600))
        var transaction: OpaquePointer?
        try check(mdb_txn_begin(environment, nil, 0, &transaction))
        let pointer = try #require(transaction)
        let writer = FixtureWriter(pointer, try Databases(pointer, create: true))
        let schema = FixtureFile.stored(sample.schema)
        try writer.put(\.meta, .meta(MetaKey.format), bytes(layout.format))
        try writer.put(\.meta, .meta(MetaKey.version), bytes(layout.version))
        try writer.put(\.meta, .meta(MetaKey.schema), schema.encoded())
        for (table, content) in zip(schema.tables, sample.classes) {
            try write(table, content, writer, schema)
        }
        try check(mdb_txn_commit(pointer))
        try check(mdb_env_sync(environment, 1))
    }

    private func write(
        _ table: StoredTable, _ content: SampleClass, _ writer: FixtureWriter, _ schema: StoredSchema
    ) throws {
        let present = content.rows.indices.filter { !layout.tombstones.contains("\(table.name)/\($0)") }
        var record = TableRecord()
        record.count = UInt64(present.count)
        record.nextKey = key(content.rows.count).raw
        record.tombstones = UInt64(content.rows.count - present.count)
        record.nextGlobalKey = UInt64(content.rows.count)
        record.noteStructureChange(version: layout.version, lowestBase: 0)
        try writer.put(\.meta, .meta(table.id), record.encoded())
        for row in content.rows.indices {
            let encoded = PrimaryKeyCoding.encode(table.id, primaryKey(content, row))
            var name = encoded.key
            if encoded.longString != nil { name.append(UInt16(0)) }
            let isTombstone = layout.tombstones.contains("\(table.name)/\(row)")
            try writer.put(
                \.keys, name,
                KeyRecord(object: key(row), isTombstone: isTombstone).encoded(longString: encoded.longString))
        }
        for first in stride(from: 0, to: present.count, by: layout.clusterRows) {
            let rows = Array(present[first..<min(first + layout.clusterRows, present.count)])
            let base = key(rows[0]).raw
            try writer.put(
                \.objects, .objects(table.id, base: base, .objectKeys),
                KeyChunk.encode(rows.map { key($0).raw }, base: base))
            if table.primaryKey == nil {
                var globals = ChunkBuilder(.int)
                for row in rows { globals.append(int: Int64(row)) }
                try writer.put(\.objects, .objects(table.id, base: base, .globalKeyLow), globals.encoded())
            }
            for column in table.columns {
                let cells = rows.map { ($0, content.rows[$0][column.slot]) }
                try write(table, column, base, cells, writer, schema)
            }
        }
    }

    private func primaryKey(_ content: SampleClass, _ row: Int) -> PrimaryKey {
        guard let name = content.schema.primaryKey else { return .global(high: 0, low: UInt64(row)) }
        guard case .value(let value) = content.rows[row][content.column(name)] else { return .null }
        switch value {
        case .int(let value): return .int(value)
        case .string(let value): return .string(value)
        case .objectId(let value): return .objectId(value)
        case .uuid(let value): return .uuid(value)
        default: return .null
        }
    }

    private func write(
        _ table: StoredTable, _ column: StoredColumn, _ base: Int64, _ cells: [(row: Int, value: SampleValue)],
        _ writer: FixtureWriter, _ schema: StoredSchema
    ) throws {
        let kind = ChunkKind(column.property.type)
        let target = column.property.target.flatMap { schema.table(named: $0) }
        var chunk = ChunkBuilder(kind)
        for (row, cell) in cells {
            switch cell {
            case .value(let value):
                if let long = FixtureFile.longBytes(value) {
                    chunk.appendExternal()
                    try writer.put(\.blobs, .blobs(table.id, column.id, key(row)), long)
                } else {
                    chunk.append(value)
                }
                if column.property.isIndexed {
                    var name = RecordKey.index(table.id, column.id)
                    if IndexCoding.append(value, to: &name) {
                        name.append(UInt64(key(row).raw))
                        try writer.put(\.index, name, [])
                    }
                }
            case .link(let number):
                chunk.append(int: number.map { key($0).raw + 1 } ?? 0)
                if let number, let target {
                    try writer.backlink(target.id, key(number), table.id, column.id, key(row), 1)
                }
            case .list(let values):
                var elements = ChunkBuilder(kind)
                for value in values { elements.append(value) }
                try write(elements, table.id, column.id, key(row), writer)
            case .links(let numbers):
                var elements = ChunkBuilder(.link)
                for number in numbers { elements.append(int: key(number).raw + 1) }
                try write(elements, table.id, column.id, key(row), writer)
                for (number, uses) in Dictionary(grouping: numbers, by: { $0 }) {
                    guard let target else { continue }
                    try writer.backlink(target.id, key(number), table.id, column.id, key(row), UInt32(uses.count))
                }
            }
        }
        // Left out when everything is the default, as for a column that was added later.
        guard column.property.collection == .single, chunk.isNotDefault(nullable: column.property.isNullable) else {
            return
        }
        try writer.put(\.objects, .objects(table.id, base: base, column.id), chunk.encoded())
    }

    private func write(
        _ elements: ChunkBuilder, _ table: TableId, _ column: ColumnId, _ key: ObjectKey, _ writer: FixtureWriter
    ) throws {
        guard elements.count > 0 else { return }
        guard elements.count > layout.listPiece else {
            try writer.put(\.lists, .lists(table, column, key, number: 0), ListRoot.encoded(inline: elements))
            return
        }
        let bytes = elements.encoded()
        var pieces: [ListRoot.Piece] = []
        try bytes.withUnsafeBytes { all in
            let chunk = UnsafeChunk(try #require(all.baseAddress))
            for first in stride(from: 0, to: elements.count, by: layout.listPiece) {
                let part = ChunkBuilder(chunk, rows: first..<min(first + layout.listPiece, elements.count))
                // Numbers don't follow the order of the pieces.
                let number = UInt32(100 - pieces.count)
                try writer.put(\.lists, .lists(table, column, key, number: number), part.encoded())
                pieces.append(ListRoot.Piece(number: number, count: UInt32(part.count)))
            }
        }
        try writer.put(\.lists, .lists(table, column, key, number: 0), ListRoot(pieces: pieces).encoded())
    }

    static func longBytes(_ value: Value) -> [UInt8]? {
        switch value {
        case .string(let text) where text.utf8.count > FileFormat.longestInlineValue: Array(text.utf8)
        case .binary(let data) where data.count > FileFormat.longestInlineValue: Array(data)
        default: nil
        }
    }

    private func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}

/// Puts records into the databases of an open transaction.
struct FixtureWriter {
    private let transaction: OpaquePointer
    private let databases: Databases

    init(_ transaction: OpaquePointer, _ databases: Databases) {
        self.transaction = transaction
        self.databases = databases
    }

    func put(_ database: KeyPath<Databases, MDB_dbi>, _ key: RecordKey, _ value: [UInt8]) throws {
        var value = value
        try value.withUnsafeMutableBytes { value in
            try key.withUnsafeBytes { key in
                var name = MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress))
                var data = MDB_val(mv_size: value.count, mv_data: value.baseAddress)
                try check(mdb_put(transaction, databases[keyPath: database], &name, &data, 0))
            }
        }
    }

    func backlink(
        _ target: TableId, _ targetKey: ObjectKey, _ origin: TableId, _ column: ColumnId, _ originKey: ObjectKey,
        _ count: UInt32
    ) throws {
        try put(
            \.backlinks, .backlinks(to: target, targetKey, from: origin, column, originKey),
            withUnsafeBytes(of: count.littleEndian) { Array($0) })
    }
}

private func check(_ code: Int32) throws {
    guard code == 0 else { throw StoreError(lmdb: code, "writing the fixture") }
}

extension ChunkBuilder {
    fileprivate func isNotDefault(nullable: Bool) -> Bool {
        let expected = DefaultChunk.chunk(kind, nullable: nullable)
        return ChunkBuilder(UnsafeChunk(expected), rows: 0..<count).encoded() != encoded()
    }
}
