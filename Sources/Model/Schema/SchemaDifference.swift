/// One thing in which a schema differs from the one that a file holds.
public enum SchemaDifference: Hashable, Sendable {
    case classAdded(String)
    case classRemoved(String)
    case classKindChanged(String, from: ClassKind, to: ClassKind)
    case primaryKeyAdded(className: String, property: String)
    case primaryKeyRemoved(className: String, property: String)
    case primaryKeyChanged(className: String, from: String, to: String)
    case propertyAdded(className: String, property: String)
    case propertyRemoved(className: String, property: String)
    case propertyMadeOptional(className: String, property: String)
    case propertyMadeRequired(className: String, property: String)
    case propertyTypeChanged(className: String, property: String, from: String, to: String)
    case indexAdded(className: String, property: String)
    case indexRemoved(className: String, property: String)

    /// Whether a local realm takes it only with a higher schema version (MI-04). Others apply by themselves (MI-03).
    public var needsMigration: Bool {
        switch self {
        case .classAdded, .classRemoved, .indexAdded, .indexRemoved: false
        default: true
        }
    }

    /// Whether a synced realm takes it without loss (MI-06): additions, removals and indexes.
    public var isAdditive: Bool {
        switch self {
        case .classAdded, .classRemoved, .propertyAdded, .propertyRemoved, .indexAdded, .indexRemoved: true
        default: false
        }
    }
}

extension SchemaDifference: CustomStringConvertible {
    /// A sentence for an error message.
    public var description: String {
        switch self {
        case .classAdded(let name): "Class '\(name)' has been added."
        case .classRemoved(let name): "Class '\(name)' has been removed."
        case .classKindChanged(let name, let from, let to):
            "Class '\(name)' has been changed from \(from.name) to \(to.name)."
        case .primaryKeyAdded(let name, let property): "Primary key '\(name).\(property)' has been added."
        case .primaryKeyRemoved(let name, let property): "Primary key '\(name).\(property)' has been removed."
        case .primaryKeyChanged(let name, let from, let to):
            "Primary key of class '\(name)' has been changed from '\(from)' to '\(to)'."
        case .propertyAdded(let name, let property): "Property '\(name).\(property)' has been added."
        case .propertyRemoved(let name, let property): "Property '\(name).\(property)' has been removed."
        case .propertyMadeOptional(let name, let property): "Property '\(name).\(property)' has been made optional."
        case .propertyMadeRequired(let name, let property): "Property '\(name).\(property)' has been made required."
        case .propertyTypeChanged(let name, let property, let from, let to):
            "Property '\(name).\(property)' has been changed from '\(from)' to '\(to)'."
        case .indexAdded(let name, let property): "Property '\(name).\(property)' has been made indexed."
        case .indexRemoved(let name, let property): "Property '\(name).\(property)' is no longer indexed."
        }
    }
}

extension RealmSchema {
    /// In what `new` differs from this schema, class by class in the order of `new`, then what it no longer lists.
    /// The order of properties does not count.
    public func differences(to new: RealmSchema) -> [SchemaDifference] {
        var result: [SchemaDifference] = []
        let old = Dictionary(classes.map { ($0.name, $0) }) { first, _ in first }
        for schema in new.classes {
            if let known = old[schema.name] {
                result += known.differences(to: schema)
            } else {
                result.append(.classAdded(schema.name))
            }
        }
        let kept = Set(new.classes.map(\.name))
        return result + classes.filter { !kept.contains($0.name) }.map { .classRemoved($0.name) }
    }
}

extension ClassSchema {
    /// In what `new`, of the same name, differs from this class.
    public func differences(to new: ClassSchema) -> [SchemaDifference] {
        var result: [SchemaDifference] = []
        if kind != new.kind { result.append(.classKindChanged(name, from: kind, to: new.kind)) }
        switch (primaryKey, new.primaryKey) {
        case (nil, let key?): result.append(.primaryKeyAdded(className: name, property: key))
        case (let key?, nil): result.append(.primaryKeyRemoved(className: name, property: key))
        case (let from?, let to?) where from != to:
            result.append(.primaryKeyChanged(className: name, from: from, to: to))
        default: break
        }
        let old = Dictionary(properties.map { ($0.name, $0) }) { first, _ in first }
        for property in new.properties {
            if let known = old[property.name] {
                result += known.differences(to: property, className: name)
            } else {
                result.append(.propertyAdded(className: name, property: property.name))
            }
        }
        let kept = Set(new.properties.map(\.name))
        return result
            + properties.filter { !kept.contains($0.name) }.map {
                .propertyRemoved(className: name, property: $0.name)
            }
    }
}

extension PropertySchema {
    fileprivate func differences(to new: PropertySchema, className: String) -> [SchemaDifference] {
        var result: [SchemaDifference] = []
        if type != new.type || collection != new.collection || target != new.target {
            result.append(
                .propertyTypeChanged(
                    className: className, property: name, from: typeDescription, to: new.typeDescription))
        } else if isNullable != new.isNullable {
            result.append(
                new.isNullable
                    ? .propertyMadeOptional(className: className, property: name)
                    : .propertyMadeRequired(className: className, property: name))
        }
        if isIndexed != new.isIndexed {
            result.append(
                new.isIndexed
                    ? .indexAdded(className: className, property: name)
                    : .indexRemoved(className: className, property: name))
        }
        return result
    }
}
