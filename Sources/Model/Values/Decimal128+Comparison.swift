import Foundation

extension Decimal128 {
    /// Compares by numeric value, whatever the exponents; nil if one is NaN. −0 equals 0.
    public func compare(_ other: Decimal128) -> ComparisonResult? {
        if isNaN || other.isNaN { return nil }
        let (sign, otherSign) = (signum, other.signum)
        if sign != otherSign { return sign < otherSign ? .orderedAscending : .orderedDescending }
        if sign == 0 { return .orderedSame }
        let result = compareMagnitude(other)
        return sign > 0 ? result : result.reversed
    }

    /// −1, 0 or 1; not for NaN.
    private var signum: Int {
        if isZero { return 0 }
        return isNegative ? -1 : 1
    }

    /// Neither is zero or NaN.
    private func compareMagnitude(_ other: Decimal128) -> ComparisonResult {
        if isInfinite || other.isInfinite {
            return isInfinite ? (other.isInfinite ? .orderedSame : .orderedDescending) : .orderedAscending
        }
        let (a, b) = (finite, other.finite)
        let lead = a.exponent + a.coefficient.digitCount - b.exponent - b.coefficient.digitCount
        if lead != 0 { return lead < 0 ? .orderedAscending : .orderedDescending }
        let shift = a.exponent - b.exponent
        let left = WideInteger(a.coefficient, times: UInt128.powersOfTen[max(0, shift)])
        let right = WideInteger(b.coefficient, times: UInt128.powersOfTen[max(0, -shift)])
        return left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
    }
}

extension ComparisonResult {
    public var reversed: ComparisonResult {
        switch self {
        case .orderedAscending: .orderedDescending
        case .orderedSame: .orderedSame
        case .orderedDescending: .orderedAscending
        }
    }
}
