import Foundation
import Model

/// Numbers, dates, and the literals that begin with a letter.
extension Tokenizer {
    /// Natural number, number or float, signed `inf` and `nan`.
    func scanNumber(_ start: Int) -> (Token.Kind, Int)? {
        var index = start
        let isSigned = byte(index) == UInt8(ascii: "+") || byte(index) == UInt8(ascii: "-")
        if isSigned {
            index += 1
            if let special = scanSignedSpecial(index, isNegative: byte(start) == UInt8(ascii: "-")) { return special }
        } else if byte(index) == UInt8(ascii: "0"), byte(index + 1) | 0x20 == UInt8(ascii: "x"),
            Self.isHexDigit(byte(index + 2))
        {
            let end = run(index + 2, Self.isHexDigit)
            return (.number(text(start..<end)), end)
        }
        let whole = run(index, Self.isDigit)
        var end = whole
        var isFloat = false
        if byte(end) == UInt8(ascii: "."), whole > index || Self.isDigit(byte(end + 1)) {
            end = run(end + 1, Self.isDigit)
            isFloat = true
        }
        guard end > index else { return nil }
        if byte(end) | 0x20 == UInt8(ascii: "e") {
            let hasSign = byte(end + 1) == UInt8(ascii: "+") || byte(end + 1) == UInt8(ascii: "-")
            let digits = end + (hasSign ? 2 : 1)
            let exponentEnd = run(digits, Self.isDigit)
            if exponentEnd > digits {
                end = exponentEnd
                isFloat = true
            }
        }
        if byte(end) == UInt8(ascii: "f") {
            end += 1
            isFloat = true
        }
        let literal = text(start..<end)
        return (isFloat ? .float(literal) : isSigned ? .number(literal) : .natural(literal), end)
    }

    private func scanSignedSpecial(_ index: Int, isNegative: Bool) -> (Token.Kind, Int)? {
        if spells("infinity", index) { return (.infinity(isNegative: isNegative), index + 8) }
        if spells("inf", index) { return (.infinity(isNegative: isNegative), index + 3) }
        if spells("nan", index) { return (.nan, index + 3) }
        return nil
    }

    /// `Y-M-D@h:m:s[:n]`, also with `T`.
    func scanDate(_ start: Int) throws(QueryError) -> (Token.Kind, Int)? {
        var parts: [Int64] = []
        var index = start
        for separators in ["-", "-", "@T", ":", ":", ""] {
            let end = run(index, Self.isDigit)
            guard end > index else { return nil }
            parts.append(Self.saturating(bytes[index..<end]))
            index = end
            if !separators.isEmpty {
                guard separators.utf8.contains(byte(index)) else { return nil }
                index += 1
            }
        }
        var nanoseconds: Int64 = 0
        let end = run(index + 1, Self.isDigit)
        if byte(index) == UInt8(ascii: ":"), end > index + 1 {
            nanoseconds = Self.saturating(bytes[index + 1..<end])
            index = end
        }
        if parts[0] < 1900 { return (.ancientDate, index) }
        guard let seconds = secondsSinceEpoch(parts), nanoseconds < 1_000_000_000 else {
            throw QueryError(.syntax, "invalid timestamp", offset: start)
        }
        // Away from the epoch: before it both parts are negative.
        let signed = Int32(truncatingIfNeeded: seconds < 0 ? -nanoseconds : nanoseconds)
        return (.timestamp(Timestamp(seconds: seconds, nanoseconds: signed)), index)
    }

    /// `uuid(…)`, `oid(…)`, `B64"…"`, `T…:…`, `O…`, `L…:…`: where they are longer than the identifier, or as long.
    func scanWordLiteral(_ start: Int, identifierEnd: Int) throws(QueryError) -> (Token.Kind, Int)? {
        switch bytes[start] {
        case UInt8(ascii: "u"):
            guard spellsExactly("uuid(", start), byte(start + 41) == UInt8(ascii: ")"),
                let uuid = UUID(uuidString: text(start + 5..<start + 41))
            else { return nil }
            return (.uuid(uuid), start + 42)
        case UInt8(ascii: "o"):
            guard spellsExactly("oid(", start), byte(start + 28) == UInt8(ascii: ")"),
                let objectId = Self.objectId(bytes[start + 4..<start + 28])
            else { return nil }
            return (.objectId(objectId), start + 29)
        case UInt8(ascii: "B"):
            return try scanBase64(start)
        case UInt8(ascii: "T"):
            return try scanTimestamp(start)
        case UInt8(ascii: "O"):
            let end = run(start + 1, Self.isDigit)
            guard end > start + 1, end == identifierEnd else { return nil }
            return (.objectKey(table: nil, key: Self.saturating(bytes[start + 1..<end])), end)
        case UInt8(ascii: "L"):
            let colon = run(start + 1, Self.isDigit)
            let end = run(colon + 1, Self.isDigit)
            guard colon > start + 1, byte(colon) == UInt8(ascii: ":"), end > colon + 1,
                let table = UInt32(text(start + 1..<colon))
            else { return nil }
            return (.objectKey(table: table, key: Self.saturating(bytes[colon + 1..<end])), end)
        default:
            return nil
        }
    }

