extension Decimal128: CustomStringConvertible {
    /// Reads a number such as `-12.50`, `1E10`, `Infinity` or `NaN` (letters in any case), rounding to 34 digits; nil
    /// for anything else. Digits after the point are kept: `1.50` is not `1.5`.
    public init?(_ text: some StringProtocol) {
        var rest = Substring(text).utf8[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        switch Substring(rest).lowercased() {
        case "inf", "infinity":
            self = isNegative ? -.infinity : .infinity
            return
        case "nan", "snan":
            self = .nan
            return
        default: break
        }

        var coefficient: UInt128 = 0
        var exponent = 0
        var isInexact = false
        var hasDigits = false
        var isFraction = false
        scan: while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                hasDigits = true
                let digit = byte - UInt8(ascii: "0")
                if coefficient < UInt128.powersOfTen[36] {
                    coefficient = coefficient * 10 + UInt128(digit)
                    if isFraction { exponent -= 1 }
                } else {
                    isInexact = isInexact || digit != 0
                    if !isFraction { exponent += 1 }
                }
            case UInt8(ascii: ".") where !isFraction: isFraction = true
            default: break scan
            }
            rest = rest.dropFirst()
        }
        guard hasDigits, let written = Self.exponent(rest) else { return nil }
        self.init(
            rounding: WideInteger(low: coefficient), isInexact: isInexact, exponent: exponent + written,
            isNegative: isNegative)
    }

    /// What follows the digits: nothing, or `e` and an integer. Huge ones are cut to what has the same effect.
    private static func exponent(_ text: Substring.UTF8View) -> Int? {
        guard let letter = text.first else { return 0 }
        guard letter == UInt8(ascii: "e") || letter == UInt8(ascii: "E") else { return nil }
        var rest = text.dropFirst()
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        guard !rest.isEmpty else { return nil }
        var value = 0
        for byte in rest {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            value = min(value * 10 + Int(byte - UInt8(ascii: "0")), 1 << 40)
        }
        return isNegative ? -value : value
    }

    /// The text that IEEE 754 calls scientific: plain digits if the exponent is at most 0 and the number not tiny,
    /// `1.5E+10` otherwise; `NaN`, `Inf`, `-Inf`.
    public var description: String {
        if isNaN { return "NaN" }
        if isInfinite { return isNegative ? "-Inf" : "Inf" }
        let (coefficient, exponent, isNegative) = finite
        let sign = isNegative ? "-" : ""
        let digits = String(coefficient)
        let adjusted = exponent + digits.utf8.count - 1
        if exponent <= 0, adjusted >= -6 {
            if exponent == 0 { return sign + digits }
            if adjusted >= 0 { return "\(sign)\(digits.dropLast(-exponent)).\(digits.suffix(-exponent))" }
            return "\(sign)0.\(String(repeating: "0", count: -adjusted - 1))\(digits)"
        }
        let point = digits.utf8.count > 1 ? "." : ""
        return "\(sign)\(digits.prefix(1))\(point)\(digits.dropFirst())E\(adjusted < 0 ? "" : "+")\(adjusted)"
    }
}
