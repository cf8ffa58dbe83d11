import Foundation
import Model
import Query

/// A condition on objects, as a closure of `where` builds it.
///
/// ```swift
/// dogs.where { $0.age > 3 && $0.owner.name.starts(with: "K") }
/// ```
@dynamicMemberLookup
public struct Query<T> {
    indirect enum Node {
        case path(QueryPath)
        case condition(Condition, collection: [String]?)
        /// A number that is computed of a collection; `subquery` counts objects for which a condition holds.
        case operand(Operand, collection: [String]?)
    }

    let node: Node

    /// The object itself.
    init() {
        node = .path(QueryPath())
    }

    init(_ path: QueryPath) {
        node = .path(path)
    }

    init(condition: Condition, collection: [String]? = nil) {
        node = .condition(condition, collection: collection)
    }

    init(operand: Operand, collection: [String]?) {
        node = .operand(operand, collection: collection)
    }

    private func appending(_ keyPath: AnyKeyPath) -> QueryPath {
        guard case .path(let path) = node else {
            fail(Mistake("A query can't go on with a property after an operator."))
        }
        guard let properties = _KeyPathTracer.trace(keyPath) else {
            fail(Mistake("Invalid key path \(keyPath): it must consist of persisted properties."))
        }
        return properties.reduce(path) { $0.appending($1) }
    }
}

/// A path of Swift names, and what may stand between them.
struct QueryPath {
    var steps: [PropertyPath.Step] = []
    /// How many steps lead to the first collection of objects that the path goes through or ends at.
    var collectionLength: Int?
    /// Whether the path ends at a collection.
    var endsAtCollection = false
    /// Whether the path ends at the value of a map's key.
    private var endsAtKey = false
    /// Whether the path goes through all elements of something inside an AnyRealmValue.
    private var isAnyInside = false

    var path: PropertyPath { PropertyPath(steps) }

    /// The names that lead to the first collection.
    var collection: [String]? {
        collectionLength.map { length in
            steps.prefix(length).compactMap { if case .name(let name) = $0 { name } else { nil } }
        }
    }

    /// As a side of a comparison: through collections, one of the values is enough.
    var operand: Operand { .path(path, quantifier: collectionLength == nil && !isAnyInside ? nil : .any) }

    func appending(_ property: PersistedProperty) -> QueryPath {
        if endsAtKey { fail(Mistake("Cannot apply key path to Map subscripts.")) }
        var result = self
        result.steps.append(.name(property.name))
        result.endsAtCollection = property.isComputed || property.collection != .single
        if result.endsAtCollection, collectionLength == nil { result.collectionLength = result.steps.count }
        return result
    }

    /// The values or keys of the collection that the path ends at.
    func appending(_ step: PropertyPath.Step) -> QueryPath {
        var result = self
        result.steps.append(step)
        result.endsAtCollection = false
        return result
    }

    /// What lies inside of the AnyRealmValue that the path ends at.
    func inside(_ step: PropertyPath.Step) -> QueryPath {
        var result = appending(step)
        // Any of several values is enough, as through collections.
        if step == .all, collectionLength == nil { result.isAnyInside = true }
        return result
    }

    /// The value of a key of the map that the path ends at.
    func at(_ key: String) -> QueryPath {
        var result = appending(.key(key))
        if collectionLength == steps.count { result.collectionLength = nil }
        result.endsAtKey = true
        return result
    }
}

// MARK: - Properties
extension Query where T: ObjectBase {
    /// A property of the object.
    public subscript<V>(dynamicMember member: KeyPath<T, V>) -> Query<V> {
        Query<V>(appending(member))
    }
}

extension Query where T: ProjectionObservable {
    /// A projected property.
    public subscript<V>(dynamicMember member: KeyPath<T, V>) -> Query<V> {
        Query<V>(appending(member))
    }
}

extension Query where T: OptionalProtocol, T.Wrapped: ObjectBase {
    /// A property of the linked object; null without one.
    public subscript<V>(dynamicMember member: KeyPath<T.Wrapped, V>) -> Query<V> {
        Query<V>(appending(member))
    }
}

extension Query where T: RealmCollection, T.Element: ObjectBase {
    /// A property of the objects of the collection: the condition is to hold for one of them.
    public subscript<V>(dynamicMember member: KeyPath<T.Element, V>) -> Query<V> {
        Query<V>(appending(member))
    }
}

// MARK: - What queries consist of
extension Query {
    /// This query as a side of a comparison.
    var operand: Operand {
        switch node {
        case .path(let path): path.operand
        case .operand(let operand, _): operand
        case .condition: fail(Mistake("A condition of a query can't be compared."))
        }
    }

    /// The first collection that this query goes through.
    var collection: [String]? {
        switch node {
        case .path(let path): path.collection
        case .condition(_, let collection), .operand(_, let collection): collection
        }
    }

    /// This query as a condition. A property that is one stands for its being true.
    var condition: Condition {
        switch node {
        case .condition(let condition, _): condition
        case .path(let path): .comparison(Comparison(path.operand, .equal, .constant(.bool(true))))
        case .operand(let operand, _): .comparison(Comparison(operand, .equal, .constant(.bool(true))))
        }
    }

    func compared(_ op: Comparison.Operator, _ right: Operand, options: Comparison.Options = []) -> Query<Bool> {
        Query<Bool>(
            condition: .comparison(Comparison(operand, op, right, options: options)), collection: collection)
    }

    func compared<U>(_ op: Comparison.Operator, _ other: Query<U>, options: Comparison.Options = []) -> Query<Bool> {
        if case .path(let a) = node, case .path(let b) = other.node, a.endsAtCollection, b.endsAtCollection {
            fail(Mistake("Comparing two collection columns is not permitted."))
        }
        return Query<Bool>(
            condition: .comparison(Comparison(operand, op, other.operand, options: options)),
            collection: collection ?? other.collection)
    }

    /// A constant of a query.
    static func constant(_ value: some RealmCollectionValue) -> Operand {
        .constant(constantValue(value))
    }

    static func constantValue(_ value: some RealmCollectionValue) -> Model.Value {
        switch value._rlmEncoded.content {
        case .value(let value): value
        case .object(let object): object.queryLink
        case .nested: fail(Mistake("Lists and dictionaries can't be constants of a query."))
        }
    }
}
