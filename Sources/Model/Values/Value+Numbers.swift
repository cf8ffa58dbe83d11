import Foundation

extension Value {
    /// Whether it is an Int, Float, Double or Decimal. A Bool is none.
    public var isNumber: Bool {
        switch self {
        case .int, .float, .double, .decimal: true
        default: false
        }
    }

    /// Whether it is a number that is not a number.
    public var isNaN: Bool {
        switch self {
        case .float(let value): value.isNaN
        case .double(let value): value.isNaN
        case .decimal(let value): value.isNaN
        default: false
        }
    }

    /// Compares two numbers of any types by value; nil if one is NaN or no number.
    ///
    /// Int, Float and Double are compared exactly. Beside a Decimal, a Float is first rounded to 7 and a Double to 15
    /// significant digits (C-167, Q-64).
    public func compareNumerically(_ other: Value) -> ComparisonResult? {
        switch (self, other) {
        case (.int(let a), .int(let b)): return Self.order(a, b)
        case (.decimal(let a), _): return other.decimalForComparison.flatMap { a.compare($0) }
        case (_, .decimal(let b)): return decimalForComparison.flatMap { $0.compare(b) }
        case (.int(let a), _): return other.widened.flatMap { Self.compare(a, $0) }
        case (_, .int(let b)): return widened.flatMap { Self.compare(b, $0)?.reversed }
        default:
            guard let a = widened, let b = other.widened, !a.isNaN, !b.isNaN else { return nil }
            return Self.order(a, b)
        }
    }

    private var decimalForComparison: Decimal128? {
        switch self {
        case .int(let value): Decimal128(value)
        case .float(let value): Decimal128(value)
        case .double(let value): Decimal128(value)
        case .decimal(let value): value
        default: nil
        }
    }

    /// A Float or Double as Double.
    var widened: Double? {
        switch self {
        case .float(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// Compares exactly: turning the integer into a double would lose its low digits.
    public static func compare(_ a: Int64, _ b: Double) -> ComparisonResult? {
        if b.isNaN { return nil }
        if b >= 0x1p63 { return .orderedAscending }
        if b < -0x1p63 { return .orderedDescending }
        let whole = b.rounded(.down)
        let result = order(a, Int64(whole))
        return result == .orderedSame && whole < b ? .orderedAscending : result
    }

    static func order<T: Comparable>(_ a: T, _ b: T) -> ComparisonResult {
        a < b ? .orderedAscending : a == b ? .orderedSame : .orderedDescending
    }
}
