import Model
import Query

extension Query where T: RealmKeyedCollection {
    /// The value of a key; null if the key isn't there.
    public subscript(key: T.Key) -> Query<T.Value> { Query<T.Value>(mapPath("[…]").at(key._mapKey)) }

    /// All keys: the condition is to hold for one of them.
    public var keys: Query<T.Key> { Query<T.Key>(mapPath("keys").appending(.keys)) }

    /// All values: the condition is to hold for one of them.
    public var values: Query<T.Value> { Query<T.Value>(mapPath("values").appending(.values)) }

    /// Whether a value, or an object, is in the map.
    public func contains(_ value: T.Value) -> Query<Bool> { compared(.equal, Self.constant(value)) }

    /// Whether at least one of some values is in the map.
    public func containsAny<U: Sequence>(in values: U) -> Query<Bool> where U.Element == T.Value {
        compared(.isIn, .list(values.map { Self.constantValue($0) }, quantifier: nil))
    }

    /// How many entries the map has.
    public var count: Query<Int> { Query<Int>(operand: .count(mapPath("count").path), collection: nil) }

    private func mapPath(_ name: String) -> QueryPath {
        guard case .path(let path) = node else { fail(Mistake("\(name) applies to maps.")) }
        return path
    }
}

extension Query where T: RealmKeyedCollection, T.Value: Comparable, T.Value.PersistedType: _QueryNumeric {
    /// Whether all values lie in the range, the upper bound excluded. Not of empty maps.
    public func contains(_ range: Range<T.Value>) -> Query<Bool> {
        within(Self.constant(range.lowerBound), .less, Self.constant(range.upperBound))
    }

    /// Whether all values lie in the range, both bounds included. Not of empty maps.
    public func contains(_ range: ClosedRange<T.Value>) -> Query<Bool> {
        within(Self.constant(range.lowerBound), .lessOrEqual, Self.constant(range.upperBound))
    }
}

extension Query where T: RealmKeyedCollection, T.Value.PersistedType: _QueryNumeric {
    public var min: Query<T.Value> { Query<T.Value>(operand: aggregate(.min), collection: nil) }
    public var max: Query<T.Value> { Query<T.Value>(operand: aggregate(.max), collection: nil) }
    public var avg: Query<T.Value> { Query<T.Value>(operand: aggregate(.average), collection: nil) }
    public var sum: Query<T.Value> { Query<T.Value>(operand: aggregate(.sum), collection: nil) }
}
