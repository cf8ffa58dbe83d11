import Model

/// Names that `@type` may be compared with, in the form in which they are printed.
package enum TypeName: String, Sendable, CaseIterable {
    case null, int, bool, float, double
    case decimal = "decimal128"
    case string, binary, date
    case objectId = "objectid"
    case uuid
    case link = "objectlink"
    case dictionary = "object"
    case list = "array"
    case numeric, collection

    /// Any spelling in any casing.
    package init?(_ text: String) {
        switch text.lowercased() {
        case "null": self = .null
        case "int", "integer", "int16", "int32", "int64", "short", "long", "byte", "char": self = .int
        case "bool", "boolean": self = .bool
        case "float": self = .float
        case "double": self = .double
        case "decimal", "decimal128": self = .decimal
        case "numeric": self = .numeric
        case "string": self = .string
        case "binary", "data", "bytearray", "byte[]", "bindata": self = .binary
        case "date", "datetimeoffset", "timestamp": self = .date
        case "objectid": self = .objectId
        case "uuid", "guid": self = .uuid
        case "link", "objectlink": self = .link
        case "object", "dictionary": self = .dictionary
        case "list", "array": self = .list
        case "collection": self = .collection
        default: return nil
        }
    }

    /// What a value that is no collection is called.
    package init(of value: Value) {
        switch value {
        case .null: self = .null
        case .int: self = .int
        case .bool: self = .bool
        case .float: self = .float
        case .double: self = .double
        case .decimal: self = .decimal
        case .string, .malformedString: self = .string
        case .binary: self = .binary
        case .timestamp: self = .date
        case .objectId: self = .objectId
        case .uuid: self = .uuid
        case .link: self = .link
        }
    }

    /// Whether a type of this name includes `actual`, or has some type in common with it.
    package func matches(_ actual: TypeName) -> Bool {
        switch (self, actual) {
        case (.numeric, .int), (.numeric, .float), (.numeric, .double), (.numeric, .decimal): true
        case (.collection, .list), (.collection, .dictionary): true
        case (_, .numeric) where self != .numeric, (_, .collection) where self != .collection: actual.matches(self)
        default: self == actual
        }
    }

    static var all: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
