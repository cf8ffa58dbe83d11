import Model
import Testing

@testable import Store

/// Numbers of classes and properties are never used again, so they can run out.
@Suite struct SchemaNumbersTests {
    private func schema(nextTable: UInt16, nextColumn: UInt16) -> StoredSchema {
        let table = StoredTable(
            id: TableId(1), name: "Dog", kind: .topLevel, primaryKey: nil, columns: [],
            nextColumnId: ColumnId(nextColumn))
        return StoredSchema(stamp: .max, version: 0, tables: [table], nextTableId: TableId(nextTable))
    }

    private func columns(_ count: Int) -> [(id: ColumnId, property: PropertySchema)] {
        (0..<count).map { (ColumnId(0), PropertySchema("p\($0)", .int)) }
    }

    @Test func theLastClassNumberIsGivenAndThenNoMore() throws {
        let last = try SchemaEdit.adding(schema(nextTable: .max - 1, nextColumn: 1), "Cat", .topLevel, key: nil)
        #expect(last.table(named: "Cat")?.id == TableId(.max - 1))
        let error = #expect(throws: StoreError.self) {
            try SchemaEdit.adding(SchemaEdit.removing(last, TableId(.max - 1)), "Cow", .topLevel, key: nil)
        }
        #expect(error?.code == .badChangeset)
    }

    @Test func propertiesNeverGetTheNumbersOfHiddenColumns() throws {
        let schema = schema(nextTable: 2, nextColumn: 0xFFFC)
        let full = try SchemaEdit.changing(schema, TableId(1), primaryKey: nil, columns(2))
        #expect(full[TableId(1)]?.columns.map(\.id.raw) == [0xFFFC, 0xFFFD])
        #expect(throws: StoreError.self) {
            try SchemaEdit.changing(schema, TableId(1), primaryKey: nil, columns(3))
        }
        let emptied = try SchemaEdit.changing(full, TableId(1), primaryKey: nil, [])
        #expect(throws: StoreError.self) {
            try SchemaEdit.changing(emptied, TableId(1), primaryKey: nil, columns(1))
        }
    }
}
