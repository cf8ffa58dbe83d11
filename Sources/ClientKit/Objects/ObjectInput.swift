import Foundation
import Model

/// The values that an object is made of or updated with: a dictionary by Swift names, an array in the order of the
/// properties, or an object (WR-19 … WR-21).
enum ObjectInput {
    case dictionary([String: Any])
    case array([Any])
    case object(ObjectBase)

    /// Traps for anything else.
    init(_ value: Any, for persisted: PersistedClass) {
        guard let input = Self.make(AnyCoercion.unwrapped(value) ?? value) else {
            fail(
                Mistake(
                    "Invalid value '\(value)' to initialize object of type '\(persisted.name)': expected a dictionary, "
                        + "an array or an object."))
        }
        self = input
        let stored = persisted.properties.count { !$0.isComputed }
        if case .array(let values) = self, values.count > stored {
            fail(
                Mistake(
                    "Invalid array input: more values (\(values.count)) than properties (\(stored)) of class "
                        + "'\(persisted.name)'."))
        }
    }

    private static func make(_ value: Any) -> ObjectInput? {
        switch value {
        case let object as ObjectBase: return .object(object)
        case let dictionary as [String: Any]: return .dictionary(dictionary)
        case let dictionary as NSDictionary:
            var values: [String: Any] = [:]
            for (key, value) in dictionary { values["\(key)"] = value }
            return .dictionary(values)
        default: return Self.elements(of: value).map { .array($0) }
        }
    }

    /// The value for a property; nil if there is none. `position` counts the stored properties.
    func value(_ property: PersistedProperty, position: Int) -> Any? {
        switch self {
        case .dictionary(let values):
            return values[property.name] ?? (property.columnName != property.name ? values[property.columnName] : nil)
        case .array(let values): return position < values.count ? values[position] : nil
        case .object(let object):
            guard let index = object._rlmPersisted.index(of: property.name) else { return nil }
            return object._anyValue(index)
        }
    }

    /// Whether a value can be the input for a linked object.
    static func isInput(_ value: Any) -> Bool {
        make(value) != nil
    }

    /// The elements of an array or another collection; nil for values that aren't collections in this sense.
    static func elements(of value: Any) -> [Any]? {
        switch value {
        case is String, is Data, is NSDictionary, is [AnyHashable: Any]: return nil
        case let array as [Any]: return array
        case let array as NSArray: return array.map { $0 }
        case let collection as any PersistedCollection where collection is any Sequence:
            return (collection as? any Sequence).map { Self.array($0) }
        case let sequence as any Sequence: return Self.array(sequence)
        default: return nil
        }
    }

    /// The entries of a dictionary or a map, in the order of their keys; nil for other values.
    static func entries(of value: Any) -> [(key: String, value: Any)]? {
        var entries: [(key: String, value: Any)]
        switch value {
        case let map as any PersistedDictionary: return map.anyEntries
        case let dictionary as [String: Any]: entries = dictionary.map { ($0.key, $0.value) }
        case let dictionary as NSDictionary: entries = dictionary.map { ("\($0.key)", $0.value) }
        default: return nil
        }
        entries.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return entries
    }

    private static func array(_ sequence: some Sequence) -> [Any] {
        sequence.map { $0 }
    }
}

extension PersistedProperty {
    /// Traps because a value can't be this property's (MK-20).
    func refuse(_ value: Any, of className: String) -> Never {
        let value = AnyCoercion.unwrapped(value)
        guard let value else {
            fail(Mistake("Invalid null value for non-optional property '\(className).\(name)'."))
        }
        fail(
            Mistake(
                "Invalid value '\(value)' of type '\(Swift.type(of: value))' for \(typeDescription) property "
                    + "'\(className).\(name)'."))
    }

    /// As messages call the type.
    var typeDescription: String {
        let base: String =
            switch type {
            case .int: "int"
            case .bool: "bool"
            case .string: "string"
            case .binary: "data"
            case .timestamp: "date"
            case .float: "float"
            case .double: "double"
            case .decimal: "decimal128"
            case .objectId: "object id"
            case .uuid: "uuid"
            case .mixed: "mixed"
            case .link: targetName.map { "'\($0)' object" } ?? "object"
            }
        return switch collection {
        case .single: base
        case .list: "list of \(base)"
        case .set: "set of \(base)"
        case .dictionary: "map of \(base)"
        }
    }
}
