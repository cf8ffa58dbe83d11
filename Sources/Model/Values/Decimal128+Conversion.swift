import Foundation

extension Decimal128 {
    public init(_ value: Int64) {
        self.init(
            rounding: WideInteger(low: UInt128(value.magnitude)), exponent: 0, isNegative: value < 0)
    }

    public init(_ value: Int) {
        self.init(Int64(value))
    }

    /// A double rounded to 15 significant digits: 0.1 becomes 0.1 (C-167, Q-64).
    public init(_ value: Double) {
        self.init(value, digits: 15)
    }

    /// A float rounded to 7 significant digits (C-167, Q-64).
    public init(_ value: Float) {
        self.init(Double(value), digits: 7)
    }

    private init(_ value: Double, digits: Int) {
        guard value.isFinite else {
            self = value.isNaN ? .nan : value < 0 ? -.infinity : .infinity
            return
        }
        // C rounds the exact value: "d.ddde±x", with whatever point the locale has.
        var coefficient: UInt128 = 0
        var exponent = 0
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { space in
            let length = withVaList([Int32(digits - 1), value.magnitude]) {
                Int(vsnprintf(space.baseAddress, space.count, "%.*e", $0))
            }
            var isExponent = false
            var sign = 1
            for character in space[..<max(0, min(length, 63))] {
                switch UInt8(bitPattern: character) {
                case UInt8(ascii: "e"): isExponent = true
                case UInt8(ascii: "-"): sign = -1
                case let digit where digit >= UInt8(ascii: "0") && digit <= UInt8(ascii: "9"):
                    let digit = Int(digit - UInt8(ascii: "0"))
                    if isExponent {
                        exponent = exponent * 10 + digit
                    } else {
                        coefficient = coefficient * 10 + UInt128(digit)
                    }
                default: break
                }
            }
            exponent *= sign
        }
        exponent -= digits - 1
        if coefficient == 0 { exponent = 0 }
        while coefficient != 0, coefficient % 10 == 0 {
            coefficient /= 10
            exponent += 1
        }
        // 100, not 1E+2, as long as it is no longer than the digits that are meant.
        if exponent > 0, coefficient.digitCount + exponent <= digits {
            coefficient *= UInt128.powersOfTen[exponent]
            exponent = 0
        }
        self.init(rounding: WideInteger(low: coefficient), exponent: exponent, isNegative: value.sign == .minus)
    }
}

extension Double {
    /// The double next to a decimal; ±infinity beyond its range.
    public init(_ value: Decimal128) {
        guard value.isFinite else {
            self = value.isNaN ? .nan : value.isNegative ? -.infinity : .infinity
            return
        }
        let (coefficient, exponent, isNegative) = value.finite
        self = Double("\(isNegative ? "-" : "")\(coefficient)e\(exponent)") ?? .nan
    }
}

extension Int64 {
    /// The integer that a decimal is; nil if it has a fraction or is out of range.
    public init?(exactly value: Decimal128) {
        guard let whole = Int64(truncating: value), Decimal128(whole).compare(value) == .orderedSame else { return nil }
        self = whole
    }

    /// The integer part of a decimal; nil if it is out of range or no number.
    public init?(truncating value: Decimal128) {
        guard value.isFinite else { return nil }
        let (coefficient, exponent, isNegative) = value.finite
        let whole: UInt128
        if coefficient == 0 || exponent < -Decimal128.precision {
            whole = 0
        } else if exponent <= 0 {
            whole = coefficient / UInt128.powersOfTen[-exponent]
        } else {
            guard coefficient.digitCount + exponent <= 19 else { return nil }
            whole = coefficient * UInt128.powersOfTen[exponent]
        }
        guard let signed = Int128(exactly: whole), let result = Int64(exactly: isNegative ? -signed : signed) else {
            return nil
        }
        self = result
    }
}
