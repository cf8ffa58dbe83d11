import Model
import Query

// What is stored for enumerations and custom persistable types, as a property of the stored type.

extension Query where T: PersistableEnum {
    /// The stored value of an enumeration.
    public var rawValue: Query<T.RawValue> { stored("rawValue") }
}

extension Query where T: OptionalProtocol, T.Wrapped: PersistableEnum {
    /// The stored value of an enumeration.
    public var rawValue: Query<T.Wrapped.RawValue?> { stored("rawValue") }
}

extension Query where T: RealmCollection, T.Element: PersistableEnum {
    /// The stored values of enumerations.
    public var rawValue: Query<AnyRealmCollection<T.Element.RawValue>> { stored("rawValue") }
}

extension Query
where T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: PersistableEnum {
    /// The stored values of enumerations.
    public var rawValue: Query<AnyRealmCollection<T.Element.Wrapped.RawValue?>> { stored("rawValue") }
}

extension Query where T: RealmKeyedCollection, T.Value: PersistableEnum {
    /// The stored values of enumerations.
    public var rawValue: Query<Map<T.Key, T.Value.RawValue>> { stored("rawValue") }
}

extension Query where T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: PersistableEnum {
    /// The stored values of enumerations.
    public var rawValue: Query<Map<T.Key, T.Value.Wrapped.RawValue?>> { stored("rawValue") }
}

extension Query where T: _CustomPersistable {
    /// The stored value of a custom type.
    public var persistableValue: Query<T.PersistedType> { stored("persistableValue") }
}

extension Query where T: OptionalProtocol, T.Wrapped: _CustomPersistable {
    /// The stored value of a custom type.
    public var persistableValue: Query<T.Wrapped.PersistedType?> { stored("persistableValue") }
}

extension Query where T: RealmCollection, T.Element: _CustomPersistable {
    /// The stored values of a custom type.
    public var persistableValue: Query<AnyRealmCollection<T.Element.PersistedType>> { stored("persistableValue") }
}

extension Query where T: RealmKeyedCollection, T.Value: _CustomPersistable {
    /// The stored values of a custom type.
    public var persistableValue: Query<Map<T.Key, T.Value.PersistedType>> { stored("persistableValue") }
}

extension Query {
    private func stored<Stored>(_ name: String) -> Query<Stored> {
        guard case .path(let path) = node else { fail(Mistake("\(name) applies to properties.")) }
        return Query<Stored>(path)
    }
}

extension Query where T: RealmCollectionValue {
    /// The comparison with a custom type that is stored as an embedded object: of all its properties (EN-08). nil for
    /// other types.
    func memberwise(_ value: T) -> Query<Bool>? {
        var type: Any.Type = T.self
        if let optional = T.self as? any OptionalProtocol.Type { type = Self.wrapped(optional) }
        guard type is any _CustomPersistable.Type, case .object(let object) = value._rlmEncoded.content,
            object is EmbeddedObject, case .path(let path) = node
        else { return nil }
        return Query<Bool>(condition: .and(Self.members(of: object, path)), collection: collection)
    }

    private static func wrapped<O: OptionalProtocol>(_ type: O.Type) -> Any.Type { O.Wrapped.self }

    private static func members(of object: ObjectBase, _ path: QueryPath) -> [Condition] {
        let persisted = object._rlmPersisted
        return persisted.properties.enumerated().flatMap { index, property -> [Condition] in
            let member = path.appending(property)
            let value = AnyCoercion.unwrapped(object._anyValue(index))
            if property.collection == .single, !property.isComputed {
                if property.type != .link, let stored = AnyCoercion.stored(value as Any, as: property.type)?.value {
                    return [.comparison(Comparison(member.operand, .equal, .constant(stored)))]
                }
                if let part = value as? EmbeddedObject { return members(of: part, member) }
                if value == nil { return [.comparison(Comparison(member.operand, .equal, .constant(.null)))] }
            }
            fail(
                Mistake(
                    "'\(persisted.name).\(property.name)' cannot be compared in a query: a custom type over an embedded object is "
                        + "compared by the values of its members, not by collections and links."))
        }
    }
}
