import Model

extension ArithmeticOperator {
    /// The result for two values: null if either is null, nil if either is no number.
    ///
    /// Integers wrap; integer division by zero gives the limit of the dividend's sign. Beside a Decimal, Floats and
    /// Doubles are rounded to 7 and 15 digits.
    package func apply(_ a: Value, _ b: Value) -> Value? {
        switch (a, b) {
        case (.null, _) where b == .null || b.isNumber: .null
        case (_, .null) where a.isNumber: .null
        case (.int(let a), .int(let b)): .int(apply(a, b))
        case (.float(let a), .float(let b)): .float(apply(a, b))
        case (.decimal, _), (_, .decimal):
            Self.decimal(a).flatMap { a in Self.decimal(b).map { .decimal(apply(a, $0)) } }
        default: Self.double(a).flatMap { a in Self.double(b).map { .double(apply(a, $0)) } }
        }
    }

    private func apply(_ a: Int64, _ b: Int64) -> Int64 {
        switch self {
        case .add: a &+ b
        case .subtract: a &- b
        case .multiply: a &* b
        case .divide: b == 0 ? (a >= 0 ? .max : .min) : a.dividedReportingOverflow(by: b).partialValue
        }
    }

    private func apply<T: BinaryFloatingPoint>(_ a: T, _ b: T) -> T {
        switch self {
        case .add: a + b
        case .subtract: a - b
        case .multiply: a * b
        case .divide: a / b
        }
    }

    private func apply(_ a: Decimal128, _ b: Decimal128) -> Decimal128 {
        switch self {
        case .add: a + b
        case .subtract: a - b
        case .multiply: a * b
        case .divide: a / b
        }
    }

    private static func decimal(_ value: Value) -> Decimal128? {
        switch value {
        case .int(let value): Decimal128(value)
        case .float(let value): Decimal128(value)
        case .double(let value): Decimal128(value)
        case .decimal(let value): value
        default: nil
        }
    }

    private static func double(_ value: Value) -> Double? {
        switch value {
        case .int(let value): Double(value)
        case .float(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }
}
