import Model

extension Snapshot {
    /// Instructions that make this realm's classes and properties in an empty one. Applied where they are they change
    /// nothing.
    package func schemaInstructions() -> [Instruction] {
        let tables = schema.tables.map { stored in
            Instruction.addTable(className: stored.name, kind: stored.kind, key: stored.keyColumn)
        }
        let columns = schema.tables.flatMap { stored in
            stored.columns.filter { $0.id != stored.primaryKey?.id }.map { column in
                let property = column.property
                return Instruction.addColumn(
                    className: stored.name, property: property.name,
                    ColumnDeclaration(
                        type: property.type.rawValue, isNullable: property.isNullable,
                        collection: property.collection, target: property.target,
                        keyType: property.collection == .dictionary ? ValueType.string.rawValue : nil))
            }
        }
        return tables + columns
    }

    /// Instructions that make objects as they are, with what is embedded in them, where there are none of their keys.
    /// `includes` says which properties they have.
    package func instructions(
        creating objects: some Sequence<ObjectKey>, of table: Table, includes: (String) -> Bool = { _ in true }
    ) -> [Instruction] {
        var writer = StateInstructions(self)
        for key in objects { writer.create(key, table, includes) }
        return writer.instructions
    }
}

/// Writes the instructions that make objects out of nothing.
private struct StateInstructions {
    private let schema: StoredSchema
    private var reader: StateReader
    private(set) var instructions: [Instruction] = []

    init(_ snapshot: Snapshot) {
        schema = snapshot.schema
        reader = StateReader(snapshot)
    }

    mutating func create(_ key: ObjectKey, _ table: Table, _ includes: (String) -> Bool) {
        guard let (cluster, row) = table.locate(key) else { return }
        let primaryKey = table.primaryKey(cluster, row)
        instructions.append(.createObject(className: table.stored.name, key: primaryKey))
        for column in table.stored.columns
        where column.id != table.stored.primaryKey?.id && includes(column.property.name) {
            let path = InstructionPath(table.stored.name, primaryKey, column.property.name)
            fill(path, column, reader.value(table, cluster, row, column))
        }
    }

    /// A property of an object that has just been made: it is null if it can be, or empty.
    private mutating func fill(_ path: InstructionPath, _ column: StoredColumn, _ value: StateValue) {
        let target = column.property.target.flatMap { schema.table(named: $0) }
        if column.property.collection != .single { return fill(path, value, target) }
        if case .value(.null) = value { return }
        assign(path, value, target)
    }

    /// Assigns to a property, or a dictionary's key. `target`: the class of what is embedded there.
    private mutating func assign(_ path: InstructionPath, _ value: StateValue, _ target: StoredTable?) {
        instructions.append(.update(path, payload(value), isDefault: false))
        fill(path, value, target)
    }

    private func payload(_ value: StateValue) -> Payload {
        switch value {
        case .value(let value): .value(value)
        case .object: .embeddedObject
        case .list, .set: .list
        case .dictionary: .dictionary
        }
    }

    /// Puts what there is into an embedded object or a collection that is there and empty.
    private mutating func fill(_ path: InstructionPath, _ value: StateValue, _ target: StoredTable?) {
        switch value {
        case .value: break
        case .object(let properties):
            for (name, value) in properties {
                guard let column = target?.column(named: name) else { continue }
                fill(path.appending(.name(name)), column, value)
            }
        case .list(let elements):
            for (index, element) in elements.enumerated() {
                let inner = path.appending(.index(UInt32(index)))
                instructions.append(.arrayInsert(inner, payload(element), priorSize: UInt32(index)))
                fill(inner, element, target)
            }
        case .set(let elements):
            for element in elements { instructions.append(.setInsert(path, .value(element))) }
        case .dictionary(let entries):
            for (key, value) in entries { assign(path.appending(.name(key)), value, target) }
        }
    }
}
