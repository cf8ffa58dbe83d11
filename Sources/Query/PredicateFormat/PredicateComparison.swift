import Model

/// Makes the query language's comparison of a predicate format's one (Q-149 … Q-161).
struct PredicateComparison {
    var op: Comparison.Operator
    var options: Comparison.Options
    /// ANY, SOME or NONE stands before it.
    var isAny: Bool
    var start: Int

    private func failure(_ kind: QueryError.Kind, _ message: String) -> QueryError {
        QueryError(kind, message, offset: start)
    }

    func condition(_ left: PredicateOperand, _ right: PredicateOperand) throws(QueryError) -> Condition {
        try checkOptions()
        switch (left, right) {
        case (.constant(let value), .path(let path)) where op == .isIn:
            // The collection holds the value.
            return comparison(.path(path, quantifier: .any), .equal, .constant(value))
        case (_, .path), (_, .computed):
            guard isLeftConstant(left) else { break }
            return try condition(turned: right, left)
        default: break
        }
        switch left {
        case .path(let path): return try condition(path, right)
        case .computed(let operand): return try condition(computed: operand, right)
        case .constant, .list, .geo:
            throw failure(.invalidPredicate, "a comparison needs a key path on one side")
        }
    }

    private func isLeftConstant(_ operand: PredicateOperand) -> Bool {
        switch operand {
        case .constant, .list, .geo: true
        case .path, .computed: false
        }
    }

    private func checkOptions() throws(QueryError) {
        guard !options.isEmpty else { return }
        switch op {
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .between:
            throw failure(.invalidOperator, "\(op.rawValue) must be case-sensitive")
        case .like where options.contains(.diacriticInsensitive):
            throw failure(.invalidOperator, "LIKE must be diacritic-sensitive")
        default: break
        }
    }

    private func comparison(_ left: Operand, _ op: Comparison.Operator, _ right: Operand) -> Condition {
        .comparison(Comparison(left, op, right, options: options))
    }

    /// `5 < n` as `n > 5`.
    private func condition(turned left: PredicateOperand, _ right: PredicateOperand) throws(QueryError) -> Condition {
        var turned = self
        switch op {
        case .equal, .notEqual: break
        case .less: turned.op = .greater
        case .lessOrEqual: turned.op = .greaterOrEqual
        case .greater: turned.op = .less
        case .greaterOrEqual: turned.op = .lessOrEqual
        default: throw failure(.invalidPredicate, "\(op.rawValue) needs the key path on its left")
        }
        return try turned.condition(left, right)
    }

    private func condition(_ path: PropertyPath, _ right: PredicateOperand) throws(QueryError) -> Condition {
        let left = Operand.path(path, quantifier: isAny ? .any : nil)
        switch (op, right) {
        case (.isIn, .geo(let shape)): return comparison(left, .geoWithin, .geo(shape))
        case (.isIn, .list(let values)):
            return comparison(left, .isIn, .list(values, quantifier: isAny ? .any : nil))
        case (.isIn, _): throw failure(.invalidPredicate, "IN needs a list of values on its right")
        case (.between, .list(let values)):
            guard values.count == 2 else { throw failure(.invalidPredicate, "BETWEEN needs exactly two values") }
            var between = Comparison(left, .between, .list(values, quantifier: nil))
            if isAny { between.options = .sameElement }
            return .comparison(between)
        case (.between, _): throw failure(.invalidPredicate, "BETWEEN needs a list of two values")
        case (.beginsWith, .constant(let value)), (.endsWith, .constant(let value)), (.contains, .constant(let value)):
            let condition = comparison(left, op, .constant(value))
            // Nothing contains nothing here; the comparison stays for the type check.
            return isEmpty(value) ? .and([.constant(false), condition]) : condition
        case (_, .constant(let value)): return comparison(left, op, .constant(value))
        case (_, .path(let other)): return comparison(left, op, .path(other, quantifier: nil))
        case (_, .computed(let operand)):
            if case .subqueryCount = operand {
                throw failure(.invalidPredicate, "SUBQUERY can only be compared with a number")
            }
            return comparison(left, op, operand)
        case (_, .list), (_, .geo):
            throw failure(.invalidPredicate, "\(op.rawValue) can't compare with a list or a shape")
        }
    }

    private func isEmpty(_ value: Value) -> Bool {
        switch value {
        case .null: true
        case .string(let text): text.isEmpty
        case .binary(let data): data.isEmpty
        default: false
        }
    }

    private func condition(computed left: Operand, _ right: PredicateOperand) throws(QueryError) -> Condition {
        switch op {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: break
        case .between:
            guard case .list(let values) = right, values.count == 2 else {
                throw failure(.invalidPredicate, "BETWEEN needs a list of two values")
            }
            return comparison(left, .between, .list(values, quantifier: nil))
        case .isIn:
            guard case .list(let values) = right else {
                throw failure(.invalidPredicate, "IN needs a list of values on its right")
            }
            return comparison(left, .isIn, .list(values, quantifier: nil))
        default: throw failure(.invalidOperator, "\(op.rawValue) can't be used with a number of a collection")
        }
        switch (left, right) {
        case (.count, .constant(let value)), (.subqueryCount, .constant(let value)):
            switch value {
            case .int, .double, .float, .decimal: return comparison(left, op, .constant(value))
            default: throw failure(.invalidValue, "@count can only be compared with a number")
            }
        case (.aggregate(_, .sum, _), .constant(.null)):
            throw failure(.invalidValue, "@sum is never null")
        case (_, .constant(let value)): return comparison(left, op, .constant(value))
        case (.subqueryCount, _): throw failure(.invalidPredicate, "SUBQUERY can only be compared with a number")
        case (_, .path(let path)): return comparison(left, op, .path(path, quantifier: nil))
        case (_, .computed): throw failure(.invalidPredicate, "collection operators can't be compared with each other")
        case (_, .list), (_, .geo):
            throw failure(.invalidPredicate, "\(op.rawValue) can't compare with a list or a shape")
        }
    }
}
