extension Value: CustomStringConvertible {
    /// For people: `null`, `42`, `1.5`, `"text"` with control characters escaped, `<00ff>`, `2023-11-14T22:13:20Z`,
    /// hexadecimal ids, `Dog["rex"]`.
    public var description: String {
        switch self {
        case .null: "null"
        case .int(let value): String(value)
        case .bool(let value): value ? "true" : "false"
        case .string(let value): Self.quoted(value)
        case .malformedString(let value): "malformed<\(Self.hexadecimal(value))>"
        case .binary(let value): "<\(Self.hexadecimal(value))>"
        case .timestamp(let value): value.description
        case .float(let value): value.description
        case .double(let value): value.description
        case .decimal(let value): value.description
        case .link(let value): value.description
        case .objectId(let value): value.description
        case .uuid(let value): value.uuidString.lowercased()
        }
    }

    /// Bytes printed of a binary before it is cut short.
    private static let printedBytes = 64

    private static func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
        let digits = bytes.prefix(printedBytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return bytes.count > printedBytes ? "\(digits)… \(bytes.count) bytes" : digits
    }

    /// As JSON quotes.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7f:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension PrimaryKey: CustomStringConvertible {
    public var description: String {
        if case .global(let high, let low) = self { return "\(high)-\(low)" }
        return (value ?? .null).description
    }
}

extension Link: CustomStringConvertible {
    public var description: String { "\(className)[\(key)]" }
}

extension PrimaryKey {
    /// For messages to people.
    public var text: String {
        switch self {
        case .null: "nil"
        case .int(let value): "\(value)"
        case .string(let value): value
        case .objectId(let value): value.description
        case .uuid(let value): value.uuidString
        case .global(let high, let low): "\(high)-\(low)"
        }
    }
}
