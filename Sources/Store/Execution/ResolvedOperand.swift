import Model
import Query

/// One side of a comparison with its names looked up.
indirect enum ResolvedOperand {
    case constant(UnsafeScalar)
    case list([UnsafeScalar], Quantifier?)
    case path(ResolvedPath, Quantifier?)
    case count(ResolvedPath)
    /// The path's objects or elements, and the property of the objects.
    case aggregate(ResolvedPath, AggregateFunction, StoredColumn?)
    case subqueryCount(ResolvedPath, RowCondition)
    case arithmetic(ResolvedOperand, ArithmeticOperator, ResolvedOperand)

    /// Several values.
    var isMulti: Bool {
        switch self {
        case .constant, .subqueryCount: false
        case .list: true
        case .path(let path, _): path.isMulti
        case .count(let path): path.countsPerObject
        case .aggregate(let path, _, let property): property == nil && path.stepsThroughCollection
        case .arithmetic(let a, _, let b): a.isMulti || b.isMulti
        }
    }

    var quantifier: Quantifier? {
        switch self {
        case .list(_, let quantifier), .path(_, let quantifier): quantifier
        // Counts behind collections are tested as ANY, also against other collections.
        case .count, .aggregate: isMulti ? .any : nil
        case .arithmetic(let a, _, let b): a.quantifier ?? b.quantifier
        case .constant, .subqueryCount: nil
        }
    }

    /// Whether the values are names of types.
    var isType: Bool {
        if case .path(let path, _) = self, case .mixed(let mixed) = path.end { mixed.isType } else { false }
    }

    /// Rough cost of evaluating it for a row, in nanoseconds.
    var cost: Double {
        switch self {
        case .constant: 5
        case .list(let values, _): 5 + 2 * Double(values.count)
        case .path(let path, _), .count(let path), .aggregate(let path, _, _): path.cost
        // A few objects on each row.
        case .subqueryCount(let path, let condition): path.cost + 4 * condition.cost
        case .arithmetic(let left, _, let right): 50 + left.cost + right.cost
        }
    }

    var isConstant: Bool {
        switch self {
        case .constant, .list: true
        default: false
        }
    }
}

extension RowReference {
    /// The object at a key of a dictionary of links.
    func entryKey(_ column: StoredColumn, _ name: String) -> ObjectKey? {
        let dictionary = table.dictionary(key, column)
        return dictionary.index(of: name).flatMap { dictionary.values.linkKey(at: $0) }
    }
}

extension ResolvedPath {
    /// Whether a count on this path gives one number for each object that holds the last collection.
    var countsPerObject: Bool {
        switch end {
        case .object: steps.dropLast().contains(where: \.isMulti)
        case .allBacklinks: false
        case .mixed: isMulti
        default: stepsThroughCollection
        }
    }
}

/// Evaluates operands for one row.
struct OperandEvaluator {
    let walker: PathWalker

    init(_ snapshot: Snapshot) {
        walker = PathWalker(snapshot: snapshot)
    }

    /// The values of an operand, in groups of which one has to satisfy the comparison.
    func groups(_ operand: ResolvedOperand, _ row: RowReference) -> [[UnsafeScalar]] {
        switch operand {
        case .constant(let value): return [[value]]
        case .list(let values, _): return [values]
        case .path(let path, _): return walker.groups(path, from: row)
        case .count(let path): return [counts(path, row)]
        case .aggregate(let path, let function, let property): return [aggregates(path, function, property, row)]
        case .subqueryCount(let path, let condition):
            let rows = walker.objects(path, from: row) ?? []
            return [[.int(Int64(rows.lazy.filter { condition.holds($0) }.count))]]
        case .arithmetic(let left, let op, let right):
            let rights = groups(right, row)
            return groups(left, row).flatMap { left in
                rights.map { right in left.flatMap { a in right.map { Arithmetic.apply(a, op, $0) } } }
            }
        }
    }

    /// Elements of collections, bytes of strings, 1 or 0 for links.
    private func counts(_ path: ResolvedPath, _ row: RowReference) -> [UnsafeScalar] {
        if case .object = path.end {
            guard let last = path.steps.last else { return [.int(1)] }
            // Count where the last step leads to, from each object that holds it.
            var holders = path
            holders.steps.removeLast()
            holders.tables.removeLast()
            guard let objects = walker.objects(holders, from: row) else { return [.int(0)] }
            return objects.map { .int(Int64(count(of: last, $0))) }
        }
        if case .allBacklinks = path.end {
            // Behind a collection it is the total.
            let objects = walker.objects(path, from: row) ?? []
            let links = objects.lazy.flatMap { $0.table.incomingLinks(to: $0.key) }
            return [.int(Int64(links.reduce(0) { $0 + $1.count }))]
        }
        guard let objects = walker.objects(path, from: row) else {
            switch path.end {
            case .value: return [.null]
            case .element, .entry, .mixed: return []
            default: return [.int(0)]
            }
        }
        return objects.flatMap { object -> [UnsafeScalar] in
            switch path.end {
            case .elements(let column), .lengths(let column), .keys(let column):
                return [.int(Int64(object.table.list(object.key, column).count))]
            case .value(let column): return counts(MixedPath(start: .value(column), steps: []), object)
            case .element(let column, let position):
                return counts(MixedPath(start: .element(column, position), steps: []), object)
            case .entry(let column, let name): return counts(MixedPath(start: .entry(column, name), steps: []), object)
            case .mixed(let mixed): return counts(mixed, object)
            case .object, .allBacklinks: return [.int(1)]
            }
        }
    }

    private func counts(_ mixed: MixedPath, _ object: RowReference) -> [UnsafeScalar] {
        mixed.nodes(from: object).map(\.count)
    }

    private func count(of step: ResolvedPath.Step, _ object: RowReference) -> Int {
        switch step {
        case .link(let column): object.table.linkKey(object.cluster, object.row, column) == nil ? 0 : 1
        case .list(let column)
        where column.property.collection == .dictionary
            || (object.table.targetTable(column)?.record.tombstones ?? 0) > 0:
            // Entries and links without object are none.
            object.table.list(object.key, column).linkKeys.count
        case .list(let column): object.table.list(object.key, column).count
        case .entry(let column, let name):
            object.entryKey(column, name) == nil ? 0 : 1
        case .element(let column, let position):
            position.index(in: object.table.list(object.key, column).count) == nil ? 0 : 1
        case .backlinks(let origin, let column):
            object.table.backlinks(to: object.key, from: origin, column).count
        }
    }

    /// Q-94 … Q-97.
    private func aggregates(
        _ path: ResolvedPath, _ function: AggregateFunction, _ property: StoredColumn?, _ row: RowReference
    ) -> [UnsafeScalar] {
        let objects = walker.objects(path, from: row) ?? []
        if let property {
            var accumulator = Accumulator(function, property.property.type)
            for object in objects { accumulator.add(object.cluster.scalar(object.row, property)) }
            return [accumulator.result]
        }
        guard case .elements(let column) = path.end else { return [.null] }
        let lists = objects.map { $0.table.list($0.key, column).scalars }
        // Through a null link it is as for an empty list; an element that isn't there has none.
        let isBehindNull = lists.isEmpty && !path.stepsThroughCollection && !path.endsAfterElement
        return (isBehindNull ? [[]] : lists).map { values in
            var accumulator = Accumulator(function, column.property.type)
            for value in values { accumulator.add(value) }
            return accumulator.result
        }
    }
}
