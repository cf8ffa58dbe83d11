/// Kind of a class (C-3).
package enum ClassKind: UInt8, Sendable {
    case topLevel = 0
    case embedded = 1
    case asymmetric = 2
}

/// Type of a property's values, with its wire number (C-7).
package enum ValueType: Int8, Sendable, CaseIterable {
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
package enum CollectionKind: UInt8, Sendable, CaseIterable {
    case single = 0
    case list = 1
    case dictionary = 2
    case set = 3
}

/// A stored property of a class. Inverse links are computed and not listed.
package struct PropertySchema: Hashable, Sendable {
    package var name: String
    package var type: ValueType
    package var isNullable: Bool
    package var collection: CollectionKind
    /// Class that a link points to; nil for other types.
    package var target: String?
    /// Whether the file keeps an ordered index on it. Local, never synced (C-71).
    package var isIndexed: Bool

    package init(
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
package struct ClassSchema: Hashable, Sendable {
    package var name: String
    package var kind: ClassKind
    /// Name of the primary-key property; nil means that objects have hidden global keys (C-8).
    package var primaryKey: String?
    package var properties: [PropertySchema]

    package init(_ name: String, kind: ClassKind = .topLevel, primaryKey: String? = nil, _ properties: [PropertySchema])
    {
        self.name = name
        self.kind = kind
        self.primaryKey = primaryKey
        self.properties = properties
    }

    package func property(_ name: String) -> PropertySchema? {
        properties.first { $0.name == name }
    }
}

/// All classes of a realm.
package struct RealmSchema: Hashable, Sendable {
    package var classes: [ClassSchema]

    package init(_ classes: [ClassSchema]) {
        self.classes = classes
    }

    package func classSchema(_ name: String) -> ClassSchema? {
        classes.first { $0.name == name }
    }
}
