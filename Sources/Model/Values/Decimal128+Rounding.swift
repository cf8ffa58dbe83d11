extension Decimal128 {
    /// Digits of a coefficient.
    static let precision = 34
    /// Exponents of finite numbers.
    static let exponents = -6176...6111

    /// The decimal next to `coefficient × 10^exponent`, ties to even; rounded once, also when it is subnormal.
    ///
    /// `isInexact`: the true value is a little more, by less than one unit of the coefficient; the coefficient must
    /// then have more than 34 digits.
    init(rounding coefficient: WideInteger, isInexact: Bool = false, exponent: Int, isNegative: Bool) {
        var isInexact = isInexact
        var wide = coefficient
        var exponent = exponent
        var drop = max(0, wide.digitCount - Self.precision, Self.exponents.lowerBound - exponent)
        if drop > 2 * UInt128.largestPowerOfTen {
            isInexact = isInexact || !wide.isZero
            wide = WideInteger(low: 0)
            exponent += drop
            drop = 0
        }
        if drop > UInt128.largestPowerOfTen {
            let first = drop - UInt128.largestPowerOfTen
            let (quotient, remainder) = wide.divided(by: UInt128.powersOfTen[first])
            isInexact = isInexact || remainder != 0
            wide = quotient
            exponent += first
            drop = UInt128.largestPowerOfTen
        }
        var digits = wide.low
        if drop > 0 {
            let unit = UInt128.powersOfTen[drop]
            let (quotient, remainder) = wide.divided(by: unit)
            digits = quotient.low
            exponent += drop
            let half = unit / 2
            if remainder > half || (remainder == half && (isInexact || digits & 1 == 1)) { digits += 1 }
            if digits > Self.maximumCoefficient {
                digits /= 10
                exponent += 1
            }
        }
        self = Self.fitting(digits, exponent, isNegative)
    }

    /// A coefficient of at most 34 digits with an exponent that is not too small.
    private static func fitting(_ coefficient: UInt128, _ exponent: Int, _ isNegative: Bool) -> Decimal128 {
        let surplus = exponent - exponents.upperBound
        if coefficient == 0 || surplus <= 0 {
            let exponent = min(exponent, exponents.upperBound)
            return Decimal128(finite: coefficient, exponent: exponent, isNegative: isNegative)
        }
        guard coefficient.digitCount + surplus <= precision else { return isNegative ? -.infinity : .infinity }
        return Decimal128(
            finite: coefficient * UInt128.powersOfTen[surplus], exponent: exponents.upperBound, isNegative: isNegative)
    }

    private init(finite coefficient: UInt128, exponent: Int, isNegative: Bool) {
        low = UInt64(truncatingIfNeeded: coefficient)
        high =
            UInt64(truncatingIfNeeded: coefficient >> 64)
            | UInt64(exponent + Int(Self.exponentBias)) << 49 | (isNegative ? 1 << 63 : 0)
    }
}
