import Model
import Query

// MARK: - Boolean operators
extension Query where T == Bool {
    public static prefix func ! (query: Query) -> Query {
        Query(condition: .not(query.condition), collection: query.collection)
    }

    public static func && (a: Query, b: Query) -> Query {
        Query(condition: .and([a.condition, b.condition]), collection: a.collection ?? b.collection)
    }

    public static func || (a: Query, b: Query) -> Query {
        Query(condition: .or([a.condition, b.condition]), collection: a.collection ?? b.collection)
    }

    /// How many objects of a collection the condition holds for: `($0.dogs.age > 3 && $0.dogs.name == "x").count > 1`.
    public var count: Query<Int> {
        guard let collection else {
            fail(Mistake("Subqueries must contain a keypath starting with a collection."))
        }
        let inner = condition.relative(to: collection)
        return Query<Int>(
            operand: .subqueryCount(PropertyPath(names: collection), variable: "$obj", inner), collection: nil)
    }
}

// MARK: - Equality
extension Query where T: RealmCollectionValue {
    public static func == (a: Query, b: T) -> Query<Bool> { a.memberwise(b) ?? a.compared(.equal, constant(b)) }
    public static func != (a: Query, b: T) -> Query<Bool> {
        a.memberwise(b).map { !$0 } ?? a.compared(.notEqual, constant(b))
    }

    /// Whether the value is one of some.
    public func `in`<U: Sequence>(_ values: U) -> Query<Bool> where U.Element == T {
        compared(.isIn, .list(values.map { Self.constantValue($0) }, quantifier: nil))
    }
}

extension Query where T: ObjectBase & RealmCollectionValue {
    /// Whether the object is one of some.
    public func `in`<U: Sequence>(_ objects: U) -> Query<Bool> where U.Element == T? {
        compared(.isIn, .list(objects.map { Self.constantValue($0) }, quantifier: nil))
    }
}

extension Query {
    public static func == (a: Query, b: Query) -> Query<Bool> { a.compared(.equal, b) }
    public static func != (a: Query, b: Query) -> Query<Bool> { a.compared(.notEqual, b) }
}

// MARK: - Order
extension Query where T: RealmCollectionValue, T.PersistedType: _QueryOrdered {
    public static func > (a: Query, b: T) -> Query<Bool> { a.compared(.greater, constant(b)) }
    public static func >= (a: Query, b: T) -> Query<Bool> { a.compared(.greaterOrEqual, constant(b)) }
    public static func < (a: Query, b: T) -> Query<Bool> { a.compared(.less, constant(b)) }
    public static func <= (a: Query, b: T) -> Query<Bool> { a.compared(.lessOrEqual, constant(b)) }
    public static func > (a: Query, b: Query) -> Query<Bool> { a.compared(.greater, b) }
    public static func >= (a: Query, b: Query) -> Query<Bool> { a.compared(.greaterOrEqual, b) }
    public static func < (a: Query, b: Query) -> Query<Bool> { a.compared(.less, b) }
    public static func <= (a: Query, b: Query) -> Query<Bool> { a.compared(.lessOrEqual, b) }
}

extension Query where T: RealmCollectionValue & Comparable, T.PersistedType: _QueryNumeric {
    /// Lower bound included, upper bound not.
    public func contains(_ range: Range<T>) -> Query<Bool> {
        inRange(Self.constant(range.lowerBound), .less, Self.constant(range.upperBound))
    }

    /// Both bounds included.
    public func contains(_ range: ClosedRange<T>) -> Query<Bool> {
        inRange(Self.constant(range.lowerBound), .lessOrEqual, Self.constant(range.upperBound))
    }
}

extension Query where T: OptionalProtocol, T.Wrapped: RealmCollectionValue & Comparable {
    public func contains(_ range: Range<T.Wrapped>) -> Query<Bool> {
        inRange(Self.constant(range.lowerBound), .less, Self.constant(range.upperBound))
    }

    public func contains(_ range: ClosedRange<T.Wrapped>) -> Query<Bool> {
        inRange(Self.constant(range.lowerBound), .lessOrEqual, Self.constant(range.upperBound))
    }
}

extension Query {
    func inRange(_ lower: Operand, _ upperOperator: Comparison.Operator, _ upper: Operand) -> Query<Bool> {
        Query<Bool>(
            condition: .and([
                .comparison(Comparison(operand, .greaterOrEqual, lower)),
                .comparison(Comparison(operand, upperOperator, upper))
            ]), collection: collection)
    }
}

extension Condition {
    /// The condition in terms of the elements of a collection.
    func relative(to collection: [String]) -> Condition {
        switch self {
        case .constant: self
        case .and(let parts): .and(parts.map { $0.relative(to: collection) })
        case .or(let parts): .or(parts.map { $0.relative(to: collection) })
        case .not(let part): .not(part.relative(to: collection))
        case .comparison(let comparison):
            .comparison(
                Comparison(
                    comparison.left.relative(to: collection), comparison.op,
                    comparison.right.relative(to: collection), options: comparison.options))
        }
    }
}

extension Operand {
    fileprivate func relative(to collection: [String]) -> Operand {
        let prefix = collection.map { PropertyPath.Step.name($0) }
        func stripped(_ path: PropertyPath) -> PropertyPath {
            guard path.steps.starts(with: prefix) else {
                fail(Mistake("Subqueries must contain a keypath starting with a collection, all the same one."))
            }
            if path.steps.contains(where: { if case .name = $0 { false } else { true } }) {
                fail(Mistake("Subqueries do not support subscripts of maps and of AnyRealmValue."))
            }
            return PropertyPath(Array(path.steps.dropFirst(prefix.count)))
        }
        return switch self {
        case .path(let path, _): .path(stripped(path), quantifier: nil)
        case .count(let path): .count(stripped(path))
        case .aggregate(let path, let function, let property):
            .aggregate(stripped(path), function, property: property)
        default: self
        }
    }
}
