import Model

/// How a class in the file differs from the app's, in the words of the mismatch error.
struct SchemaDifference {
    /// Properties that only the app has, and that only the file has.
    var added: [PropertySchema] = []
    var removed: [StoredColumn] = []
    /// Properties with another type, collection or target.
    var retyped: [(StoredColumn, PropertySchema)] = []
    var madeOptional: [(StoredColumn, PropertySchema)] = []
    var madeRequired: [(StoredColumn, PropertySchema)] = []
    var indexes: [(StoredColumn, PropertySchema)] = []
    var keyIsChanged = false
    var kindIsChanged = false
    /// One line for each that needs a migration.
    var lines: [String] = []

    /// Whether a higher schema version is needed.
    var needsMigration: Bool { !lines.isEmpty }
    var isEmpty: Bool { lines.isEmpty && indexes.isEmpty }

    init(_ table: StoredTable, _ wanted: ClassSchema) {
        let name = wanted.name
        if table.kind != wanted.kind {
            kindIsChanged = true
            lines.append("Class '\(name)' has been changed from \(table.kind) to \(wanted.kind).")
        }
        for property in wanted.properties {
            guard let column = table.column(named: property.name) else {
                added.append(property)
                lines.append("Property '\(name).\(property.name)' has been added.")
                continue
            }
            let known = column.property
            if known.type != property.type || known.collection != property.collection
                || known.target != property.target
            {
                retyped.append((column, property))
                lines.append(
                    "Property '\(name).\(property.name)' has been changed from '\(known.typeName)' to "
                        + "'\(property.typeName)'.")
            } else if known.isNullable != property.isNullable {
                if property.isNullable {
                    madeOptional.append((column, property))
                    lines.append("Property '\(name).\(property.name)' has been made optional.")
                } else {
                    madeRequired.append((column, property))
                    lines.append("Property '\(name).\(property.name)' has been made required.")
                }
            }
            if known.isIndexed != property.isIndexed { indexes.append((column, property)) }
        }
        for column in table.columns where wanted.property(column.property.name) == nil {
            removed.append(column)
            lines.append("Property '\(name).\(column.property.name)' has been removed.")
        }
        let known = table.primaryKey?.property
        let key = wanted.primaryKey
        if known?.name != key {
            keyIsChanged = true
            switch (known?.name, key) {
            case (nil, let key?): lines.append("Primary Key for class '\(name)' has been added: '\(key)'.")
            case (let known?, nil): lines.append("Primary Key for class '\(name)' has been removed: '\(known)'.")
            case (let known, let key):
                lines.append(
                    "Primary Key for class '\(name)' has changed from '\(known ?? "")' to '\(key ?? "")'.")
            }
        } else if let known, let property = key.flatMap({ wanted.property($0) }),
            known.type != property.type || known.isNullable != property.isNullable
        {
            keyIsChanged = true
        }
    }
}

extension PropertySchema {
    /// The type as the mismatch error names it.
    fileprivate var typeName: String {
        var name = target.map { "<\($0)>" } ?? "\(type)"
        if isNullable, type != .link { name += "?" }
        switch collection {
        case .single: return name
        case .list: return "array\(target == nil ? "<\(name)>" : name)"
        case .set: return "set<\(name)>"
        case .dictionary: return "dictionary<string, \(name)>"
        }
    }
}
