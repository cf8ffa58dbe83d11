import Foundation

/// A text that isn't JSON, and where.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    package var offset: Int
    package var reason: String

    package var description: String { "not valid JSON at byte \(offset): \(reason)" }
}

extension JSONValue {
    /// Arrays and objects inside of each other at most.
    package static let depthLimit = 64

    /// Reads a JSON text (RFC 8259), strictly.
    package init(parsing bytes: [UInt8]) throws(JSONError) {
        var parser = JSONParser(bytes: bytes)
        self = try parser.document()
    }

    package init(parsing text: String) throws(JSONError) {
        try self.init(parsing: Array(text.utf8))
    }
}

private struct JSONParser {
    let bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws(JSONError) -> JSONValue {
        let value = try value(depth: 0)
        skipSpace()
        guard position == bytes.count else { throw error("something after the value") }
        return value
    }

    private func error(_ reason: String) -> JSONError { JSONError(offset: position, reason: reason) }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 32 || byte == 9 || byte == 10 || byte == 13 { position += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        guard depth <= JSONValue.depthLimit else { throw error("more than \(JSONValue.depthLimit) levels") }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth)
        case UInt8(ascii: "["): return try array(depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case nil: throw error("the end of the text")
        default: return try number()
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let text = word.withUTF8Buffer { Array($0) }
        guard bytes[position...].starts(with: text) else { throw error("an unknown word") }
        position += text.count
        return value
    }

    private mutating func object(_ depth: Int) throws(JSONError) -> JSONValue {
        position += 1
        var members: [String: JSONValue] = [:]
        skipSpace()
        if take(UInt8(ascii: "}")) { return .object(members) }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw error("a key that isn't a string") }
            let key = try string()
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw error("no colon after a key") }
            members[key] = try value(depth: depth + 1)
            skipSpace()
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { throw error("neither a comma nor the end of an object") }
        }
    }

    private mutating func array(_ depth: Int) throws(JSONError) -> JSONValue {
        position += 1
        var values: [JSONValue] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return .array(values) }
        while true {
            values.append(try value(depth: depth + 1))
            skipSpace()
            if take(UInt8(ascii: "]")) { return .array(values) }
            guard take(UInt8(ascii: ",")) else { throw error("neither a comma nor the end of an array") }
        }
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        _ = take(UInt8(ascii: "-"))
        let first = position
        guard digits() else { throw error("an unexpected character") }
        if bytes[first] == UInt8(ascii: "0"), position - first > 1 { throw error("a number with a leading zero") }
        var isInteger = true
        if take(UInt8(ascii: ".")) {
            isInteger = false
            guard digits() else { throw error("no digit after the point") }
        }
        if let byte = next, byte | 32 == UInt8(ascii: "e") {
            isInteger = false
            position += 1
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            guard digits() else { throw error("no digit in the exponent") }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, let value = Int64(text) { return .integer(value) }
        guard let value = Double(text), value.isFinite else { throw error("a number out of range") }
        return .double(value)
    }

    private mutating func digits() -> Bool {
        let start = position
        while let byte = next, (48...57).contains(byte) { position += 1 }
        return position > start
    }

    private mutating func string() throws(JSONError) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw error("a string that isn't UTF-8")
                }
                return string
            case UInt8(ascii: "\\"):
                position += 1
                try escape(into: &text)
            case ..<32: throw error("a control character in a string")
            default:
                text.append(byte)
                position += 1
            }
        }
        throw error("a string without end")
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        guard let byte = next else { throw error("a string without end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(8)
        case UInt8(ascii: "f"): text.append(12)
        case UInt8(ascii: "n"): text.append(10)
        case UInt8(ascii: "r"): text.append(13)
        case UInt8(ascii: "t"): text.append(9)
        case UInt8(ascii: "u"):
            var unit = try codeUnit()
            if (0xD800..<0xDC00).contains(unit) {
                guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw error("half a surrogate pair") }
                let low = try codeUnit()
                guard (0xDC00..<0xE000).contains(low) else { throw error("half a surrogate pair") }
                unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(unit) else { throw error("half a surrogate pair") }
            text += Array(String(Character(scalar)).utf8)
        default: throw error("an unknown escape")
        }
    }

    private mutating func codeUnit() throws(JSONError) -> UInt32 {
        guard position + 4 <= bytes.count else { throw error("a string without end") }
        let text = bytes[position..<position + 4]
        let isHex = text.allSatisfy { (48...57).contains($0) || (97...102).contains($0 | 32) }
        guard isHex, let unit = UInt32(String(decoding: text, as: UTF8.self), radix: 16) else {
            throw error("an escape that isn't hexadecimal")
        }
        position += 4
        return unit
    }
}
