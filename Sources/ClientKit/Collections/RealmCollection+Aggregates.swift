import Foundation
import Model
import Query
import Store

extension RealmCollection {
    /// The smallest value of a property; nil if there is none. Nulls don't count.
    public func min<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        aggregate(.min, property)
    }

    public func max<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        aggregate(.max, property)
    }

    /// The sum of a property; 0 if there are no values.
    public func sum<T: _HasPersistedType>(ofProperty property: String) -> T where T.PersistedType: AddableType {
        total(aggregate(.sum, property))
    }

    /// The mean of a property; nil if there are no values. Nulls don't count.
    public func average<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: AddableType {
        aggregate(.average, property)
    }

    private func total<T: _HasPersistedType>(_ sum: T?) -> T {
        if let sum { return sum }
        guard let zero: T = Model.Value.int(0).converted() else {
            fail(Mistake("A sum can't be a \(T.self)."))
        }
        return zero
    }

    private func aggregate<T: _HasPersistedType>(_ function: AggregateFunction, _ property: String) -> T? {
        aggregateValue(function, property).converted()
    }

    /// Null when there is nothing to aggregate.
    func aggregateValue(_ function: AggregateFunction, _ property: String) -> Model.Value {
        if let state = _rlmState { return state.aggregate(function, property) }
        guard let elementType = Element._shape.objectType else {
            let values = _rlmUnmanaged.compactMap { $0._rlmEncoded.value }
            return ValueAggregate.of(function, Element._shape.type, values)
        }
        let persisted = PersistedClass.of(elementType)
        guard let type = persisted.property(property)?.type else { fail(.propertyNotFound(persisted.name, property)) }
        let values = _rlmUnmanaged.compactMap { element -> Model.Value? in
            guard case .object(let object) = element._rlmEncoded.content,
                let index = object._rlmPersisted.index(of: property)
            else { return nil }
            return AnyCoercion.unwrapped(object._anyValue(index)).flatMap { AnyCoercion.stored($0, as: type)?.value }
        }
        return ValueAggregate.of(function, type, values)
    }
}

extension RealmCollection where Element: _KeyPathRoot {
    public func min<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T? where T.PersistedType: MinMaxType {
        min(ofProperty: _KeyPathTracer.names(keyPath).joined(separator: "."))
    }

    public func max<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T? where T.PersistedType: MinMaxType {
        max(ofProperty: _KeyPathTracer.names(keyPath).joined(separator: "."))
    }

    public func sum<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T where T.PersistedType: AddableType {
        sum(ofProperty: _KeyPathTracer.names(keyPath).joined(separator: "."))
    }

    public func average<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
    where T.PersistedType: AddableType {
        average(ofProperty: _KeyPathTracer.names(keyPath).joined(separator: "."))
    }
}

extension RealmCollection where Element.PersistedType: MinMaxType {
    /// The smallest element.
    public func min() -> Element? { min(ofProperty: "self") }
    public func max() -> Element? { max(ofProperty: "self") }
}

extension RealmCollection where Element.PersistedType: AddableType {
    /// The sum of the elements.
    public func sum() -> Element { sum(ofProperty: "self") }

    public func average<T: _HasPersistedType>() -> T? where T.PersistedType: AddableType {
        average(ofProperty: "self")
    }
}

extension _CollectionState {
    /// An aggregate of a property by its Swift name; of the values themselves: `self`.
    func aggregate(_ function: AggregateFunction, _ property: String) -> Model.Value {
        core.check()
        guard let query, let model else {
            if property != "self" { fail(Mistake("Collections of values have no property '\(property)', only self.")) }
            guard case .values(let list) = source, case .values(let values) = elements else { return .null }
            return ValueAggregate.of(function, list.column.property.type, values)
        }
        let path = model.persisted.columnPath(property)
        check(function, property, model)
        do {
            return try core.aggregate(function, PropertyPath(names: path), over: query)
        } catch {
            fail(.queryFailed(error))
        }
    }

    /// Traps for properties that have no such aggregate (MK-35).
    private func check(_ function: AggregateFunction, _ property: String, _ model: ManagedClass) {
        var persisted: PersistedClass? = model.persisted
        var last: PersistedProperty?
        for name in property.split(separator: ".") {
            last = persisted?.property(String(name))
            persisted = last?.targetClass
        }
        guard let last else { return }
        let isOrdered = function == .min || function == .max
        let isNumber = [.int, .float, .double, .decimal, .mixed].contains(last.type)
        if last.collection == .single, !last.isComputed, isNumber || (isOrdered && last.type == .timestamp) { return }
        fail(
            Mistake(
                "Operation '\(function.rawValue)' is not supported for \(last.type) property "
                    + "'\(model.persisted.name).\(property)'."))
    }
}

extension Model.Value {
    /// The value as a Swift type, numbers converted; nil for null.
    func converted<T: _HasPersistedType>() -> T? {
        if self == .null { return nil }
        guard let type = T.self as? any RealmCollectionValue.Type else { return nil }
        if let value = type._decode(_StoredValue(self)) as? T { return value }
        guard let plain = number, let stored = AnyCoercion.stored(plain, as: T._shape.type) else {
            // A mean that is to be an integer loses its fraction.
            if case .double(let value) = self { return type._decode(_StoredValue(.int(Int64(value)))) as? T }
            return nil
        }
        return type._decode(stored) as? T
    }

    private var number: Any? {
        switch self {
        case .int(let value): Int(value)
        case .float(let value): Double(value)
        case .double(let value): value
        case .decimal(let value): Double(value.description)
        default: nil
        }
    }
}
