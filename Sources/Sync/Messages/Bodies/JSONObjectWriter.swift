/// Writes a JSON object without white space, its keys in the order in which they are added: bodies are compared byte for
/// byte with those of the original.
struct JSONObjectWriter {
    private var text = "{"

    /// The object so far, closed.
    var finished: String { text + "}" }

    mutating func string(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        key(name)
        text += Self.quoted(value)
    }

    mutating func integer(_ name: StaticString, _ value: Int64?) {
        guard let value else { return }
        key(name)
        text += String(value)
    }

    mutating func boolean(_ name: StaticString, _ value: Bool) {
        key(name)
        text += value ? "true" : "false"
    }

    mutating func objects(_ name: StaticString, _ values: [JSONObjectWriter]?) {
        guard let values else { return }
        key(name)
        text += "[" + values.map(\.finished).joined(separator: ",") + "]"
    }

    private mutating func key(_ name: StaticString) {
        if text != "{" { text += "," }
        text += "\"\(name)\":"
    }

    /// The string as JSON, with only those characters escaped that must be.
    static func quoted(_ value: String) -> String {
        var result = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\u{8}": result += "\\b"
            case "\u{c}": result += "\\f"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\0"..<" ":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
