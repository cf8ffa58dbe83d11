/// Why a byte string is not a changeset, or an instruction has no bytes. A changeset with such an error is
/// refused as a whole (C-61).
public struct ChangesetError: Error, Hashable, Sendable {
    /// What kind of fault; new kinds may be added.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let truncated = Code(rawValue: "truncated")
        public static let malformedInteger = Code(rawValue: "malformedInteger")
        public static let unknownOpcode = Code(rawValue: "unknownOpcode")
        public static let unknownPayloadType = Code(rawValue: "unknownPayloadType")
        public static let unknownKind = Code(rawValue: "unknownKind")
        public static let internedIndexOutOfOrder = Code(rawValue: "internedIndexOutOfOrder")
        public static let internedStringRepeated = Code(rawValue: "internedStringRepeated")
        public static let internedIndexUndefined = Code(rawValue: "internedIndexUndefined")
        public static let internedStringNotUTF8 = Code(rawValue: "internedStringNotUTF8")
        public static let badPrimaryKeyType = Code(rawValue: "badPrimaryKeyType")
        public static let pathWithoutIndex = Code(rawValue: "pathWithoutIndex")
        public static let pathEndsInIndex = Code(rawValue: "pathEndsInIndex")
        public static let indexTooLarge = Code(rawValue: "indexTooLarge")
        public static let valueTooLong = Code(rawValue: "valueTooLong")
        public static let timestampOutOfRange = Code(rawValue: "timestampOutOfRange")
        public static let decimalOutOfRange = Code(rawValue: "decimalOutOfRange")
        public static let badSetElement = Code(rawValue: "badSetElement")
    }

    public var code: Code
    /// The rule of the changeset specification that is broken, for example `C-29`.
    public var rule: String
    /// Where: bytes from the start of the stream, or the instruction's number when encoding.
    public var offset: Int
    public var message: String

    public init(_ code: Code, rule: String, offset: Int, _ message: String) {
        self.code = code
        self.rule = rule
        self.offset = offset
        self.message = message
    }
}

extension ChangesetError: CustomStringConvertible {
    public var description: String {
        "bad changeset at \(offset): \(message) (\(rule))"
    }
}
