/// Why a byte string is not a changeset, or an instruction has no bytes. A changeset with such an error is
/// refused as a whole (C-61).
package struct ChangesetError: Error, Hashable, Sendable {
    /// What kind of fault; new kinds may be added.
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        package static let truncated = Code(rawValue: "truncated")
        package static let malformedInteger = Code(rawValue: "malformedInteger")
        package static let unknownOpcode = Code(rawValue: "unknownOpcode")
        package static let unknownPayloadType = Code(rawValue: "unknownPayloadType")
        package static let unknownKind = Code(rawValue: "unknownKind")
        package static let internedIndexOutOfOrder = Code(rawValue: "internedIndexOutOfOrder")
        package static let internedStringRepeated = Code(rawValue: "internedStringRepeated")
        package static let internedIndexUndefined = Code(rawValue: "internedIndexUndefined")
        package static let internedStringNotUTF8 = Code(rawValue: "internedStringNotUTF8")
        package static let badPrimaryKeyType = Code(rawValue: "badPrimaryKeyType")
        package static let pathWithoutIndex = Code(rawValue: "pathWithoutIndex")
        package static let pathEndsInIndex = Code(rawValue: "pathEndsInIndex")
        package static let indexTooLarge = Code(rawValue: "indexTooLarge")
        package static let valueTooLong = Code(rawValue: "valueTooLong")
        package static let timestampOutOfRange = Code(rawValue: "timestampOutOfRange")
        package static let decimalOutOfRange = Code(rawValue: "decimalOutOfRange")
        package static let badSetElement = Code(rawValue: "badSetElement")
    }

    package var code: Code
    /// The rule of the changeset specification that is broken, for example `C-29`.
    package var rule: String
    /// Where: bytes from the start of the stream, or the instruction's number when encoding.
    package var offset: Int
    package var message: String

    package init(_ code: Code, rule: String, offset: Int, _ message: String) {
        self.code = code
        self.rule = rule
        self.offset = offset
        self.message = message
    }
}

extension ChangesetError: CustomStringConvertible {
    package var description: String {
        "bad changeset at \(offset): \(message) (\(rule))"
    }
}
