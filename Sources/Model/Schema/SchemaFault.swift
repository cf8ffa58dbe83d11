/// Something that no file's schema can have.
package struct SchemaFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which kind; new kinds may be added.
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        package static let duplicateClass = Code(rawValue: "duplicateClass")
        package static let duplicateProperty = Code(rawValue: "duplicateProperty")
        package static let emptyName = Code(rawValue: "emptyName")
        package static let nameTooLong = Code(rawValue: "nameTooLong")
        package static let noProperties = Code(rawValue: "noProperties")
        package static let primaryKeyMissing = Code(rawValue: "primaryKeyMissing")
        package static let primaryKeyType = Code(rawValue: "primaryKeyType")
        package static let primaryKeyOfEmbedded = Code(rawValue: "primaryKeyOfEmbedded")
        package static let targetMissing = Code(rawValue: "targetMissing")
        package static let targetUnexpected = Code(rawValue: "targetUnexpected")
        package static let targetUnknown = Code(rawValue: "targetUnknown")
        package static let asymmetricLink = Code(rawValue: "asymmetricLink")
        package static let nullability = Code(rawValue: "nullability")
        package static let setOfEmbedded = Code(rawValue: "setOfEmbedded")
        package static let embeddedCycle = Code(rawValue: "embeddedCycle")
        package static let notIndexable = Code(rawValue: "notIndexable")
    }

    package var code: Code
    package var className: String
    package var property: String?
    /// A sentence that names class and property.
    package var message: String

    package var description: String { message }

    init(_ code: Code, _ className: String, _ property: String?, _ message: String) {
        self.code = code
        self.className = className
        self.property = property
        self.message = message
    }
}
