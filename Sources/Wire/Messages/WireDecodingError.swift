/// A field of a message that is missing or of the wrong type.
package struct WireDecodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Path of the field, such as `sort.0.1`.
    package var field: String
    /// What should be there, in BSON's words.
    package var expected: String
    /// What is there instead; nil if nothing is.
    package var found: String?

    package init(field: String, expected: String, found: String?) {
        self.field = field
        self.expected = expected
        self.found = found
    }

    package var description: String {
        guard let found else { return "field \"\(field)\" is missing; expected \(expected)" }
        return "field \"\(field)\" is \(found); expected \(expected)"
    }

    /// The same error as seen from the document that contains the field's.
    func inside(_ parent: String) -> WireDecodingError {
        WireDecodingError(field: field.isEmpty ? parent : "\(parent).\(field)", expected: expected, found: found)
    }
}
