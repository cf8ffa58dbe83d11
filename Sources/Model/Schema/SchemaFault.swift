/// Something that no file's schema can have.
public struct SchemaFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which kind; new kinds may be added.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let duplicateClass = Code(rawValue: "duplicateClass")
        public static let duplicateProperty = Code(rawValue: "duplicateProperty")
        public static let emptyName = Code(rawValue: "emptyName")
        public static let nameTooLong = Code(rawValue: "nameTooLong")
        public static let noProperties = Code(rawValue: "noProperties")
        public static let primaryKeyMissing = Code(rawValue: "primaryKeyMissing")
        public static let primaryKeyType = Code(rawValue: "primaryKeyType")
        public static let primaryKeyOfEmbedded = Code(rawValue: "primaryKeyOfEmbedded")
        public static let targetMissing = Code(rawValue: "targetMissing")
        public static let targetUnexpected = Code(rawValue: "targetUnexpected")
        public static let targetUnknown = Code(rawValue: "targetUnknown")
        public static let asymmetricLink = Code(rawValue: "asymmetricLink")
        public static let nullability = Code(rawValue: "nullability")
        public static let setOfEmbedded = Code(rawValue: "setOfEmbedded")
        public static let embeddedCycle = Code(rawValue: "embeddedCycle")
        public static let notIndexable = Code(rawValue: "notIndexable")
    }

    public var code: Code
    public var className: String
    public var property: String?
    /// A sentence that names class and property.
    public var message: String

    public var description: String { message }

    init(_ code: Code, _ className: String, _ property: String?, _ message: String) {
        self.code = code
        self.className = className
        self.property = property
        self.message = message
    }
}
