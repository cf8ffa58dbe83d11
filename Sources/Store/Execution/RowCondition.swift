import Model
import Query

/// A condition that is evaluated row by row: what the column-wise kernels don't cover.
indirect enum RowCondition {
    case constant(Bool)
    case and([RowCondition])
    case or([RowCondition])
    case not(RowCondition)
    case comparison(RowComparison)
    case geo(GeoComparison)

    /// Rough cost for a row, in nanoseconds.
    var cost: Double {
        switch self {
        case .constant: 1
        case .and(let parts), .or(let parts): parts.reduce(0) { $0 + $1.cost }
        case .not(let part): part.cost
        case .comparison(let comparison): 100 + comparison.left.cost + comparison.right.cost
        case .geo: 2_000
        }
    }

    func holds(_ row: RowReference) -> Bool {
        switch self {
        case .constant(let value): value
        case .and(let conditions): conditions.allSatisfy { $0.holds(row) }
        case .or(let conditions): conditions.contains { $0.holds(row) }
        case .not(let condition): !condition.holds(row)
        case .comparison(let comparison): comparison.holds(row)
        case .geo(let comparison): comparison.holds(row)
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
        (quantifier ?? .any).holds(for: values, holds)
    }
}

extension Quantifier {
    /// Whether the quantified statement is true of some values.
    func holds<T>(for values: [T], _ holds: (T) -> Bool) -> Bool {
        switch self {
        case .any: values.contains(where: holds)
        case .all: values.allSatisfy(holds)
        case .none: !values.contains(where: holds)
        }
    }
}
