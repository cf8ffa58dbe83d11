import Model

extension ReplicaState {
    /// The digest of schema and objects: equal for equal states, however they came about.
    public var digest: String {
        var digest = StateDigest()
        for (name, description) in schema.classes {
            digest.add(class: name.text, description.kind, key: description.key)
            for (property, column) in description.columns {
                digest.add(
                    property: property.text, of: name.text, column.type, isNullable: column.isNullable,
                    column.collection, target: column.target?.text)
            }
        }
        for (name, objects) in objects {
            for (key, fields) in objects {
                digest.add(object: key, of: name.text, fields.map { ($0.key.text, $0.value.stateValue) })
            }
        }
        return digest.value
    }
}

extension Slot {
    fileprivate var stateValue: StateValue {
        switch self {
        case .value(let value): .value(value)
        case .object(_, let fields): .object(fields.map { ($0.key.text, $0.value.stateValue) })
        case .list(let elements): .list(elements.map(\.stateValue))
        case .dictionary(let entries): .dictionary(entries.map { ($0.key.text, $0.value.stateValue) })
        case .set(let elements): .set(elements)
        }
    }
}
