import Model

/// A realm in memory: what a series of changesets makes of an empty one, by the rules for applying them (section 10 of
/// the changeset specification). For proofs and simulations, and to tell what a changeset does; a file is `Store`'s.
public struct ReplicaState: Equatable, Sendable {
    typealias Fields = [Name: Slot]

    var schema = ReplicaSchema()
    var objects: [Name: [PrimaryKey: Fields]] = [:]

    public init() {}

    /// Applies all instructions of a changeset, or none.
    public mutating func apply(_ instructions: [Instruction]) throws(ApplyError) {
        var next = self
        for instruction in instructions { try next.apply(instruction) }
        self = next
    }

    mutating func apply(_ instruction: Instruction) throws(ApplyError) {
        switch instruction {
        case .addTable(let name, let kind, let key):
            let name = Name(text: name)
            if try schema.add(name, kind, key), kind != .embedded { objects[name] = [:] }
        case .eraseTable(let name):
            try schema.erase(Name(text: name))
            objects[Name(text: name)] = nil
        case .addColumn(let name, let property, let declaration):
            try addColumn(Name(text: property), of: Name(text: name), declaration)
        case .eraseColumn(let name, let property):
            try schema.erase(Name(text: property), of: Name(text: name))
            forEachObject(of: Name(text: name)) { $0[Name(text: property)] = nil }
        case .createObject(let name, let key):
            let name = Name(text: name)
            try schema.check(key, of: name)
            let initial = schema[name]?.columns.mapValues(\.initial) ?? [:]
            if objects[name]?[key] == nil { objects[name]?[key] = initial }
        case .eraseObject(let name, let key):
            try schema.check(key, of: Name(text: name))
            objects[Name(text: name)]?[key] = nil
        case .update(let path, _, _), .updateElement(let path, _, _), .addInteger(let path, _),
            .arrayInsert(let path, _, _), .arrayMove(let path, _, _), .arrayErase(let path, _), .clear(let path, _),
            .setInsert(let path, _), .setErase(let path, _):
            try apply(instruction, at: path)
        }
    }

    // MARK: Objects

    private mutating func apply(_ instruction: Instruction, at path: InstructionPath) throws(ApplyError) {
        let name = Name(text: path.className)
        let property = Name(text: path.property)
        try schema.check(path.key, of: name)
        let column = try schema.column(property, of: name)
        guard var slot = objects[name]?[path.key]?[property] else {
            throw ApplyError(rule: "C-129", "there is no object '\(path.className)' with key \(path.key)")
        }
        // So that the slot's memory has no second owner while it changes.
        objects[name]?[path.key]?[property] = .null
        let applier = SlotApplier(schema: schema, instruction: instruction)
        try applier.apply(at: path.rest[...], to: &slot, column)
        objects[name]?[path.key]?[property] = slot
    }

    private mutating func addColumn(
        _ property: Name, of className: Name, _ declaration: ColumnDeclaration
    ) throws(ApplyError) {
        guard let column = try schema.add(property, of: className, declaration) else { return }
        forEachObject(of: className) { $0[property] = column.initial }
    }

    /// All objects of a class, those embedded in others too.
    private mutating func forEachObject(of className: Name, _ change: (inout Fields) -> Void) {
        if schema[className]?.kind != .embedded {
            for key in objects[className]?.keys.map({ $0 }) ?? [] {
                if var fields = objects[className]?[key] {
                    change(&fields)
                    objects[className]?[key] = fields
                }
            }
            return
        }
        for name in objects.keys {
            objects[name] = objects[name]?.mapValues { fields in
                fields.mapValues { $0.changingEmbedded(className, change) }
            }
        }
    }
}

extension Slot {
    /// The slot with a change made to all embedded objects of a class in it.
    fileprivate func changingEmbedded(_ name: Name, _ change: (inout ReplicaState.Fields) -> Void) -> Slot {
        switch self {
        case .value, .set: return self
        case .list(let elements): return .list(elements.map { $0.changingEmbedded(name, change) })
        case .dictionary(let entries): return .dictionary(entries.mapValues { $0.changingEmbedded(name, change) })
        case .object(let className, let fields):
            var fields = fields.mapValues { $0.changingEmbedded(name, change) }
            if className == name { change(&fields) }
            return .object(className: className, fields: fields)
        }
    }
}
