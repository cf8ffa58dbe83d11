import Model
import Query

/// Makes scan nodes of a query's condition.
struct QueryCompiler {
    let snapshot: Snapshot
    let constants = QueryConstants()
    let evaluator: OperandEvaluator

    init(_ snapshot: Snapshot) {
        self.snapshot = snapshot
        evaluator = OperandEvaluator(snapshot)
    }

    func node(_ condition: Condition, on table: StoredTable) throws -> any ScanNode {
        switch condition {
        case .constant(let value): return ConstantNode(value)
        case .and(let parts):
            if parts.count == 1 { return try node(parts[0], on: table) }
            return parts.isEmpty ? ConstantNode(true) : AndNode(try parts.map { try node($0, on: table) })
        case .or(let parts):
            if parts.count == 1 { return try node(parts[0], on: table) }
            return parts.isEmpty ? ConstantNode(false) : OrNode(try parts.map { try node($0, on: table) })
        case .not(let part): return NotNode(try node(part, on: table))
        case .comparison(let comparison): return try node(comparison, on: table)
        }
    }

    private func node(_ comparison: Comparison, on table: StoredTable) throws -> any ScanNode {
        let condition = try rowCondition(.comparison(comparison.facingRight), on: table)
        if case .comparison(let resolved) = condition, let kernel = kernelNode(resolved) { return kernel }
        return RowNode(condition, of: comparison)
    }

    func rowCondition(_ condition: Condition, on table: StoredTable) throws -> RowCondition {
        switch condition {
        case .constant(let value): .constant(value)
        case .and(let parts): .and(try parts.map { try rowCondition($0, on: table) })
        case .or(let parts): .or(try parts.map { try rowCondition($0, on: table) })
        case .not(let part): .not(try rowCondition(part, on: table))
        case .comparison(let comparison) where comparison.op == .geoWithin: .geo(try geo(comparison, on: table))
        case .comparison(let comparison): .comparison(try resolve(comparison, on: table))
        }
    }

    // MARK: Operands

    private func resolve(_ comparison: Comparison, on table: StoredTable) throws -> RowComparison {
        RowComparison(
            left: try operand(comparison.left, on: table, beside: comparison.right),
            right: try operand(comparison.right, on: table, beside: comparison.left), op: comparison.op,
            options: comparison.options, evaluator: evaluator)
    }

    /// - Parameter other: the other side, whose target class an object key without table is of.
    private func operand(
        _ operand: Operand, on table: StoredTable, beside other: Operand? = nil
    ) throws -> ResolvedOperand {
        switch operand {
        case .objectKey(let number, let key): return try objectKey(number, key, on: table, beside: other)
        case .constant(let value): return .constant(try constants.scalar(value, in: snapshot))
        case .list(let values, let quantifier):
            return .list(try values.map { try constants.scalar($0, in: snapshot) }, quantifier)
        case .path(let path, let quantifier): return .path(try resolvedPath(path, on: table), quantifier)
        case .count(let path): return .count(try resolvedPath(path, on: table))
        case .aggregate(let path, let function, let property):
            let resolved = try resolvedPath(path, on: table)
            guard let property else {
                guard case .elements(let column) = resolved.end,
                    column.property.type.isNumeric || column.property.type == .mixed
                else {
                    throw StoreError(.badQuery, "@\(function.rawValue) needs a collection of numbers")
                }
                return .aggregate(resolved, function, nil)
            }
            guard case .object = resolved.end, let column = resolved.endTable.column(named: property) else {
                throw StoreError(.unknownProperty, "'\(resolved.endTable.name)' has no property '\(property)'")
            }
            try QueryCompiler.check(column, for: function)
            return .aggregate(resolved, function, column)
        case .subqueryCount(let path, _, let condition):
            let resolved = try resolvedPath(path, on: table)
            guard case .object = resolved.end else { throw StoreError(.badQuery, "SUBQUERY needs objects") }
            return .subqueryCount(resolved, try rowCondition(condition, on: resolved.endTable))
        default:
            guard case .arithmetic(let left, let op, let right) = operand else {
                throw StoreError(.unsupportedQuery, "an operand such as \(operand) isn't supported")
            }
            let first = try self.operand(left, on: table)
            let second = try self.operand(right, on: table)
            guard !(first.isMulti && second.isMulti) else {
                throw StoreError(.badQuery, "arithmetic on two collections")
            }
            return .arithmetic(first, op, second)
        }
    }

    /// `O<key>` or `L<table>:<key>`.
    private func objectKey(
        _ number: UInt32?, _ key: Int64, on table: StoredTable, beside other: Operand?
    ) throws -> ResolvedOperand {
        if let number {
            guard let id = UInt16(exactly: number), snapshot.schema[TableId(id)] != nil else {
                throw StoreError(.unknownClass, "the realm has no table \(number)")
            }
            return .constant(.link(TableId(id), ObjectKey(key)))
        }
        guard case .path(let path, _)? = other else {
            throw StoreError(.badQuery, "an object key needs a link on the other side")
        }
        let resolved = try resolvedPath(path, on: table)
        if case .entry(let column, _) = resolved.end, let target = column.property.target.flatMap(snapshot.schema.table)
        {
            return .constant(.link(target.id, ObjectKey(key)))
        }
        return .constant(.link(resolved.endTable.id, ObjectKey(key)))
    }

    private func geo(_ comparison: Comparison, on table: StoredTable) throws -> GeoComparison {
        guard case .path(let path, let quantifier) = comparison.left, case .geo(let shape) = comparison.right else {
            throw StoreError(.badQuery, "GEOWITHIN needs a path on its left and a shape on its right")
        }
        return try GeoComparison(try resolvedPath(path, on: table), quantifier, GeoRegion(shape), evaluator.walker)
    }

    func resolvedPath(_ path: PropertyPath, on table: StoredTable) throws -> ResolvedPath {
        try ResolvedPath(path, from: table, in: snapshot.schema)
    }

    static func check(_ column: StoredColumn, for function: AggregateFunction) throws {
        let type = column.property.type
        let fits = type.isNumeric || type == .mixed || type == .timestamp && (function == .min || function == .max)
        guard fits, column.property.collection == .single else {
            throw StoreError(.badQuery, "@\(function.rawValue) isn't defined for '\(column.property.name)'")
        }
    }
}

extension ValueType {
    var isNumeric: Bool {
        switch self {
        case .int, .float, .double, .decimal: true
        default: false
        }
    }
}

extension Comparison {
    /// The same comparison with a constant on the right, if the operator can be turned round. Not with a list: of two
    /// quantifiers, the left one comes first.
    var facingRight: Comparison {
        guard case .constant = left, case .path = right else { return self }
        let turned: Operator
        switch op {
        case .equal, .notEqual: turned = op
        case .isIn: turned = .equal
        case .less: turned = .greater
        case .lessOrEqual: turned = .greaterOrEqual
        case .greater: turned = .less
        case .greaterOrEqual: turned = .lessOrEqual
        default: return self
        }
        return Comparison(right, turned, left, options: options)
    }
}
