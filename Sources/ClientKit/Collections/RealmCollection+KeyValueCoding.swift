import Foundation
import Model
import Query

extension RealmCollection {
    /// Key-value coding: the values of a property of all elements, `NSNull` for nil; of the elements themselves for
    /// `self`; for `@count` how many there are.
    public func value(forKey key: String) -> Any? {
        key == "@count" ? count : map { KeyValueCoding.value(of: $0, forKey: key) ?? NSNull() as Any } as [Any]
    }

    /// Key-value coding: the values at the end of a path, or an operator on a property, such as `@max.age`.
    ///
    /// There are `@count`, `@min`, `@max`, `@sum`, `@avg`, `@unionOfObjects`, `@distinctUnionOfObjects`,
    /// `@unionOfArrays` and `@distinctUnionOfArrays`. Traps for others, and for operators on anything but a property.
    public func value(forKeyPath keyPath: String) -> Any? {
        guard keyPath.hasPrefix("@") else {
            let (key, rest) = KeyValueCoding.split(keyPath)
            guard let rest else { return value(forKey: key) }
            return map { element in
                let value = KeyValueCoding.value(of: element, forKey: key)
                return value.flatMap { KeyValueCoding.value(of: $0, forKeyPath: rest) } ?? NSNull() as Any
            } as [Any]
        }
        let (name, property) = KeyValueCoding.split(keyPath)
        if name == "@count", property == nil { return count }
        guard let property, !property.isEmpty else {
            fail(Mistake("Missing key path for the KVC collection operator \(name) in key path '\(keyPath)'."))
        }
        if property.contains(".") {
            fail(Mistake("Nested key paths are not supported yet for KVC collection operators: '\(keyPath)'."))
        }
        let (distinct, plain) = KeyValueCoding.distinctness(name)
        switch plain {
        case "@min": return plainAggregate(.min, property)
        case "@max": return plainAggregate(.max, property)
        case "@sum": return plainAggregate(.sum, property) ?? 0
        case "@avg": return plainAggregate(.average, property)
        case "@unionOfObjects":
            let values = compactMap { KeyValueCoding.value(of: $0, forKey: property) } as [Any]
            return distinct ? KeyValueCoding.distinct(values) : values
        case "@unionOfArrays":
            var values: [Any] = []
            for element in self {
                guard let value = KeyValueCoding.value(of: element, forKey: property) else { continue }
                guard let elements = ObjectInput.elements(of: value) else {
                    fail(Mistake("\(name) applies to collections, and '\(property)' is none."))
                }
                values += elements
            }
            return distinct ? KeyValueCoding.distinct(values) : values
        default: fail(Mistake("Unsupported KVC collection operator found in key path '\(keyPath)'."))
        }
    }

    /// Key-value coding: assigns a property of all elements; `self` the elements of a list of values themselves. In a
    /// write transaction, for managed collections.
    public func setValue(_ value: Any?, forKey key: String) {
        _rlmState?.core.checkWrite("set '\(key)' of a collection")
        if key == "self", let elements = self as? any AssignableElements { return elements.assignAll(value) }
        for element in Array(self) {
            guard let object = KeyValueCoding.object(element) else { fail(.noPropertyOfValues(key)) }
            object.setValue(value, forKey: key)
        }
    }

    /// Key-value coding: assigns the property at the end of a path that starts at each of the elements.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        if !keyPath.contains(".") { return setValue(value, forKey: keyPath) }
        _rlmState?.core.checkWrite("set '\(keyPath)' of a collection")
        for element in Array(self) {
            guard let object = KeyValueCoding.object(element) else { fail(.noPropertyOfValues(keyPath)) }
            object.setValue(value, forKeyPath: keyPath)
        }
    }

    private func plainAggregate(_ function: AggregateFunction, _ property: String) -> Any? {
        aggregateValue(function, property).plain
    }
}

/// A collection of values that can all be assigned at once.
protocol AssignableElements {
    func assignAll(_ value: Any?)
}

extension List: AssignableElements {
    func assignAll(_ value: Any?) {
        guard let stored = AnyCoercion.stored(value as Any, as: Element._shape.type),
            let element = Element._decode(stored)
        else { fail(Mistake("Invalid value '\(value ?? "nil")' for the elements of a list of \(Element.self).")) }
        for index in 0..<count { self[index] = element }
    }
}

/// What key-value coding on objects and collections shares (XR-17).
enum KeyValueCoding {
    /// The first part of a path, and what follows it.
    static func split(_ keyPath: String) -> (key: String, rest: String?) {
        guard let dot = keyPath.firstIndex(of: ".") else { return (keyPath, nil) }
        return (String(keyPath[..<dot]), String(keyPath[keyPath.index(after: dot)...]))
    }

    /// The object that an element is, or that it projects.
    static func object(_ element: Any) -> ObjectBase? {
        element as? ObjectBase ?? (element as? any ProjectionObservable)?.rootObject
    }

    static func value(of element: Any, forKey key: String) -> Any? {
        if key == "self" { return AnyCoercion.unwrapped(element) }
        if let object = object(element) { return object.value(forKey: key) }
        if let collection = element as? any RealmCollection { return collection.value(forKey: key) }
        if let map = element as? any PersistedDictionary { return map.value(forKeyPath: key) }
        fail(.noPropertyOfValues(key))
    }

    static func value(of element: Any, forKeyPath keyPath: String) -> Any? {
        if let object = object(element) { return object.value(forKeyPath: keyPath) }
        if let collection = element as? any RealmCollection { return collection.value(forKeyPath: keyPath) }
        if let map = element as? any PersistedDictionary { return map.value(forKeyPath: keyPath) }
        if keyPath == "self" { return element }
        fail(.noPropertyOfValues(keyPath))
    }

    /// Whether an operator drops repetitions, and its name without saying so.
    static func distinctness(_ name: String) -> (isDistinct: Bool, plain: String) {
        switch name {
        case "@distinctUnionOfObjects": (true, "@unionOfObjects")
        case "@distinctUnionOfArrays": (true, "@unionOfArrays")
        default: (false, name)
        }
    }

    /// The first of each group of equal values. Objects are equal if they are the same row.
    static func distinct(_ values: [Any]) -> [Any] {
        var seen: Set<AnyHashable> = []
        return values.filter { value in
            if let object = value as? ObjectBase, let (info, key) = object._rlmManaged {
                return seen.insert([AnyHashable(info), AnyHashable(key)]).inserted
            }
            guard let value = value as? AnyHashable else { return true }
            return seen.insert(value).inserted
        }
    }
}

extension Mistake {
    static func noPropertyOfValues(_ key: String) -> Mistake {
        Mistake("Collections of values have no property '\(key)', only self.")
    }
}

extension Model.Value {
    /// The value as it is in Swift; nil for null and links.
    var plain: Any? {
        switch self {
        case .null, .link, .malformedString: nil
        case .int(let value): Int(value)
        case .bool(let value): value
        case .string(let value): value
        case .binary(let value): value
        case .timestamp(let value): value.date
        case .float(let value): value
        case .double(let value): value
        case .decimal(let value): Decimal128(value)
        case .objectId(let value): ObjectId(value)
        case .uuid(let value): value
        }
    }
}
