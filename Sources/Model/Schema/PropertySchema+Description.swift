extension PropertySchema {
    /// The type in words as people write it: `int?`, `list<Dog>`, `dictionary<string?>`.
    public var typeDescription: String {
        let element = (target ?? type.name) + (isNullable && showsNullability ? "?" : "")
        switch collection {
        case .single: return element
        case .list: return "list<\(element)>"
        case .set: return "set<\(element)>"
        case .dictionary: return "dictionary<\(element)>"
        }
    }

    /// Mixed and links to objects have no choice in it.
    private var showsNullability: Bool { type != .mixed && type != .link }
}

extension ValueType {
    /// Its name for people and in messages.
    public var name: String {
        switch self {
        case .mixed: "mixed"
        case .int: "int"
        case .bool: "bool"
        case .string: "string"
        case .binary: "data"
        case .timestamp: "date"
        case .float: "float"
        case .double: "double"
        case .decimal: "decimal128"
        case .link: "object"
        case .objectId: "objectId"
        case .uuid: "uuid"
        }
    }

    /// Whether a primary key may have it (C-8).
    public var canBePrimaryKey: Bool {
        switch self {
        case .int, .string, .objectId, .uuid: true
        default: false
        }
    }

    /// Whether a property of the type, not a collection, may have an ordered index.
    public var canBeIndexed: Bool {
        switch self {
        case .int, .bool, .string, .timestamp, .objectId, .uuid, .mixed: true
        default: false
        }
    }
}

extension ClassKind {
    /// Its name for people and in messages.
    public var name: String {
        switch self {
        case .topLevel: "top-level"
        case .embedded: "embedded"
        case .asymmetric: "asymmetric"
        }
    }
}
