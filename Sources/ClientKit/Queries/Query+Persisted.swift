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

extension Query {
    private func stored<Stored>(_ name: String) -> Query<Stored> {
        guard case .path(let path) = node else { fail(Mistake("\(name) applies to properties.")) }
        return Query<Stored>(path)
    }
}
