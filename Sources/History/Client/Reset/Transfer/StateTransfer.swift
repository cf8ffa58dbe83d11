import Model
import Store

/// Says in instructions what turns the objects of one realm into those of another.
struct StateTransfer {
    /// What shall be.
    let source: Snapshot
    /// What is.
    let destination: Snapshot
    let difference: ValueDifference
    /// Of the source's objects those that shall be; nil: all.
    var selection: ObjectSelection?

    init(from source: Snapshot, to destination: Snapshot, emit: @escaping (Instruction) throws -> Void) {
        self.source = source
        self.destination = destination
        difference = ValueDifference(schema: source.schema.realmSchema, emit: emit)
    }

    /// Throws `ClientResetFailure` if the destination has what the source hasn't, or has it otherwise.
    func run() throws {
        try SchemaTransfer(from: source.schema, to: destination.schema, emit: difference.emit).run()
        // Objects of asymmetric classes are on their way to the server and nowhere else.
        let tables = source.schema.tables.filter { $0.kind == .topLevel }.map { source.table($0.id) }
        for table in tables { try eraseSurplus(table) }
        // All of them before any value, so that links find their targets (R-34, 9).
        for table in tables { try createMissing(table) }
        for table in tables { try copyValues(table) }
    }

    private func eraseSurplus(_ table: Table) throws {
        guard let other = destination.table(named: table.stored.name) else { return }
        try other.forEachObject { cluster, row in
            let key = other.primaryKey(cluster, row)
            guard !has(key, table) else { return }
            try difference.emit(.eraseObject(className: table.stored.name, key: key))
        }
    }

    private func createMissing(_ table: Table) throws {
        let other = destination.table(named: table.stored.name)
        try forEachObject(of: table) { cluster, row in
            let key = table.primaryKey(cluster, row)
            guard other?.find(key) == nil else { return }
            try difference.emit(.createObject(className: table.stored.name, key: key))
        }
    }

    // MARK: What shall be

    private func has(_ key: PrimaryKey, _ table: Table) -> Bool {
        guard let object = table.find(key) else { return false }
        return selection?.contains(object, table.stored.name) ?? true
    }

    private func forEachObject(of table: Table, _ body: (Cluster, Int) throws -> Void) rethrows {
        guard let selection else { return try table.forEachObject(body) }
        for key in selection.keys[table.stored.name] ?? [] {
            if let (cluster, row) = table.locate(key) { try body(cluster, row) }
        }
    }

    // MARK: Values

    private struct Pair {
        let source: StoredColumn
        let destination: StoredColumn?
        let slot: ValueDifference.Slot
        /// Whether values can be compared as they are.
        let isPlain: Bool
    }

    private func copyValues(_ table: Table) throws {
        let other = destination.table(named: table.stored.name)
        let pairs = table.stored.columns.filter { $0.id != table.stored.primaryKey?.id }.map { column in
            let property = column.property
            return Pair(
                source: column, destination: other?.stored.column(named: property.name),
                slot: difference.slot(property),
                isPlain: property.collection == .single && property.type != .link && property.type != .mixed)
        }
        guard !pairs.isEmpty else { return }
        var reader = StateReader(source)
        var otherReader = StateReader(destination)
        try forEachObject(of: table) { cluster, row in
            let key = table.primaryKey(cluster, row)
            let known = other.flatMap { other in other.find(key).flatMap { other.locate($0) } }
            for pair in pairs {
                let path = InstructionPath(table.stored.name, key, pair.source.property.name)
                guard let other, let known, let column = pair.destination else {
                    try difference.fill(
                        path, pair.source.property, with: reader.value(table, cluster, row, pair.source))
                    continue
                }
                if pair.isPlain {
                    let value = table.value(cluster, row, pair.source)
                    guard value != other.value(known.cluster, known.row, column) else { continue }
                    try difference.emit(.update(path, .value(value), isDefault: false))
                } else {
                    try difference.change(
                        path, pair.slot, from: otherReader.value(other, known.cluster, known.row, column),
                        to: reader.value(table, cluster, row, pair.source))
                }
            }
        }
    }
}

extension Table {
    /// Calls `body` with the cluster and row of each object, in key order.
    func forEachObject(_ body: (Cluster, Int) throws -> Void) rethrows {
        for position in 0..<clusterCount {
            let cluster = cluster(at: position)
            for row in 0..<cluster.count { try body(cluster, row) }
        }
    }
}
