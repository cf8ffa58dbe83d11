import Model
import Query

/// One comparison of two values.
struct ScalarComparison {
    var op: Comparison.Operator
    var options: Comparison.Options
    /// Whether the right side is a literal or argument: a null there means something else than a null that is read.
    var rightIsConstant: Bool
    /// Whether the values are names of types, which may have some type in common.
    var comparesTypes = false

    /// Q-60 for nulls, Q-61 for nulls of text operators, Q-64 … Q-74 for the rest.
    func holds(_ left: UnsafeScalar, _ right: UnsafeScalar) -> Bool {
        if comparesTypes {
            guard let a = TypeName(left), let b = TypeName(right) else { return false }
            return a.matches(b) == (op != .notEqual)
        }
        switch op {
        case .equal, .isIn: return equal(left, right)
        case .notEqual:
            // An object that doesn't exist differs from every object, and isn't a null either.
            if left.isMissingObject || right.isMissingObject { return !left.isNull && !right.isNull }
            return !equal(left, right)
        case .less: return order(left, right) == .less
        case .greater: return order(left, right) == .greater
        case .lessOrEqual:
            if left.isNull && right.isNull { return true }
            let order = order(left, right)
            return order == .less || order == .equal
        case .greaterOrEqual:
            if left.isNull && right.isNull { return true }
            let order = order(left, right)
            return order == .greater || order == .equal
        case .beginsWith, .endsWith, .contains, .like: return text(left, right)
        default: return false
        }
    }

    private func order(_ left: UnsafeScalar, _ right: UnsafeScalar) -> ValueOrder {
        left.isNull || right.isNull ? .none : left.order(right)
    }

    private func equal(_ left: UnsafeScalar, _ right: UnsafeScalar) -> Bool {
        if left.isNull || right.isNull { return left.isNull && right.isNull }
        if !options.isEmpty, let a = left.bytes, let b = right.bytes {
            guard left.isText == right.isText else { return false }
            return UnsafeTextMatcher(.equal, pattern: b, options: options, isText: right.isText).matches(a)
        }
        return left.order(right) == .equal
    }

    private func text(_ left: UnsafeScalar, _ right: UnsafeScalar) -> Bool {
        if right.isNull {
            guard rightIsConstant else { return false }
            return op == .like ? left.isNull : true
        }
        guard let text = left.bytes, let pattern = right.bytes, left.isText == right.isText else { return false }
        return UnsafeTextMatcher(op, pattern: pattern, options: options, isText: left.isText).matches(text)
    }
}

extension UnsafeScalar {
    /// A constant link to an object that isn't there.
    var isMissingObject: Bool {
        if case .link(_, let key) = self { key.raw < 0 } else { false }
    }

    var isText: Bool {
        if case .string = self { true } else { false }
    }
}
