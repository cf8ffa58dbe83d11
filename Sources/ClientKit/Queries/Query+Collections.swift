import Model
import Query

extension Query where T: RealmCollection {
    /// Whether a value, or an object, is in the collection.
    public func contains(_ value: T.Element) -> Query<Bool> { compared(.equal, Self.constant(value)) }

    /// Whether at least one of some values is in the collection.
    public func containsAny<U: Sequence>(in values: U) -> Query<Bool> where U.Element == T.Element {
        compared(.isIn, .list(values.map { Self.constantValue($0) }, quantifier: nil))
    }

    /// How many elements the collection has.
    public var count: Query<Int> {
        guard case .path(let path) = node else { fail(Mistake("count applies to collections.")) }
        return Query<Int>(operand: .count(path.path), collection: nil)
    }

    // One element is enough.
    public static func == (a: Query, b: T.Element) -> Query<Bool> { a.compared(.equal, constant(b)) }
    public static func != (a: Query, b: T.Element) -> Query<Bool> { a.compared(.notEqual, constant(b)) }
}

extension Query where T: RealmCollection, T.Element.PersistedType: _QueryOrdered {
    public static func > (a: Query, b: T.Element) -> Query<Bool> { a.compared(.greater, constant(b)) }
    public static func >= (a: Query, b: T.Element) -> Query<Bool> { a.compared(.greaterOrEqual, constant(b)) }
    public static func < (a: Query, b: T.Element) -> Query<Bool> { a.compared(.less, constant(b)) }
    public static func <= (a: Query, b: T.Element) -> Query<Bool> { a.compared(.lessOrEqual, constant(b)) }
}

extension Query where T: RealmCollection, T.Element: Comparable, T.Element.PersistedType: _QueryNumeric {
    /// Whether all elements lie in the range, the upper bound excluded. Not of empty collections.
    public func contains(_ range: Range<T.Element>) -> Query<Bool> {
        within(Self.constant(range.lowerBound), .less, Self.constant(range.upperBound))
    }

    /// Whether all elements lie in the range, both bounds included. Not of empty collections.
    public func contains(_ range: ClosedRange<T.Element>) -> Query<Bool> {
        within(Self.constant(range.lowerBound), .lessOrEqual, Self.constant(range.upperBound))
    }

}

extension Query where T: RealmCollection, T.Element.PersistedType: _QueryNumeric {
    public var min: Query<T.Element> { Query<T.Element>(operand: aggregate(.min), collection: nil) }
    public var max: Query<T.Element> { Query<T.Element>(operand: aggregate(.max), collection: nil) }
    public var avg: Query<T.Element> { Query<T.Element>(operand: aggregate(.average), collection: nil) }
    public var sum: Query<T.Element> { Query<T.Element>(operand: aggregate(.sum), collection: nil) }
}

extension Query where T: RealmCollectionValue, T.PersistedType: _QueryNumeric {
    /// Of a property of the objects of a collection: `$0.dogs.age.max > 3`.
    public var min: Query { Query(operand: aggregate(.min), collection: nil) }
    public var max: Query { Query(operand: aggregate(.max), collection: nil) }
    public var avg: Query { Query(operand: aggregate(.average), collection: nil) }
    public var sum: Query { Query(operand: aggregate(.sum), collection: nil) }
}

extension Query {
    /// Whether all elements lie between two bounds.
    func within(_ lower: Operand, _ upperOperator: Comparison.Operator, _ upper: Operand) -> Query<Bool> {
        Query<Bool>(
            condition: .and([
                .comparison(Comparison(aggregate(.min), .greaterOrEqual, lower)),
                .comparison(Comparison(aggregate(.max), upperOperator, upper))
            ]), collection: collection)
    }

    func aggregate(_ function: AggregateFunction) -> Operand {
        guard case .path(let path) = node, let length = path.collectionLength else {
            fail(Mistake("Query aggregates apply to collections, and to properties of their objects."))
        }
        if length == path.steps.count { return .aggregate(path.path, function, property: nil) }
        guard length == path.steps.count - 1, case .name(let property)? = path.steps.last else {
            fail(Mistake("Query aggregates apply to properties of a collection's own objects."))
        }
        return .aggregate(PropertyPath(Array(path.steps.prefix(length))), function, property: property)
    }
}
