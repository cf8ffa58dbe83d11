/// 256 bits: what products and aligned sums of coefficients need before they are rounded. At most 76 decimal digits.
struct WideInteger: Equatable {
    var high: UInt128
    var low: UInt128

    init(high: UInt128 = 0, low: UInt128) {
        self.high = high
        self.low = low
    }

    /// `a × b`
    init(_ a: UInt128, times b: UInt128) {
        let (high, low) = a.multipliedFullWidth(by: b)
        self.init(high: high, low: low)
    }

    var isZero: Bool { high == 0 && low == 0 }

    /// Decimal digits, at least one.
    var digitCount: Int {
        if high == 0 { return low.digitCount }
        return UInt128.largestPowerOfTen + divided(by: .powersOfTen[UInt128.largestPowerOfTen]).quotient.low.digitCount
    }

    func divided(by divisor: UInt128) -> (quotient: WideInteger, remainder: UInt128) {
        let (top, rest) = high.quotientAndRemainder(dividingBy: divisor)
        let (bottom, remainder) = divisor.dividingFullWidth((rest, low))
        return (WideInteger(high: top, low: bottom), remainder)
    }

    static func + (a: WideInteger, b: WideInteger) -> WideInteger {
        let (low, carry) = a.low.addingReportingOverflow(b.low)
        return WideInteger(high: a.high + b.high + (carry ? 1 : 0), low: low)
    }

    /// `a − b`, where a ≥ b.
    static func - (a: WideInteger, b: WideInteger) -> WideInteger {
        let (low, borrow) = a.low.subtractingReportingOverflow(b.low)
        return WideInteger(high: a.high - b.high - (borrow ? 1 : 0), low: low)
    }

    static func < (a: WideInteger, b: WideInteger) -> Bool {
        a.high != b.high ? a.high < b.high : a.low < b.low
    }
}

extension UInt128 {
    /// The largest n for which 10^n fits.
    static let largestPowerOfTen = 38

    /// 10^0 … 10^38
    static let powersOfTen: [UInt128] = (0..<largestPowerOfTen).reduce(into: [1]) { powers, _ in
        powers.append(powers[powers.count - 1] * 10)
    }

    /// Decimal digits, at least one.
    var digitCount: Int {
        if self == 0 { return 1 }
        // log10 2 ≈ 1233 / 4096: right, or one too few.
        let estimate = ((128 - leadingZeroBitCount) * 1233) >> 12
        return estimate <= Self.largestPowerOfTen && self >= Self.powersOfTen[estimate] ? estimate + 1 : estimate
    }
}
