import Foundation

/// A primary key as it stands in the bytes: a string key is the index of an interned string.
public enum RawKey: Hashable, Sendable {
    case null
    case int(Int64)
    case string(UInt32)
    case objectId(ObjectId)
    case uuid(UUID)
    case global(high: UInt64, low: UInt64)
}

/// A value as it stands in the bytes. Strings and binaries point into the input and are valid as long as it is.
public enum RawPayload {
    case null
    case int(Int64)
    case bool(Bool)
    /// UTF-8 by contract, but nobody has checked it (C-26).
    case string(UnsafeRawBufferPointer)
    case binary(UnsafeRawBufferPointer)
    case timestamp(Timestamp)
    case float(Float)
    case double(Double)
    case decimal(Decimal128)
    case link(target: UInt32, key: RawKey)
    case objectId(ObjectId)
    case uuid(UUID)
    case embeddedObject
    case list
    case dictionary
    case erased
    case set
}

/// One step of a path: a list index, or the interned name of a property or dictionary key (C-44).
public enum RawStep: Hashable, Sendable {
    case index(UInt32)
    case name(UInt32)
}

/// Where an instruction acts, in interned form.
public struct RawPath {
    public var target: UInt32
    public var key: RawKey
    public var property: UInt32
    public var rest: RawSteps

    @inlinable
    public init(target: UInt32, key: RawKey, property: UInt32, rest: RawSteps) {
        self.target = target
        self.key = key
        self.property = property
        self.rest = rest
    }
}

/// The key column of AddTable; the type is nil for global keys.
public struct RawKeyColumn: Hashable, Sendable {
    public var name: UInt32
    public var type: ValueType?
    public var isNullable: Bool

    @inlinable
    public init(name: UInt32, type: ValueType?, isNullable: Bool) {
        self.name = name
        self.type = type
        self.isNullable = isNullable
    }
}

/// The column of AddColumn. Any payload type number passes the parser (C-60).
public struct RawColumn: Hashable, Sendable {
    public var type: PayloadType
    public var isNullable: Bool
    public var collection: CollectionKind
    /// Present for links; may name the empty string (C-53).
    public var target: UInt32?
    /// Present for dictionaries.
    public var keyType: PayloadType?

    @inlinable
    public init(
        type: PayloadType, isNullable: Bool, collection: CollectionKind, target: UInt32? = nil,
        keyType: PayloadType? = nil
    ) {
        self.type = type
        self.isNullable = isNullable
        self.collection = collection
        self.target = target
        self.keyType = keyType
    }
}

/// One step of a changeset with interned strings as indices and values in place: what `ChangesetReader` yields.
/// Holds no references, so that reading one costs no allocation; `target` and `property` are interned indices.
public enum RawInstruction {
    case addTable(target: UInt32, kind: ClassKind, key: RawKeyColumn?)
    case eraseTable(target: UInt32)
    case createObject(target: UInt32, key: RawKey)
    case eraseObject(target: UInt32, key: RawKey)
    case update(RawPath, RawPayload, isDefault: Bool)
    case updateElement(RawPath, RawPayload, priorSize: UInt32)
    case addInteger(RawPath, Int64)
    case addColumn(target: UInt32, property: UInt32, RawColumn)
    case eraseColumn(target: UInt32, property: UInt32)
    case arrayInsert(RawPath, RawPayload, priorSize: UInt32)
    case arrayMove(RawPath, to: UInt32, priorSize: UInt32)
    case arrayErase(RawPath, priorSize: UInt32)
    case clear(RawPath, CollectionKind)
    case setInsert(RawPath, RawPayload)
    case setErase(RawPath, RawPayload)
}
