import Foundation
import Model
import TestSupport

@testable import Merge

/// What an application sees of a realm: links to what doesn't exist are null, or left out of lists and sets of links
/// (C-13). In this form the golden data has its states.
struct VisibleState: Equatable {
    indirect enum Content: Hashable {
        case value(Value)
        case object([String: Content])
        case list([Content])
        case dictionary([String: Content])
        case set(Set<Value>)
    }

    /// By class; those without objects are left out.
    var objects: [String: [PrimaryKey: [String: Content]]] = [:]
}

extension VisibleState {
    init(_ state: ReplicaState) {
        for (name, instances) in state.objects where !instances.isEmpty {
            objects[name.text] = instances.mapValues { fields in
                fields.reduce(into: [:]) { visible, field in
                    let column = state.schema[name]?.columns[field.key]
                    visible[field.key.text] = Self.content(field.value, column ?? .mixed, state)
                }
            }
        }
    }

    private static func content(_ slot: Slot, _ type: SlotType, _ state: ReplicaState) -> Content {
        func isHidden(_ value: Value) -> Bool {
            guard case .link(let link) = value else { return false }
            return state.objects[Name(text: link.className)]?[link.key] == nil
        }
        switch slot {
        case .value(let value): return .value(isHidden(value) ? .null : value)
        case .object(let name, let fields):
            return .object(
                fields.reduce(into: [:]) { visible, field in
                    let column = state.schema[name]?.columns[field.key]
                    visible[field.key.text] = content(field.value, column ?? .mixed, state)
                })
        case .list(let elements):
            let visible = elements.filter { element in
                if case .value(let value) = element, type.type == .link { return !isHidden(value) }
                return true
            }
            return .list(visible.map { content($0, type.element, state) })
        case .dictionary(let entries):
            return .dictionary(
                entries.reduce(into: [:]) { $0[$1.key.text] = content($1.value, type.element, state) })
        case .set(let elements):
            if type.type == .link { return .set(Set(elements.filter { !isHidden($0) })) }
            return .set(Set(elements.map { isHidden($0) ? .null : $0 }))
        }
    }
}

extension VisibleState {
    /// Reads the objects of a recorded state.
    init(recorded json: [String: Any]) throws {
        for (name, list) in json["objects"] as? [String: Any] ?? [:] {
            for object in list as? [[String: Any]] ?? [] {
                let key = try VectorCoding.key(object["pk"])
                objects[name, default: [:]][key] = try Self.fields(object["fields"])
            }
        }
    }

    private static func fields(_ json: Any?) throws -> [String: Content] {
        try (json as? [String: Any] ?? [:]).mapValues(content)
    }

    private static func content(_ json: Any) throws -> Content {
        let parts = json as? [String: Any] ?? [:]
        if let fields = parts["object"] { return .object(try self.fields(fields)) }
        if let elements = parts["list"] as? [Any] { return .list(try elements.map(content)) }
        if let entries = parts["dictionary"] { return .dictionary(try fields(entries)) }
        if let elements = parts["set"] as? [Any] { return .set(Set(try elements.map(value))) }
        return .value(try value(json))
    }

    private static func value(_ json: Any) throws -> Value {
        guard case .value(let value) = try VectorCoding.payload(json) else { throw VectorCoding.Unreadable("value") }
        return value
    }
}
