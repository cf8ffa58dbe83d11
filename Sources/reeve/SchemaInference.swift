import Foundation
import Model
import Wire

/// Makes a class from the objects that are to be imported into it.
enum SchemaInference {
    /// Every property that occurs, sorted by name, the key first. A property that is null or missing anywhere is
    /// optional; whole numbers are Int, others Double; arrays become lists, empty where they are null or missing.
    /// Throws `typeMismatch` where kinds differ.
    static func classSchema(_ name: String, from objects: [[String: Any]], key: String?) throws -> ClassSchema {
        guard !objects.isEmpty else {
            throw WireError(.badParams, "there are no objects to make the class \(name) from")
        }
        var kinds: [String: Kind] = [:]
        var present: [String: Int] = [:]
        for (index, object) in objects.enumerated() {
            for (property, value) in object {
                let kind = try Kind(value, "object \(index + 1), \(property)")
                if kind.type != nil || kind.isList { present[property, default: 0] += 1 }
                kinds[property] = try kinds[property]?.merged(with: kind, "object \(index + 1), \(property)") ?? kind
            }
        }
        let names = kinds.keys.sorted { ($0 != key ? 1 : 0, $0) < ($1 != key ? 1 : 0, $1) }
        let properties = names.map { property in
            let kind = kinds[property] ?? Kind()
            return PropertySchema(
                property, kind.type ?? .string,
                nullable: kind.isList ? kind.hasNullElement : present[property] != objects.count,
                collection: kind.isList ? .list : .single)
        }
        if let key {
            guard let property = properties.first(where: { $0.name == key }) else {
                throw UsageError("no object has a property \"\(key)\"")
            }
            guard [.int, .string].contains(property.type), property.collection == .single, !property.isNullable else {
                throw UsageError(
                    "\"\(key)\" is \(RealmDescription.type(property)); a primary key is a string or whole number, never null"
                )
            }
        }
        return ClassSchema(name, primaryKey: key, properties)
    }

    /// What JSON values of one property have been seen to be.
    private struct Kind {
        var type: ValueType?
        var isList = false
        var hasNullElement = false

        init() {}

        init(_ value: Any, _ place: String) throws {
            switch value {
            case is NSNull: break
            case let number as NSNumber:
                type = ObjectText.isBoolean(number) ? .bool : ObjectText.integer(number) != nil ? .int : .double
            case is Bool: type = .bool
            case is String: type = .string
            case let array as [Any]:
                isList = true
                for element in array {
                    let kind = try Kind(element, place)
                    guard !kind.isList else { throw Self.unsupported(place, "a list in a list") }
                    hasNullElement = hasNullElement || element is NSNull
                    type = try Self.common(type, kind.type, place)
                }
            default: throw Self.unsupported(place, "an object in an object")
            }
        }

        func merged(with other: Kind, _ place: String) throws -> Kind {
            var merged = self
            let isEmpty = type == nil && !isList
            let otherIsEmpty = other.type == nil && !other.isList
            guard isEmpty || otherIsEmpty || isList == other.isList else {
                throw Self.unsupported(place, "a list where others have one value")
            }
            merged.isList = isList || other.isList
            merged.hasNullElement = hasNullElement || other.hasNullElement
            merged.type = try Self.common(type, other.type, place)
            return merged
        }

        private static func common(_ a: ValueType?, _ b: ValueType?, _ place: String) throws -> ValueType? {
            switch (a, b) {
            case (nil, let type), (let type, nil): return type
            case (let a?, let b?) where a == b: return a
            case (.int, .double), (.double, .int): return .double
            case (let a?, let b?):
                throw WireError(.typeMismatch, "\(place) is \(b.wireName), in earlier objects \(a.wireName)")
            }
        }

        private static func unsupported(_ place: String, _ what: String) -> WireError {
            WireError(.typeMismatch, "\(place) is \(what), which a class made from data can't hold")
        }
    }
}
