import Model
import Store

/// Adds to the schema of a realm what another has beyond it (R-34, 1 to 7). Nothing is taken away: an app may rely on it.
struct SchemaTransfer {
    let source: StoredSchema
    let destination: StoredSchema
    let emit: (Instruction) throws -> Void

    init(from source: StoredSchema, to destination: StoredSchema, emit: @escaping (Instruction) throws -> Void) {
        self.source = source
        self.destination = destination
        self.emit = emit
    }

    func run() throws {
        let removed = destination.tables.map(\.name).filter { source.table(named: $0) == nil }
        guard removed.isEmpty else {
            throw ClientResetFailure(
                .incompatibleSchema, "the server has no class \(names(removed)), which this device has")
        }
        for table in source.tables { try check(table) }
        for table in source.tables where destination.table(named: table.name) == nil {
            try emit(.addTable(className: table.name, kind: table.kind, key: table.keyColumn))
        }
        try checkColumns()
        for table in source.tables {
            let known = destination.table(named: table.name)
            for column in table.columns where column.id != table.primaryKey?.id {
                guard known?.column(named: column.property.name) == nil else { continue }
                let property = column.property
                try emit(
                    .addColumn(className: table.name, property: property.name, ColumnDeclaration(of: property)))
            }
        }
    }

    private func check(_ table: StoredTable) throws {
        guard let known = destination.table(named: table.name) else { return }
        guard known.kind == table.kind else {
            throw mismatch("class '\(table.name)' is \(known.kind) on this device and \(table.kind) on the server")
        }
        guard known.keyColumn == table.keyColumn else {
            throw mismatch("class '\(table.name)' has another primary key on the server")
        }
    }

    private func checkColumns() throws {
        var removed: [String] = []
        for known in destination.tables {
            guard let table = source.table(named: known.name) else { continue }
            for column in known.columns {
                guard let other = table.column(named: column.property.name)?.property else {
                    removed.append("\(known.name).\(column.property.name)")
                    continue
                }
                guard column.property.isCompatible(with: other) else {
                    throw mismatch("property '\(known.name).\(other.name)' has another type on the server")
                }
            }
        }
        guard removed.isEmpty else {
            throw mismatch("the server has no property \(names(removed)), which this device has")
        }
    }

    private func mismatch(_ message: String) -> ClientResetFailure { ClientResetFailure(.incompatibleSchema, message) }

    private func names(_ names: [String]) -> String { names.map { "'\($0)'" }.joined(separator: ", ") }
}

extension PropertySchema {
    /// Whether both hold the same values; an index is nobody else's business.
    func isCompatible(with other: PropertySchema) -> Bool {
        // Whether a link can be null follows from where it is.
        type == other.type && (type == .link || type == .mixed || isNullable == other.isNullable)
            && collection == other.collection && target == other.target
    }
}
