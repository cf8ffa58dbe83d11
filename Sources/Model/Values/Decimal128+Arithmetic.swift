/// Arithmetic as IEEE 754-2008 has it: exact, then rounded to 34 digits, ties to even; the exponent nearest to the
/// ideal one. Anything with a NaN is NaN.
extension Decimal128 {
    public static prefix func - (value: Decimal128) -> Decimal128 {
        Decimal128(low: value.low, high: value.high ^ (1 << 63))
    }

    public var magnitude: Decimal128 {
        Decimal128(low: low, high: high & ~(1 << 63))
    }

    public static func + (a: Decimal128, b: Decimal128) -> Decimal128 {
        if a.isNaN || b.isNaN { return .nan }
        if a.isInfinite { return b.isInfinite && a.isNegative != b.isNegative ? .nan : a.canonical }
        if b.isInfinite { return b.canonical }
        let (first, second) = a.finite.exponent >= b.finite.exponent ? (a.finite, b.finite) : (b.finite, a.finite)

        // Align the coefficients. Beyond 36 digits the smaller one can only matter by being there.
        let distance = first.exponent - second.exponent
        let shift = min(distance, 36)
        let left = WideInteger(first.coefficient, times: UInt128.powersOfTen[shift])
        var right = WideInteger(low: second.coefficient)
        var exponent = second.exponent
        var isInexact = false
        if distance > shift, first.coefficient != 0 {
            exponent = first.exponent - shift
            let rest = distance - shift
            if rest > precision {
                isInexact = second.coefficient != 0
                right.low = 0
            } else {
                let (quotient, remainder) = second.coefficient.quotientAndRemainder(
                    dividingBy: UInt128.powersOfTen[rest])
                right.low = quotient
                isInexact = remainder != 0
            }
        }

        if first.isNegative == second.isNegative {
            return Decimal128(
                rounding: left + right, isInexact: isInexact, exponent: exponent, isNegative: first.isNegative)
        }
        if left == right, !isInexact {
            return Decimal128(rounding: WideInteger(low: 0), exponent: exponent, isNegative: false)
        }
        if left < right { return Decimal128(rounding: right - left, exponent: exponent, isNegative: second.isNegative) }
        // What was cut off the smaller one makes the difference a little less than this, hence more than one below.
        let difference = left - right - WideInteger(low: isInexact ? 1 : 0)
        return Decimal128(rounding: difference, isInexact: isInexact, exponent: exponent, isNegative: first.isNegative)
    }

    public static func - (a: Decimal128, b: Decimal128) -> Decimal128 {
        a + -b
    }

    public static func * (a: Decimal128, b: Decimal128) -> Decimal128 {
        if a.isNaN || b.isNaN { return .nan }
        let isNegative = a.isNegative != b.isNegative
        if a.isInfinite || b.isInfinite {
            if a.isZero || b.isZero { return .nan }
            return isNegative ? -.infinity : .infinity
        }
        let (first, second) = (a.finite, b.finite)
        return Decimal128(
            rounding: WideInteger(first.coefficient, times: second.coefficient),
            exponent: first.exponent + second.exponent, isNegative: isNegative)
    }

    public static func / (a: Decimal128, b: Decimal128) -> Decimal128 {
        if a.isNaN || b.isNaN { return .nan }
        let isNegative = a.isNegative != b.isNegative
        if a.isInfinite { return b.isInfinite ? .nan : isNegative ? -.infinity : .infinity }
        if b.isInfinite {
            return Decimal128(rounding: WideInteger(low: 0), exponent: exponents.lowerBound, isNegative: isNegative)
        }
        let (first, second) = (a.finite, b.finite)
        if second.coefficient == 0 {
            return first.coefficient == 0 ? .nan : isNegative ? -.infinity : .infinity
        }
        let ideal = first.exponent - second.exponent
        if first.coefficient == 0 {
            return Decimal128(rounding: WideInteger(low: 0), exponent: ideal, isNegative: isNegative)
        }

        // Scale the dividend so that the quotient has 35 or 36 digits: one more than can stay.
        let shift = second.coefficient.digitCount - first.coefficient.digitCount + precision + 1
        let product = scaled(first.coefficient, shift)
        let (quotient, remainder) = product.divided(by: second.coefficient)
        var digits = quotient.low
        var exponent = ideal - shift
        if remainder == 0 {
            while exponent < ideal, digits % 10 == 0 {
                digits /= 10
                exponent += 1
            }
        }
        return Decimal128(
            rounding: WideInteger(low: digits), isInexact: remainder != 0, exponent: exponent, isNegative: isNegative)
    }

    /// `coefficient × 10^power`, the power at most 68; the result has at most 69 digits.
    private static func scaled(_ coefficient: UInt128, _ power: Int) -> WideInteger {
        let first = min(power, precision - coefficient.digitCount)
        return WideInteger(
            coefficient * UInt128.powersOfTen[first], times: UInt128.powersOfTen[power - first])
    }
}
