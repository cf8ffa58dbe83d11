import Model

/// The classes of a realm.
public struct Schema: Sendable {
    package let classes: [PersistedClass]

    package init(_ classes: [PersistedClass]) {
        self.classes = classes
    }

    /// Ordered by name.
    public var objectSchema: [ObjectSchema] { classes.map { ObjectSchema($0) } }

    /// A class by its name.
    public subscript(className: String) -> ObjectSchema? {
        classes.first { $0.name == className }.map { ObjectSchema($0) }
    }
}

extension Schema: Equatable, CustomStringConvertible {
    public static func == (a: Schema, b: Schema) -> Bool {
        a.classes.map(ObjectIdentifier.init) == b.classes.map(ObjectIdentifier.init)
    }

    public var description: String {
        "Schema {\n\(objectSchema.map { "    " + $0.description.replacing("\n", with: "\n    ") + "\n" }.joined())}"
    }
}

/// A persisted class.
public struct ObjectSchema: Sendable {
    package let persisted: PersistedClass

    package init(_ persisted: PersistedClass) {
        self.persisted = persisted
    }

    /// Those of base classes first, then in the order of declaration; linking objects, too.
    public var properties: [Property] {
        persisted.properties.indices.filter(persisted.isVisible).map { Property(persisted.properties[$0]) }
    }
    public var className: String { persisted.name }
    public var objectClass: AnyClass { persisted.type }
    public var isEmbedded: Bool { persisted.kind == .embedded }
    public var isAsymmetric: Bool { persisted.kind == .asymmetric }
    public var primaryKeyProperty: Property? { persisted.primaryKeyIndex.map { Property(persisted.properties[$0]) } }

    /// A property by its Swift name.
    public subscript(propertyName: String) -> Property? {
        persisted.property(propertyName).map { Property($0) }
    }
}

extension ObjectSchema: Equatable, CustomStringConvertible {
    public static func == (a: ObjectSchema, b: ObjectSchema) -> Bool { a.persisted === b.persisted }

    public var description: String {
        "\(className) {\n\(properties.map { "    \($0)\n" }.joined())}"
    }
}

/// A property of a persisted class.
public struct Property: Sendable {
    package let persisted: PersistedProperty

    package init(_ persisted: PersistedProperty) {
        self.persisted = persisted
    }

    /// Name in Swift.
    public var name: String { persisted.name }
    /// Name in the file.
    public var columnName: String { persisted.columnName }
    public var isArray: Bool { persisted.collection == .list || persisted.isComputed }
    public var isSet: Bool { persisted.collection == .set }
    public var isMap: Bool { persisted.collection == .dictionary }
    /// Primary keys are indexed, too.
    public var isIndexed: Bool { persisted.isIndexed || persisted.isPrimaryKey }
    public var isOptional: Bool { persisted.isOptional }
    /// Class of linked objects.
    public var objectClassName: String? { persisted.targetName }

    public var type: PropertyType {
        if persisted.isComputed { return .linkingObjects }
        switch persisted.type {
        case .mixed: return .any
        case .int: return .int
        case .bool: return .bool
        case .string: return .string
        case .binary: return .data
        case .timestamp: return .date
        case .float: return .float
        case .double: return .double
        case .decimal: return .decimal128
        case .link: return .object
        case .objectId: return .objectId
        case .uuid: return .UUID
        }
    }
}

extension Property: Equatable, CustomStringConvertible {
    public static func == (a: Property, b: Property) -> Bool {
        a.name == b.name && a.columnName == b.columnName && a.type == b.type && a.isArray == b.isArray
            && a.isSet == b.isSet && a.isMap == b.isMap && a.isIndexed == b.isIndexed
            && a.isOptional == b.isOptional && a.objectClassName == b.objectClassName
    }

    public var description: String {
        var text = "\(name): \(isArray ? "list of " : "")\(type)"
        if let objectClassName { text += " <\(objectClassName)>" }
        if isOptional { text += "?" }
        if persisted.isPrimaryKey { text += ", primary key" } else if isIndexed { text += ", indexed" }
        return text
    }
}

/// Type of a property, with Realm's numbers.
@frozen
public enum PropertyType: Int32, Sendable, CustomStringConvertible {
    case int = 0
    case bool = 1
    case string = 2
    case data = 3
    case date = 4
    case float = 5
    case double = 6
    case object = 7
    case linkingObjects = 8
    case any = 9
    case objectId = 10
    case decimal128 = 11
    // Named as the original has it.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case UUID = 12

    public var description: String {
        switch self {
        case .int: "int"
        case .bool: "bool"
        case .string: "string"
        case .data: "data"
        case .date: "date"
        case .float: "float"
        case .double: "double"
        case .object: "object"
        case .linkingObjects: "linking objects"
        case .any: "mixed"
        case .objectId: "object id"
        case .decimal128: "decimal128"
        case .UUID: "uuid"
        }
    }
}

extension ObjectBase {
    /// The class of the object, also while unmanaged.
    public final var objectSchema: ObjectSchema { ObjectSchema(_rlmPersisted) }

    public class func sharedSchema() -> ObjectSchema? { ObjectSchema(PersistedClass.of(self)) }
}

extension Realm {
    /// The classes that this instance has.
    public var schema: Schema { Schema(schemaClasses) }
}
