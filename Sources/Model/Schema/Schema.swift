/// Kind of a class (C-3).
public enum ClassKind: UInt8, Sendable {
    case topLevel = 0
    case embedded = 1
    case asymmetric = 2
}

/// Type of a property's values, with its wire number (C-7).
public enum ValueType: Int8, Sendable, CaseIterable {
    case mixed = 0
    case int = 1
    case bool = 2
    case string = 3
    case binary = 4
    case timestamp = 5
    case float = 6
    case double = 7
    case decimal = 8
    case link = 9
    case objectId = 10
    case uuid = 11
}

/// How many values a property holds (C-6).
public enum CollectionKind: UInt8, Sendable, CaseIterable {
    case single = 0
    case list = 1
    case dictionary = 2
    case set = 3
}

/// A stored property of a class. Inverse links are computed and not listed.
public struct PropertySchema: Hashable, Sendable {
    public var name: String
    public var type: ValueType
    public var isNullable: Bool
    public var collection: CollectionKind
    /// Class that a link points to; nil for other types.
    public var target: String?
    /// Whether the file keeps an ordered index on it. Local, never synced (C-71).
    public var isIndexed: Bool

    public init(
        _ name: String, _ type: ValueType, nullable: Bool = false, collection: CollectionKind = .single,
        target: String? = nil, indexed: Bool = false
    ) {
        self.name = name
        self.type = type
        self.isNullable = nullable
        self.collection = collection
        self.target = target
        self.isIndexed = indexed
    }
}

/// A class: its stored properties in declaration order, the primary key among them.
public struct ClassSchema: Hashable, Sendable {
    public var name: String
    public var kind: ClassKind
    /// Name of the primary-key property; nil means that objects have hidden global keys (C-8).
    public var primaryKey: String?
    public var properties: [PropertySchema]

    public init(_ name: String, kind: ClassKind = .topLevel, primaryKey: String? = nil, _ properties: [PropertySchema])
    {
        self.name = name
        self.kind = kind
        self.primaryKey = primaryKey
        self.properties = properties
    }

    public func property(_ name: String) -> PropertySchema? {
        properties.first { $0.name == name }
    }
}

/// All classes of a realm.
public struct RealmSchema: Hashable, Sendable {
    public var classes: [ClassSchema]

    public init(_ classes: [ClassSchema]) {
        self.classes = classes
    }

    public func classSchema(_ name: String) -> ClassSchema? {
        classes.first { $0.name == name }
    }
}
