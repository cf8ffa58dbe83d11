import Foundation

extension Map {
    /// The values as a collection, also of an unmanaged map.
    var collection: AnyRealmCollection<Value> {
        place.map { AnyRealmCollection(Results(checked($0).state)) } ?? AnyRealmCollection(unmanaged: values)
    }

    /// The values of a managed map. Traps for an unmanaged one; `doing` completes "Cannot …".
    private func results(_ doing: String) -> Results<Value> {
        guard let place else { fail(.unmanagedCollection(doing)) }
        return Results(checked(place).state)
    }

    // MARK: Conditions

    /// The objects for which a predicate holds.
    public func filter(_ predicate: NSPredicate) -> Results<Value> { results("filter").filter(predicate) }

    /// The objects for which a predicate holds.
    public func filter(_ predicateFormat: String, _ arguments: Any...) -> Results<Value> {
        results("filter").filter(NSPredicate(format: predicateFormat, argumentArray: arguments))
    }

    /// The objects for which a type-safe condition holds.
    public func `where`(_ isIncluded: (Query<Value>) -> Query<Bool>) -> Results<Value> {
        results("filter").where(isIncluded)
    }

    // MARK: Order

    /// The values in their own order.
    public func sorted(ascending: Bool = true) -> Results<Value> where Value.PersistedType: SortableType {
        results("sort").sorted(ascending: ascending)
    }

    /// The objects sorted by a property, which may be reached through links.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value> {
        results("sort").sorted(byKeyPath: keyPath, ascending: ascending)
    }

    /// The objects sorted by several properties, the first one first.
    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Value> where S.Element == SortDescriptor {
        results("sort").sorted(by: sortDescriptors)
    }

    // MARK: Aggregates

    /// The smallest value of a property; nil if there is none. Nulls don't count.
    public func min<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        collection.min(ofProperty: property)
    }

    public func max<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        collection.max(ofProperty: property)
    }

    /// The sum of a property; 0 if there are no values.
    public func sum<T: _HasPersistedType>(ofProperty property: String) -> T where T.PersistedType: AddableType {
        collection.sum(ofProperty: property)
    }

    /// The mean of a property; nil if there are no values. Nulls don't count.
    public func average<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: AddableType {
        collection.average(ofProperty: property)
    }

    // MARK: Key-value coding

    /// Assigns the value of a key; nil removes it.
    public func setValue(_ value: Any?, forKey key: String) {
        let key = Key._fromMapKey(key)
        guard let given = value, !(given is NSNull) else { return removeObject(for: key) }
        if let value = given as? Value { return updateValue(value, forKey: key) }
        guard let stored = AnyCoercion.stored(given, as: Value._shape.type), let value = Value._decode(stored) else {
            fail(Mistake("Invalid value '\(given)' of type '\(type(of: given))' for a map of \(Value.self)."))
        }
        updateValue(value, forKey: key)
    }

    /// The value of a key, or with `@count` how many entries there are.
    public func value(forKey key: String) -> Any? {
        key == "@count" ? count : self[Key._fromMapKey(key)].flatMap { AnyCoercion.unwrapped($0) }
    }

    /// The value at the end of a path that begins with a key, or an operator on the values, such as `@max.age`.
    public func value(forKeyPath keyPath: String) -> Any? {
        if keyPath.hasPrefix("@") { return collection.value(forKeyPath: keyPath) }
        let (key, rest) = KeyValueCoding.split(keyPath)
        let value = value(forKey: key)
        guard let rest, let value else { return value }
        return KeyValueCoding.value(of: value, forKeyPath: rest)
    }
}

extension Map where Value: OptionalProtocol, Value.Wrapped: ObjectBase & RealmCollectionValue {
    /// The objects sorted by a property.
    public func sorted<T: _HasPersistedType>(
        by keyPath: KeyPath<Value.Wrapped, T>, ascending: Bool
    ) -> Results<Value> where T.PersistedType: SortableType {
        sorted(byKeyPath: _KeyPathTracer.paths([keyPath])[0], ascending: ascending)
    }

    public func min<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
    where T.PersistedType: MinMaxType {
        min(ofProperty: _KeyPathTracer.paths([keyPath])[0])
    }

    public func max<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
    where T.PersistedType: MinMaxType {
        max(ofProperty: _KeyPathTracer.paths([keyPath])[0])
    }

    public func sum<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T
    where T.PersistedType: AddableType {
        sum(ofProperty: _KeyPathTracer.paths([keyPath])[0])
    }

    public func average<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
    where T.PersistedType: AddableType {
        average(ofProperty: _KeyPathTracer.paths([keyPath])[0])
    }
}

extension Map where Value.PersistedType: MinMaxType {
    /// The smallest value.
    public func min() -> Value? { collection.min() }
    public func max() -> Value? { collection.max() }
}

extension Map where Value.PersistedType: AddableType {
    /// The sum of the values.
    public func sum() -> Value { collection.sum() }

    public func average<T: _HasPersistedType>() -> T? where T.PersistedType: AddableType { collection.average() }
}
