import Model
import Query

/// A condition that is evaluated row by row: what the column-wise kernels don't cover.
indirect enum RowCondition {
    case constant(Bool)
    case and([RowCondition])
    case or([RowCondition])
    case not(RowCondition)
    case comparison(RowComparison)

    func holds(_ row: RowReference) -> Bool {
        switch self {
        case .constant(let value): value
        case .and(let conditions): conditions.allSatisfy { $0.holds(row) }
        case .or(let conditions): conditions.contains { $0.holds(row) }
        case .not(let condition): !condition.holds(row)
        case .comparison(let comparison): comparison.holds(row)
        }
    }
}

/// A comparison of any two operands.
struct RowComparison {
    let left: ResolvedOperand
    let right: ResolvedOperand
    let op: Comparison.Operator
    let options: Comparison.Options
    let evaluator: OperandEvaluator

    func holds(_ row: RowReference) -> Bool {
        let rights = evaluator.groups(right, row)
        return evaluator.groups(left, row).contains { left in
            rights.contains { holds(left, $0) }
        }
    }

    func holds(_ lefts: [UnsafeScalar], _ rights: [UnsafeScalar]) -> Bool {
        let textOptions = options.intersection([.caseInsensitive, .diacriticInsensitive])
        if op == .between {
            guard rights.count == 2 else { return false }
            let lower = ScalarComparison(op: .greaterOrEqual, options: [], rightIsConstant: true)
            let upper = ScalarComparison(op: .lessOrEqual, options: [], rightIsConstant: true)
            if options.contains(.sameElement) {
                return quantified(lefts, left.quantifier) { lower.holds($0, rights[0]) && upper.holds($0, rights[1]) }
            }
            return quantified(lefts, left.quantifier) { lower.holds($0, rights[0]) }
                && quantified(lefts, left.quantifier) { upper.holds($0, rights[1]) }
        }
        let comparison = ScalarComparison(
            op: op, options: textOptions, rightIsConstant: right.isConstant,
            comparesTypes: left.isType || right.isType)
        switch (left.isMulti, right.isMulti) {
        case (true, true) where left.quantifier == nil && right.quantifier == nil:
            // Ordered, element by element.
            if op == .notEqual && lefts.count != rights.count { return true }
            return lefts.count == rights.count && zip(lefts, rights).allSatisfy { comparison.holds($0, $1) }
        default:
            // A single operand has one value, or none where an element or a link is missing: ANY then.
            return quantified(lefts, left.quantifier) { left in
                quantified(rights, right.quantifier) { comparison.holds(left, $0) }
            }
        }
    }

    private func quantified(
        _ values: [UnsafeScalar], _ quantifier: Quantifier?, _ holds: (UnsafeScalar) -> Bool
    ) -> Bool {
        switch quantifier {
        case .any, nil: values.contains(where: holds)
        case .all: values.allSatisfy(holds)
        case Quantifier.none?: !values.contains(where: holds)
        }
    }
}
