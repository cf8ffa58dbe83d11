import Model

@testable import Merge

extension RecoveryModel {
    /// Copies the lists that must be copied; then the digest of the fresh realm, which is what the device has.
    func finish() -> String {
        for (name, objects) in fresh {
            for (key, object) in objects {
                guard let own = device[name]?[key] else { continue }
                copyLists(in: .object(object), from: .object(own))
            }
        }
        var digest = StateDigest()
        for (name, description) in classes.schema.classes {
            digest.add(class: name.text, description.kind, key: description.key)
            for (property, column) in description.columns {
                digest.add(
                    property: property.text, of: name.text, column.type, isNullable: column.isNullable,
                    column.collection, target: column.target?.text)
            }
        }
        for (name, objects) in fresh {
            for (key, object) in objects {
                digest.add(object: key, of: name.text, fields(object).map { ($0.text, stateValue($1)) })
            }
        }
        return digest.value
    }

    private func copyLists(in node: Node, from own: Node) {
        switch (node, own) {
        case (.list(let list), .list(let source)) where list.mustBeCopied:
            list.elements = source.elements.compactMap { copy($0.node, isElement: true).map { (nil, $0) } }
        case (.object(let object), .object(let source)):
            for (name, node) in object.fields {
                if let own = source.fields[name] { copyLists(in: node, from: own) }
            }
        case (.dictionary(let entries), .dictionary(let source)):
            for (name, node) in entries.values {
                if let own = source.values[name] { copyLists(in: node, from: own) }
            }
        default: break
        }
    }

    private func copy(_ node: Node, isElement: Bool = false) -> Node? {
        func isThere(_ value: Value) -> Bool {
            guard case .link(let link) = value else { return true }
            return fresh[Name(text: link.className)]?[link.key] != nil
        }
        switch node {
        case .value(let value): return isThere(value) ? node : isElement ? nil : .value(.null)
        case .set(let elements): return .set(elements.filter(isThere))
        case .list(let list): return .list(List(list.elements.compactMap { copy($0.node, isElement: true) }))
        case .dictionary(let entries):
            return .dictionary(Entries(entries.values.mapValues { copy($0) ?? .value(.null) }))
        case .object(let object):
            return .object(Object(object.className, object.fields.mapValues { copy($0) ?? .value(.null) }))
        }
    }

    // MARK: Reading

    private func fields(_ object: Object) -> [(Name, Node)] {
        (classes.schema[object.className]?.columns ?? [:]).map { name, column in
            (name, object.fields[name] ?? Self.node(column.initial))
        }
    }

    private func stateValue(_ node: Node) -> StateValue {
        switch node {
        case .value(let value): .value(value)
        case .set(let elements): .set(elements)
        case .list(let list): .list(list.elements.map { stateValue($0.node) })
        case .dictionary(let entries): .dictionary(entries.values.map { ($0.key.text, stateValue($0.value)) })
        case .object(let object): .object(fields(object).map { ($0.text, stateValue($1)) })
        }
    }

    static func node(_ slot: Slot) -> Node {
        switch slot {
        case .value(let value): .value(value)
        case .set(let elements): .set(elements)
        case .list(let elements): .list(List(elements.map(node)))
        case .dictionary(let entries): .dictionary(Entries(entries.mapValues(node)))
        case .object(let className, let fields): .object(Object(className, fields.mapValues(node)))
        }
    }

    static func objects(_ state: ReplicaState) -> Objects {
        var result: Objects = [:]
        for (name, objects) in state.objects {
            result[name] = objects.mapValues { Object(name, $0.mapValues(node)) }
        }
        return result
    }
}

extension RecoveryModel {
    /// Whether the fresh realm has all classes and properties of a state.
    func knows(_ state: ReplicaState) -> Bool {
        state.schema.classes.allSatisfy { name, description in
            guard let known = classes.schema[name] else { return false }
            return description.columns.keys.allSatisfy { known.columns[$0] != nil }
        }
    }
}