    private func scanBase64(_ start: Int) throws(QueryError) -> (Token.Kind, Int)? {
        guard spellsExactly("B64\"", start) else { return nil }
        let end = run(start + 4) {
            Self.isLetter($0) || Self.isDigit($0) || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "+")
                || $0 == UInt8(ascii: "=")
        }
        guard byte(end) == UInt8(ascii: "\"") else { return nil }
        var digits = text(start + 4..<end)
        while digits.last == "=" { digits.removeLast() }
        digits += String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: digits) else {
            throw QueryError(.syntax, "invalid base64", offset: start)
        }
        return (.base64(Array(data)), end + 1)
    }

    private func scanTimestamp(_ start: Int) throws(QueryError) -> (Token.Kind, Int)? {
        guard let (seconds, colon) = scanSigned(start + 1), byte(colon) == UInt8(ascii: ":"),
            let (nanoseconds, end) = scanSigned(colon + 1)
        else { return nil }
        let timestamp = Timestamp(seconds: seconds, nanoseconds: Int32(clamping: nanoseconds))
        guard timestamp.isValid else { throw QueryError(.syntax, "invalid timestamp", offset: start) }
        return (.timestamp(timestamp), end)
    }

    private func scanSigned(_ start: Int) -> (Int64, Int)? {
        let isNegative = byte(start) == UInt8(ascii: "-")
        let digits = isNegative || byte(start) == UInt8(ascii: "+") ? start + 1 : start
        let end = run(digits, Self.isDigit)
        guard end > digits else { return nil }
        return (Self.saturating(bytes[digits..<end], isNegative: isNegative), end)
    }

    // MARK: Pieces

    /// Index behind the bytes that `belongs` accepts, from `start` on.
    private func run(_ start: Int, _ belongs: (UInt8) -> Bool) -> Int {
        var end = start
        while end < bytes.count, belongs(bytes[end]) { end += 1 }
        return end
    }

    private func spells(_ word: StaticString, _ start: Int) -> Bool {
        matches(word, start) { $0 | 0x20 }
    }

    private func spellsExactly(_ word: StaticString, _ start: Int) -> Bool {
        matches(word, start) { $0 }
    }

    private func matches(_ word: StaticString, _ start: Int, _ fold: (UInt8) -> UInt8) -> Bool {
        word.withUTF8Buffer { word in
            guard start + word.count <= bytes.count else { return false }
            return word.indices.allSatisfy { fold(bytes[start + $0]) == word[$0] }
        }
    }

    /// Decimal digits as a number that stops at the limits of 64 bits.
    static func saturating(_ digits: ArraySlice<UInt8>, isNegative: Bool = false) -> Int64 {
        IntegerLiteral.value(of: digits, radix: 10, isNegative: isNegative)
    }

    private static func objectId(_ digits: ArraySlice<UInt8>) -> ObjectId? {
        guard digits.allSatisfy(isHexDigit) else { return nil }
        let text = String(decoding: digits, as: UTF8.self)
        guard let high = UInt64(text.prefix(16), radix: 16), let low = UInt32(text.suffix(8), radix: 16) else {
            return nil
        }
        return ObjectId(high: high, low: low)
    }

    /// Year, month, day, hour, minute, second in UTC; months and smaller parts may overflow their range.
    private func secondsSinceEpoch(_ parts: [Int64]) -> Int64? {
        // Far more than any instant anybody writes, far less than what overflows below.
        guard parts.allSatisfy({ $0 < 100_000_000_000 }) else { return nil }
        let months = parts[0] * 12 + parts[1] - 1
        let year = months / 12
        let month = months % 12 + 1
        // Days since 1970-01-01 by the civil calendar, years starting in March.
        let shifted = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5
        let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear + parts[2] - 1 - 719_468
        return days * 86_400 + parts[3] * 3_600 + parts[4] * 60 + parts[5]
    }
}
