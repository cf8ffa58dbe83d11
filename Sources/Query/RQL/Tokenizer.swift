import Foundation
import Model

/// Cuts a query text into tokens: the longest match wins, a keyword beats an identifier (Q-5).
struct Tokenizer {
    let bytes: [UInt8]
    let extensions: RQL.Extensions
    var position = 0

    init(_ text: String, extensions: RQL.Extensions = []) {
        bytes = Array(text.utf8)
        self.extensions = extensions
    }

    /// All tokens, the last one being `end`.
    mutating func tokenize() throws(QueryError) -> [Token] {
        var tokens: [Token] = []
        repeat { tokens.append(try next()) } while tokens[tokens.count - 1].kind != .end
        return tokens
    }

    mutating func next() throws(QueryError) -> Token {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
        let start = position
        guard start < bytes.count else { return Token(kind: .end, start: start, end: start) }
        let (kind, end) = try scan(start)
        position = end
        return Token(kind: kind, start: start, end: end)
    }

    /// The byte at `index`, 0 behind the end: no token contains that byte outside quotes.
    func byte(_ index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private func scan(_ start: Int) throws(QueryError) -> (Token.Kind, Int) {
        let first = bytes[start]
        if Self.startsIdentifier(first) { return try scanWord(start) }
        if Self.isDigit(first) || first == UInt8(ascii: ".") || first == UInt8(ascii: "+") || first == UInt8(ascii: "-")
        {
            if let date = try scanDate(start) { return date }
            if let number = scanNumber(start) { return number }
        }
        switch first {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): return try scanString(start)
        case UInt8(ascii: "@"): return try scanAtWord(start)
        case UInt8(ascii: "["):
            if let modifiers = scanModifiers(start) { return modifiers }
        default: break
        }
        return try scanSymbol(start)
    }

    // MARK: Words

    private func scanWord(_ start: Int) throws(QueryError) -> (Token.Kind, Int) {
        let end = identifierEnd(start)
        if let literal = try scanWordLiteral(start, identifierEnd: end) { return literal }
        let text = decodeIdentifier(start..<end)
        if let keyword = Keyword(spelling: text) {
            switch keyword {
            case .inf, .infinity: return (.infinity(isNegative: false), end)
            case .nan: return (.nan, end)
            default: return (.keyword(keyword, text: text), end)
            }
        }
        if let argument = scanArgument(start..<end) { return (argument, end) }
        return (.identifier(text), end)
    }

    private func identifierEnd(_ start: Int) -> Int {
        var end = start + 1
        while end < bytes.count {
            if Self.continuesIdentifier(bytes[end]) {
                end += 1
            } else if bytes[end] == UInt8(ascii: "\\"), Self.identifierEscape(byte(end + 1)) != nil {
                end += 2
            } else {
                break
            }
        }
        return end
    }

