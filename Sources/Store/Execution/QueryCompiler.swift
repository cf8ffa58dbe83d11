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
        let resolved = try resolve(comparison.facingRight, on: table)
        if let kernel = kernelNode(resolved) { return kernel }
        return RowNode(.comparison(resolved), text: "\(comparison.op.rawValue) on \(table.name)")
    }

    func rowCondition(_ condition: Condition, on table: StoredTable) throws -> RowCondition {
        switch condition {
        case .constant(let value): .constant(value)
        case .and(let parts): .and(try parts.map { try rowCondition($0, on: table) })
        case .or(let parts): .or(try parts.map { try rowCondition($0, on: table) })
        case .not(let part): .not(try rowCondition(part, on: table))
        case .comparison(let comparison): .comparison(try resolve(comparison, on: table))
        }
    }

    // MARK: Operands

    private func resolve(_ comparison: Comparison, on table: StoredTable) throws -> RowComparison {
        guard comparison.op != .fullText, comparison.op != .geoWithin else {
            throw StoreError(.unsupportedQuery, "\(comparison.op.rawValue) isn't supported")
        }
        let left = try operand(comparison.left, on: table, beside: comparison.right)
        let right = try operand(comparison.right, on: table, beside: comparison.left)
        return RowComparison(
            left: try fitting(left, to: right, comparison.op, isLeft: true),
            right: try fitting(right, to: left, comparison.op, isLeft: false), op: comparison.op,
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
        return .constant(.link(try resolvedPath(path, on: table).endTable.id, ObjectKey(key)))
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

    /// refuses what can't be compared, and drops elements of a list literal that can't.
    private func fitting(
        _ operand: ResolvedOperand, to other: ResolvedOperand, _ op: Comparison.Operator, isLeft: Bool
    ) throws -> ResolvedOperand {
        guard let type = other.valueType else { return operand }
        let isText = [.beginsWith, .endsWith, .contains, .like].contains(op)
        switch operand {
        case .list(let values, let quantifier) where op != .between && !isText:
            return .list(values.filter { type.admits($0) }, quantifier)
        case .constant(let value) where !isText:
            guard type.admits(value) else {
                throw StoreError(.badQuery, "a \(type) can't be compared with a constant of another type")
            }
        case .path, .count, .aggregate, .subqueryCount, .arithmetic:
            guard let own = operand.valueType, own.isComparable(with: type, text: isText) else {
                throw StoreError(.badQuery, "a \(type) can't be compared with another type")
            }
        default: break
        }
        if type == .link, isLeft == false, ![.equal, .notEqual, .isIn].contains(op) {
            throw StoreError(.badQuery, "links can only be compared by ==, != and IN")
        }
        return operand
    }
}

extension ResolvedOperand {
    /// Static type of the values; nil for constants.
    var valueType: ValueType? {
        switch self {
        case .constant, .list: nil
        case .path(let path, _): path.valueType
        case .count, .subqueryCount: .int
        case .aggregate(let path, let function, let property):
            switch function {
            case .min, .max: property?.property.type ?? path.valueType
            case .sum, .average:
                [.decimal, .mixed].contains(property?.property.type ?? path.valueType) ? .decimal : .double
            }
        case .arithmetic(let a, _, let b): a.valueType ?? b.valueType
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

    /// Whether a constant may be compared with values of this type.
    func admits(_ scalar: UnsafeScalar) -> Bool {
        switch scalar {
        case _ where self == .mixed: true
        case .null: true
        case .int, .float, .double, .decimal: isNumeric
        case .bool: self == .bool
        case .string: self == .string
        case .binary: self == .binary
        case .timestamp: self == .timestamp
        case .objectId: self == .objectId
        case .uuid: self == .uuid
        case .link: self == .link
        case .list, .dictionary: false
        }
    }

    func isComparable(with other: ValueType, text: Bool) -> Bool {
        self == other || self == .mixed || other == .mixed || isNumeric && other.isNumeric
            || text && [.string, .binary].contains(self) && [.string, .binary].contains(other)
    }
}

extension Comparison {
    /// The same comparison with a constant on the right, if the operator can be turned round.
    var facingRight: Comparison {
        switch (left, right) {
        case (.constant, .path), (.list, .path): break
        default: return self
        }
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
