import Model

/// Reading of integer literals.
enum IntegerLiteral {
    /// The value of a token: hexadecimal after `0x`, octal after a leading zero, decimal otherwise. Reading stops at
    /// the first digit that doesn't belong; beyond 64 bits the value stays at the limit.
    static func value(of text: String) -> Int64 {
        var digits = Array(text.utf8)[...]
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
        if digits.first == UInt8(ascii: "0"), digits.count > 1 {
            if digits[digits.startIndex + 1] | 0x20 == UInt8(ascii: "x") {
                return value(of: digits.dropFirst(2), radix: 16, isNegative: isNegative)
            }
            return value(of: digits.dropFirst(), radix: 8, isNegative: isNegative)
        }
        return value(of: digits, radix: 10, isNegative: isNegative)
    }

    static func value(of digits: ArraySlice<UInt8>, radix: Int64, isNegative: Bool) -> Int64 {
        var value: Int64 = 0
        for byte in digits {
            let digit = Int64(
                byte <= UInt8(ascii: "9") ? byte - UInt8(ascii: "0") : (byte | 0x20) - UInt8(ascii: "a") + 10)
            guard digit < radix else { break }
            let (scaled, overflows) = value.multipliedReportingOverflow(by: radix)
            let (next, carries) = scaled.addingReportingOverflow(isNegative ? -digit : digit)
            if overflows || carries { return isNegative ? Int64.min : Int64.max }
            value = next
        }
        return value
    }
}

/// A number's text without what doesn't matter: two texts denote the same decimal number iff these are equal.
struct DecimalText: Hashable {
    var isNegative: Bool
    /// Without leading and trailing zeros; empty for zero.
    var digits: [UInt8]
    /// Power of ten of the last digit; 0 for zero.
    var exponent: Int

    /// Sign, digits, point, exponent, suffix `f`. Nil for anything else.
    init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        if rest.last == UInt8(ascii: "f") { rest.removeLast() }
        exponent = 0
        if let mark = rest.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
            guard let power = Int(String(decoding: rest[(mark + 1)...], as: UTF8.self)), abs(power) < 1_000_000 else {
                return nil
            }
            exponent = power
            rest = rest[..<mark]
        }
        if let point = rest.firstIndex(of: UInt8(ascii: ".")) {
            exponent -= rest.endIndex - point - 1
            rest.remove(at: point)
        }
        guard !rest.isEmpty, rest.allSatisfy(Tokenizer.isDigit) else { return nil }
        digits = Array(rest.drop { $0 == UInt8(ascii: "0") })
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty { exponent = 0 }
    }
}

extension SourceConstant {
    /// An integer literal; its text is kept where 64 bits or octal reading change the number.
    static func integer(_ text: String) -> SourceConstant {
        let value = IntegerLiteral.value(of: text)
        let isExact = DecimalText(text).map { $0 == DecimalText(String(value)) } ?? true
        return SourceConstant(.int(value), digits: isExact ? nil : text)
    }

    /// A float literal; its text is kept where a Double rounds it. With the suffix `f` it is a Float and nothing else.
    static func float(_ text: String) -> SourceConstant {
        if text.hasSuffix("f") { return SourceConstant(.float(Float(text.dropLast()) ?? .nan)) }
        let value = Double(text) ?? .nan
        guard value.isFinite else { return SourceConstant(.double(value)) }
        return SourceConstant(
            .double(value), digits: DecimalText(text) == DecimalText(value.description) ? nil : text)
    }
}
