import Wire

/// Text of clients that becomes part of a URL.
enum PathText {
    /// Letters, digits and what is allowed beside them; throws `badParams` for anything else.
    static func check(_ text: String, allowing others: StaticString, field: String) throws(WireError) {
        let isGood =
            !text.isEmpty && text.utf8.count <= 16_384 && !text.hasPrefix("/")
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"):
                    true
                default: others.withUTF8Buffer { $0.contains(byte) }
                }
            }
        guard isGood else {
            throw WireError(
                .badParams, "\"\(field)\" can't be part of a URL: escape what isn't a letter or digit",
                facts: ["field": .string(field)])
        }
    }
}
