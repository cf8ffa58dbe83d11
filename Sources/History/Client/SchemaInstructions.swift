import Model
import Store

extension StoredSchema {
    /// What a synced realm records when an app opens it with classes or properties that it lacks (C-69): all classes in
    /// the order of their names' bytes, then their properties. What only the file has stays (C-70).
    package func instructions(adding wanted: RealmSchema) -> [Instruction] {
        let classes = wanted.classes.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        let tables = classes.filter { table(named: $0.name) == nil }
            .map { Instruction.addTable(className: $0.name, kind: $0.kind, key: $0.keyColumn) }
        let columns = classes.flatMap { wanted in
            let known = table(named: wanted.name)
            return wanted.properties
                .filter { $0.name != wanted.primaryKey && known?.column(named: $0.name) == nil }
                .map { Instruction.addColumn(className: wanted.name, property: $0.name, $0.declaration) }
        }
        return tables + columns
    }
}

extension ClassSchema {
    /// The key column as AddTable declares it (C-52).
    fileprivate var keyColumn: KeyColumn? {
        guard kind != .embedded else { return nil }
        guard let property = primaryKey.flatMap({ property($0) }) else {
            return KeyColumn(name: "", type: nil, isNullable: false)
        }
        return KeyColumn(name: property.name, type: property.type, isNullable: property.isNullable)
    }
}

extension PropertySchema {
    /// As AddColumn declares it (C-53).
    fileprivate var declaration: ColumnDeclaration {
        ColumnDeclaration(
            type: type.rawValue, isNullable: isNullable || type == .mixed, collection: collection, target: target,
            keyType: collection == .dictionary ? ValueType.string.rawValue : nil)
    }
}
