import Model
import Query

/// Arithmetic of queries: anything with null is null, integers wrap, division by zero is no error.
enum Arithmetic {
    static func apply(_ a: UnsafeScalar, _ op: ArithmeticOperator, _ b: UnsafeScalar) -> UnsafeScalar {
        switch (a, b) {
        case (.int(let a), .int(let b)): return .int(apply(a, op, b))
        case (.float(let a), .float(let b)): return .float(apply(a, op, b))
        case (.decimal, _), (_, .decimal):
            guard let a = a.asDecimal, let b = b.asDecimal else { return .null }
            switch op {
            case .add: return .decimal(a + b)
            case .subtract: return .decimal(a - b)
            case .multiply: return .decimal(a * b)
            case .divide: return .decimal(a / b)
            }
        default:
            guard let a = a.asDouble, let b = b.asDouble else { return .null }
            return .double(apply(a, op, b))
        }
    }

    private static func apply(_ a: Int64, _ op: ArithmeticOperator, _ b: Int64) -> Int64 {
        switch op {
        case .add: a &+ b
        case .subtract: a &- b
        case .multiply: a &* b
        case .divide: b == 0 ? (a >= 0 ? .max : .min) : a.dividedReportingOverflow(by: b).partialValue
        }
    }

    private static func apply<T: FloatingPoint>(_ a: T, _ op: ArithmeticOperator, _ b: T) -> T {
        switch op {
        case .add: a + b
        case .subtract: a - b
        case .multiply: a * b
        case .divide: a / b
        }
    }
}

extension UnsafeScalar {
    /// A number that isn't a decimal as a double.
    var asDouble: Double? {
        switch self {
        case .int(let value): Double(value)
        case .float(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }
}
