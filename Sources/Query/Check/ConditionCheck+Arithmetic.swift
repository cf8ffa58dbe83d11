import Model

extension ConditionCheck {
    /// Q-100 … Q-104.
    func arithmetic(
        _ left: CheckedOperand, _ op: ArithmeticOperator, _ right: CheckedOperand
    ) throws(QueryError) -> CheckedOperand {
        if left.isConstant, right.isConstant {
            guard !left.isList, !right.isList, let a = left.constants.first?.value,
                let b = right.constants.first?.value,
                let result = op.apply(a, b), a != .null, b != .null
            else { throw Self.refusal(op) }
            return CheckedOperand(constant: SourceConstant(result))
        }
        guard !(left.isMulti && right.isMulti) else { throw .query("arithmetic on two collections") }
        let first = try arithmeticOperand(left, op, beside: right)
        let second = try arithmeticOperand(right, op, beside: left)
        var checked = CheckedOperand(
            .arithmetic(first.operand, op, second.operand), type: Self.resultType(first.type, second.type))
        checked.isMulti = left.isMulti || right.isMulti
        checked.quantifier = left.quantifier ?? right.quantifier
        return checked
    }

    private func arithmeticOperand(
        _ side: CheckedOperand, _ op: ArithmeticOperator, beside other: CheckedOperand
    ) throws(QueryError) -> (operand: Operand, type: ValueType) {
        guard side.isConstant else {
            guard let type = side.type, type.isNumber || type == .mixed, side.path?.isType != true else {
                throw Self.refusal(op)
            }
            return (side.operand, type)
        }
        guard !side.isList, let constant = side.constants.first else { throw Self.refusal(op) }
        let value: Value
        switch constant.value {
        // A float literal stays Double beside an Int.
        case .double where other.type == .int: value = constant.value
        case .int, .float, .double, .decimal:
            value = try ConstantConversion(resolver: resolver).convert(constant, to: other.type)
        case .string:
            guard let converted = try? ConstantConversion(resolver: resolver).convert(constant, to: other.type) else {
                throw Self.refusal(op)
            }
            value = converted
        default: throw Self.refusal(op)
        }
        switch value {
        case .int: return (.constant(value), .int)
        case .float: return (.constant(value), .float)
        case .double: return (.constant(value), .double)
        case .decimal: return (.constant(value), .decimal)
        default: throw Self.refusal(op)
        }
    }

    private static func refusal(_ op: ArithmeticOperator) -> QueryError {
        .argument("can't perform '\(op.rawValue)' on these types")
    }

    private static func resultType(_ a: ValueType, _ b: ValueType) -> ValueType {
        if a == .mixed || b == .mixed { return .mixed }
        if a == .decimal || b == .decimal { return .decimal }
        return a == b ? a : .double
    }
}
