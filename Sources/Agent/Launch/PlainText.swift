/// Names and values on their way to a terminal, which takes some characters for commands.
package enum PlainText {
    /// `text` with control characters spelled out, and those that make others appear elsewhere; line ends and tabs stay.
    package static func spelled(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: mustBeSpelled) else { return text }
        var spelled = ""
        for scalar in text.unicodeScalars {
            if mustBeSpelled(scalar) {
                spelled += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                spelled.unicodeScalars.append(scalar)
            }
        }
        return spelled
    }

    /// JSON with the same characters as escapes of JSON's own.
    package static func escaped(json text: String) -> String {
        guard text.unicodeScalars.contains(where: mustBeSpelled) else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            if mustBeSpelled(scalar) {
                let digits = String(scalar.value, radix: 16)
                escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func mustBeSpelled(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A: false
        case 0x00..<0x20, 0x7F..<0xA0: true
        // Directions of writing.
        case 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