    private func decodeIdentifier(_ range: Range<Int>) -> String {
        guard bytes[range].contains(UInt8(ascii: "\\")) else { return text(range) }
        var decoded: [UInt8] = []
        var index = range.lowerBound
        while index < range.upperBound {
            if bytes[index] == UInt8(ascii: "\\"), let escaped = Self.identifierEscape(byte(index + 1)) {
                decoded.append(escaped)
                index += 2
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    /// `$12` and `$K12`; numbers that no list of arguments reaches stay out of reach.
    private func scanArgument(_ range: Range<Int>) -> Token.Kind? {
        guard bytes[range.lowerBound] == UInt8(ascii: "$") else { return nil }
        let isKeyPath = byte(range.lowerBound + 1) == UInt8(ascii: "K")
        let digits = bytes[range].dropFirst(isKeyPath ? 2 : 1)
        guard !digits.isEmpty, digits.allSatisfy(Self.isDigit) else { return nil }
        let index = Int(String(decoding: digits, as: UTF8.self)) ?? Int.max
        return isKeyPath ? .keyPathArgument(index) : .argument(index)
    }

    // MARK: Strings

    private func scanString(_ start: Int) throws(QueryError) -> (Token.Kind, Int) {
        let quote = bytes[start]
        var index = start + 1
        while index < bytes.count {
            if bytes[index] == quote { return (.string(text(start + 1..<index)), index + 1) }
            if bytes[index] == UInt8(ascii: "\\") {
                guard let length = escapeLength(index) else {
                    throw QueryError(.syntax, "unknown escape in this string", offset: start)
                }
                index += length
            } else {
                index += 1
            }
        }
        throw QueryError(.syntax, "this string isn't closed", offset: start)
    }

    /// Length of a recognised escape. Escapes are not decoded (Q-13).
    private func escapeLength(_ index: Int) -> Int? {
        switch byte(index + 1) {
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"), UInt8(ascii: "0"), UInt8(ascii: "\\"):
            2
        case UInt8(ascii: "u"): (2...5).allSatisfy { Self.isHexDigit(byte(index + $0)) } ? 6 : nil
        default: nil
        }
    }

    // MARK: The rest

    private func scanAtWord(_ start: Int) throws(QueryError) -> (Token.Kind, Int) {
        var end = start + 1
        while end < bytes.count, Self.continuesIdentifier(bytes[end]) { end += 1 }
        guard let word = AtWord(rawValue: text(start + 1..<end)) else {
            throw QueryError(.syntax, "invalid character '@'", offset: start)
        }
        return (.at(word), end)
    }

    private func scanModifiers(_ start: Int) -> (Token.Kind, Int)? {
        guard let close = (start + 1...start + 3).first(where: { byte($0) == UInt8(ascii: "]") }) else { return nil }
        let letters = text(start + 1..<close)
        if letters == "c" { return (.modifiers(.caseInsensitive), close + 1) }
        guard extensions.contains(.predicateFormat) else { return nil }
        switch letters {
        case "d": return (.modifiers(.diacriticInsensitive), close + 1)
        case "cd", "dc": return (.modifiers([.caseInsensitive, .diacriticInsensitive]), close + 1)
        case "e": return (.modifiers(.sameElement), close + 1)
        default: return nil
        }
    }

    private func scanSymbol(_ start: Int) throws(QueryError) -> (Token.Kind, Int) {
        switch (bytes[start], byte(start + 1)) {
        case (UInt8(ascii: "="), UInt8(ascii: "=")): return (.symbol(.equal), start + 2)
        case (UInt8(ascii: "="), UInt8(ascii: "<")): return (.symbol(.lessOrEqual), start + 2)
        case (UInt8(ascii: "="), UInt8(ascii: ">")): return (.symbol(.greaterOrEqual), start + 2)
        case (UInt8(ascii: "="), _): return (.symbol(.equal), start + 1)
        case (UInt8(ascii: "!"), UInt8(ascii: "=")), (UInt8(ascii: "<"), UInt8(ascii: ">")):
            return (.symbol(.notEqual), start + 2)
        case (UInt8(ascii: "<"), UInt8(ascii: "=")): return (.symbol(.lessOrEqual), start + 2)
        case (UInt8(ascii: ">"), UInt8(ascii: "=")): return (.symbol(.greaterOrEqual), start + 2)
        case (UInt8(ascii: "&"), UInt8(ascii: "&")): return (.symbol(.and), start + 2)
        case (UInt8(ascii: "|"), UInt8(ascii: "|")): return (.symbol(.or), start + 2)
        default: break
        }
        guard let symbol = Symbol(rawValue: text(start..<start + 1)) else {
            throw QueryError(.syntax, "invalid character '\(Self.shown(bytes[start]))'", offset: start)
        }
        return (.symbol(symbol), start + 1)
    }
}

// MARK: Classes of bytes
extension Tokenizer {
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
    static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
    static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A }
    static func isHexDigit(_ byte: UInt8) -> Bool { isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66) }

    static func startsIdentifier(_ byte: UInt8) -> Bool {
        isLetter(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80
    }

    static func continuesIdentifier(_ byte: UInt8) -> Bool {
        startsIdentifier(byte) || isDigit(byte) || byte == UInt8(ascii: "-")
    }

    static func identifierEscape(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: " "): 0x20
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        default: nil
        }
    }

    private static func shown(_ byte: UInt8) -> String {
        byte < 0x20 || byte == 0x7F ? "\\x" + String(byte, radix: 16) : String(UnicodeScalar(byte))
    }
}
