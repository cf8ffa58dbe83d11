import Foundation
import Model

/// Cuts a predicate format into tokens and puts the arguments in their places.
struct PredicateTokenizer {
    private let bytes: [UInt8]
    private let arguments: [QueryArgument]
    private var position = 0
    /// Arguments taken so far.
    private(set) var used = 0

    init(_ text: String, _ arguments: [QueryArgument]) {
        bytes = Array(text.utf8)
        self.arguments = arguments
    }

    mutating func tokenize() throws(QueryError) -> [PredicateToken] {
        var tokens: [PredicateToken] = []
        while true {
            while Tokenizer.isSpace(byte(position)) { position += 1 }
            let start = position
            guard start < bytes.count else { break }
            let kind = try next()
            tokens.append(PredicateToken(kind: kind, start: start, text: text(start..<position)))
        }
        tokens.append(PredicateToken(kind: .end, start: bytes.count, text: ""))
        return tokens
    }

    private func byte(_ index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }
    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private func failure(_ message: String, _ kind: QueryError.Kind = .invalidPredicate) -> QueryError {
        QueryError(kind, message, offset: min(position, bytes.count))
    }

    private mutating func next() throws(QueryError) -> PredicateToken.Kind {
        let first = byte(position)
        switch first {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): return .constant(.string(try scanString()))
        case UInt8(ascii: "%"): return try scanArgument()
        case UInt8(ascii: "#"):
            position += 1
            guard let name = scanName() else { throw failure("a name must follow '#'") }
            return .name(name)
        case UInt8(ascii: "$"):
            position += 1
            guard let name = scanName() else { throw failure("a name must follow '$'") }
            return .variable("$" + name)
        case UInt8(ascii: "@"):
            position += 1
            guard let name = scanName() else { throw failure("a name must follow '@'") }
            return .collectionOperator(name)
        default: break
        }
        if Tokenizer.isDigit(first) || (first == UInt8(ascii: ".") && Tokenizer.isDigit(byte(position + 1))) {
            return .constant(try scanNumber())
        }
        if let name = scanName() {
            return PredicateKeyword(rawValue: name.lowercased()).map { .keyword($0) } ?? .name(name)
        }
        return .symbol(try scanSymbol())
    }

    private mutating func scanName() -> String? {
        let start = position
        while isNameByte(byte(position)), position > start || !Tokenizer.isDigit(byte(position)) { position += 1 }
        return position > start ? text(start..<position) : nil
    }

    private func isNameByte(_ byte: UInt8) -> Bool {
        Tokenizer.isLetter(byte) || Tokenizer.isDigit(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
    }

    private mutating func scanSymbol() throws(QueryError) -> String {
        for symbol in ["==", "=>", "=<", "!=", "<>", "<=", ">=", "&&", "||", "**", ":="]
        where position + 1 < bytes.count && text(position..<position + 2) == symbol {
            position += 2
            return symbol
        }
        guard "=<>!()[]{},.+-*/:".utf8.contains(byte(position)) else {
            throw failure("unexpected character '\(text(position..<position + 1))'")
        }
        position += 1
        return text(position - 1..<position)
    }

    private mutating func scanString() throws(QueryError) -> String {
        let quote = byte(position)
        let start = position
        position += 1
        var decoded: [UInt8] = []
        while position < bytes.count {
            let current = bytes[position]
            position += 1
            if current == quote { return String(decoding: decoded, as: UTF8.self) }
            guard current == UInt8(ascii: "\\") else {
                decoded.append(current)
                continue
            }
            let escaped = byte(position)
            position += 1
            switch escaped {
            case UInt8(ascii: "n"): decoded.append(0x0A)
            case UInt8(ascii: "r"): decoded.append(0x0D)
            case UInt8(ascii: "t"): decoded.append(0x09)
            case UInt8(ascii: "b"): decoded.append(0x08)
            case UInt8(ascii: "f"): decoded.append(0x0C)
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "\\"): decoded.append(escaped)
            case UInt8(ascii: "u"): decoded += String(try scanUnicodeEscape()).utf8
            default:
                position = start
                throw failure("unknown escape in this string")
            }
        }
        position = start
        throw failure("this string isn't closed")
    }

    /// Four hex digits, or two such escapes that make one character.
    private mutating func scanUnicodeEscape() throws(QueryError) -> Character {
        var units = [try scanHexUnit()]
        if units[0] & 0xFC00 == 0xD800, byte(position) == UInt8(ascii: "\\"), byte(position + 1) == UInt8(ascii: "u") {
            position += 2
            units.append(try scanHexUnit())
        }
        guard let text = String(validating: units, as: UTF16.self), let character = text.first else {
            throw failure("half a character in this string")
        }
        return character
    }

    private mutating func scanHexUnit() throws(QueryError) -> UInt16 {
        guard (0..<4).allSatisfy({ Tokenizer.isHexDigit(byte(position + $0)) }),
            let unit = UInt16(text(position..<position + 4), radix: 16)
        else { throw failure("\\u needs four hex digits") }
        position += 4
        return unit
    }

    /// Decimal also after a leading zero, `0x`, `0o`, `0b`, floats. The sign is an operator here.
    private mutating func scanNumber() throws(QueryError) -> Value {
        let start = position
        let radixes: [UInt8: Int] = [UInt8(ascii: "x"): 16, UInt8(ascii: "o"): 8, UInt8(ascii: "b"): 2]
        if byte(position) == UInt8(ascii: "0"), let radix = radixes[byte(position + 1) | 0x20] {
            position += 2
            let digits = scanName(allowingDigits: true)
            guard let value = Int64(digits, radix: radix) else { throw failure("not a number: 0\(digits)") }
            return .int(value)
        }
        while Tokenizer.isDigit(byte(position)) { position += 1 }
        var isFloat = false
        if byte(position) == UInt8(ascii: "."), Tokenizer.isDigit(byte(position + 1)) {
            isFloat = true
            position += 1
            while Tokenizer.isDigit(byte(position)) { position += 1 }
        }
        if byte(position) | 0x20 == UInt8(ascii: "e") {
            let hasSign = byte(position + 1) == UInt8(ascii: "+") || byte(position + 1) == UInt8(ascii: "-")
            let digits = position + (hasSign ? 2 : 1)
            if Tokenizer.isDigit(byte(digits)) {
                isFloat = true
                position = digits
                while Tokenizer.isDigit(byte(position)) { position += 1 }
            }
        }
        guard !isNameByte(byte(position)) else { throw failure("a name can't begin with digits") }
        let digits = text(start..<position)
        if !isFloat, let value = Int64(digits) { return .int(value) }
        // 2^63 is read here only to be negated.
        return .double(Double(digits) ?? .infinity)
    }

    private mutating func scanName(allowingDigits: Bool) -> String {
        let start = position
        while isNameByte(byte(position)) { position += 1 }
        return text(start..<position)
    }

    // MARK: Arguments

    private mutating func scanArgument() throws(QueryError) -> PredicateToken.Kind {
        let start = position
        position += 1
        if byte(position) == UInt8(ascii: "@") {
            position += 1
            switch try takeArgument() {
            case .value(let value): return .constant(value)
            case .list(let values): return .list(values)
            case .geo(let shape): return .geo(shape)
            }
        }
        let lengths = ["hh", "h", "ll", "l", "q", "z", "j", "t", ""]
        for length in lengths where text(position..<min(position + length.utf8.count, bytes.count)) == length {
            position += length.utf8.count
            break
        }
        let specification = byte(position)
        position += 1
        switch specification {
        case UInt8(ascii: "K"):
            guard case .value(.string(let text)) = try takeArgument() else {
                throw failure("%K needs a key path", .invalidValue)
            }
            return .keyPath(text)
        case UInt8(ascii: "d"), UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "x"), UInt8(ascii: "c"),
            UInt8(ascii: "C"):
            switch try takeArgument() {
            case .value(.int(let value)): return .constant(.int(value))
            case .value(.bool(let value)): return .constant(.int(value ? 1 : 0))
            default: throw failure("\(text(start..<position)) needs an integer", .invalidValue)
            }
        case UInt8(ascii: "f"), UInt8(ascii: "e"), UInt8(ascii: "g"), UInt8(ascii: "a"):
            switch try takeArgument() {
            case .value(.double(let value)): return .constant(.double(value))
            case .value(.float(let value)): return .constant(.double(Double(value)))
            case .value(.int(let value)): return .constant(.double(Double(value)))
            default: throw failure("\(text(start..<position)) needs a number", .invalidValue)
            }
        case UInt8(ascii: "s"), UInt8(ascii: "S"):
            guard case .value(.string(let value)) = try takeArgument() else {
                throw failure("\(text(start..<position)) needs a string", .invalidValue)
            }
            return .constant(.string(value))
        default:
            throw failure("unknown placeholder '\(text(start..<min(position, bytes.count)))'")
        }
    }

    private mutating func takeArgument() throws(QueryError) -> QueryArgument {
        guard used < arguments.count else {
            throw failure("the predicate has more placeholders than the \(arguments.count) arguments provided")
        }
        used += 1
        return arguments[used - 1]
    }
}
