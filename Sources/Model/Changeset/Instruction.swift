/// A value as an instruction carries it (C-32).
public enum Payload: Hashable, Sendable {
    case value(Value)
    /// Create an embedded object in the slot.
    case embeddedObject
    /// Make the slot a nested list or dictionary; contents stay if it already is one.
    case list
    case dictionary
    /// Remove the dictionary key that the path names.
    case erased
    /// Reserved; parses, never applies.
    case set
}

/// One step of a path below a property (C-44): a list index, or a property name or dictionary key.
/// Names are equal if their bytes are.
public enum PathElement: Sendable {
    case index(UInt32)
    case name(String)
}

extension PathElement: Hashable {
    public static func == (a: PathElement, b: PathElement) -> Bool {
        switch (a, b) {
        case (.index(let a), .index(let b)): a == b
        case (.name(let a), .name(let b)): a.utf8.elementsEqual(b.utf8)
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .index(let index): hasher.combine(index)
        case .name(let name): name.hashBytes(into: &hasher)
        }
    }
}

/// Where inside an object an instruction acts (C-43).
public struct InstructionPath: Hashable, Sendable {
    public var className: String
    public var key: PrimaryKey
    public var property: String
    public var rest: [PathElement]

    public init(_ className: String, _ key: PrimaryKey, _ property: String, _ rest: [PathElement] = []) {
        self.className = className
        self.key = key
        self.property = property
        self.rest = rest
    }
}

/// The key column that AddTable declares.
public struct KeyColumn: Hashable, Sendable {
    /// Empty for global keys (C-52).
    public var name: String
    /// Int, String, ObjectId or UUID; nil for global keys.
    public var type: ValueType?
    public var isNullable: Bool

    public init(name: String, type: ValueType?, isNullable: Bool) {
        self.name = name
        self.type = type
        self.isNullable = isNullable
    }
}

/// The column that AddColumn declares. Types and key types that no column can have parse (C-60) and are refused when applied.
public struct ColumnDeclaration: Hashable, Sendable {
    public var type: Int8
    public var isNullable: Bool
    public var collection: CollectionKind
    public var target: String?
    public var keyType: Int8?

    public init(type: Int8, isNullable: Bool, collection: CollectionKind, target: String?, keyType: Int8?) {
        self.type = type
        self.isNullable = isNullable
        self.collection = collection
        self.target = target
        self.keyType = keyType
    }
}

/// One step of a changeset (C-50), with its strings resolved. Hot paths use the interned form instead.
public enum Instruction: Hashable, Sendable {
    case addTable(className: String, kind: ClassKind, key: KeyColumn?)
    case eraseTable(className: String)
    case createObject(className: String, key: PrimaryKey)
    case eraseObject(className: String, key: PrimaryKey)
    /// Assignment to a property or dictionary key.
    case update(InstructionPath, Payload, isDefault: Bool)
    /// Assignment to a list element; the path ends in its index.
    case updateElement(InstructionPath, Payload, priorSize: UInt32)
    case addInteger(InstructionPath, Int64)
    case addColumn(className: String, property: String, ColumnDeclaration)
    case eraseColumn(className: String, property: String)
    case arrayInsert(InstructionPath, Payload, priorSize: UInt32)
    case arrayMove(InstructionPath, to: UInt32, priorSize: UInt32)
    case arrayErase(InstructionPath, priorSize: UInt32)
    case clear(InstructionPath, CollectionKind)
    case setInsert(InstructionPath, Payload)
    case setErase(InstructionPath, Payload)
}
