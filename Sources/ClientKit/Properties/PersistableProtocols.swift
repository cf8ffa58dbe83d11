import Model

// The protocols that say what may stand where. Apps see their names in constraints and diagnostics and do not
// conform to them; the exceptions are `PersistableEnum` and `RealmCollectionValue`.

/// A type that the schema can describe.
public protocol _RealmSchemaDiscoverable {
    static var _shape: _PropertyShape { get }
}

/// A type with a representation in the database.
public protocol _HasPersistedType: _RealmSchemaDiscoverable {
    associatedtype PersistedType
}

/// How a property holds what it holds.
@frozen
public enum _PropertyRole {
    /// In the row of its object.
    case value
    /// As a collection object, which the property keeps.
    case collection
    /// Not at all: inverse links.
    case computed
}

/// A type with a default value.
public protocol _DefaultConstructible {
    init()
}

/// A type that `@Persisted` accepts.
public protocol _Persistable: _HasPersistedType {
    /// Value of a property that is declared without one.
    static func _defaultValue() -> Self
    /// Value of property `index` of `object`, read from row `row` of its column's chunk. The hot path.
    static func _load(_ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int) -> Self
    /// Value of property `index` of the managed `object`, by way of the realm's pending changes.
    static func _get(_ object: ObjectBase, _ index: Int) -> Self
    /// Assigns property `index` of the managed `object`.
    static func _set(_ object: ObjectBase, _ index: Int, _ value: Self)
    /// What is to be stored; nil for collections, whose elements are stored one by one.
    var _rlmContent: _StoredValue? { get }
    /// The value of what was stored; nil if that is of another type.
    static func _make(_ content: _StoredValue) -> Self?
    static var _role: _PropertyRole { get }
    /// Replaces the contents of a collection by those of another; of the same one: nothing.
    static func _assign(_ collection: Self, _ contents: Self)
    /// Value of the property in an object that records which properties a key path reads.
    static func _traced(_ tracer: _KeyPathTracer, _ index: Int) -> Self
}

/// A type whose optional `@Persisted` accepts, too.
public protocol _PersistableInsideOptional: _Persistable {
    static func _loadOptional(_ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int) -> Self?
}

/// A type that can be an element of a collection, and the value of a property.
public protocol RealmCollectionValue: Hashable, _HasPersistedType {
    /// The Swift value of a stored one; nil if the stored value is of another type.
    static func _decode(_ stored: _StoredValue) -> Self?
    var _rlmEncoded: _StoredValue { get }
    /// Whether elements are made of the stored objects instead of being them.
    static var _isConverted: Bool { get }
}

extension RealmCollectionValue {
    @inlinable @inline(__always)
    public static var _isConverted: Bool { false }
}

/// An element type whose optional can be an element, too.
public protocol _RealmCollectionValueInsideOptional: RealmCollectionValue {}

/// A type whose key paths name persisted properties.
public protocol _KeyPathRoot: RealmCollectionValue {
    /// An instance whose properties note that they are read.
    static func _tracingRoot(_ recording: _KeyPathTracer.Recording) -> Any
}

/// A type that a primary key can have.
public protocol _PrimaryKey {}

/// A type that can have an index.
public protocol _Indexable {}

/// A key of a `Map`: a string.
public protocol _MapKey: Hashable {
    static func _fromMapKey(_ key: String) -> Self
    var _mapKey: String { get }
}

extension String {
    public static func _fromMapKey(_ key: String) -> String { key }
    public var _mapKey: String { self }
}

/// A type with a minimum and a maximum.
public protocol MinMaxType {}

/// A type that can be summed up.
public protocol AddableType {}

/// A type whose values can be sorted.
public protocol SortableType {}

/// A property type by which objects can be sorted.
public protocol KeypathSortable {}

/// A type whose values queries compare by order.
public protocol _QueryOrdered: RealmCollectionValue {}

/// A type that numeric operators of queries apply to.
public protocol _QueryNumeric: _QueryOrdered {}

/// A type that string operators of queries apply to.
public protocol _QueryString: _QueryBinary {}

/// A type that is compared byte by byte in queries.
public protocol _QueryBinary: _QueryOrdered {}

/// Kept for constraints in apps' code.
public protocol _ObjcBridgeable {}

/// Kept for constraints in apps' code.
public protocol OptionalProtocol {
    associatedtype Wrapped
    func _rlmInferWrappedType() -> Wrapped
}

extension _Persistable {
    @inlinable @inline(__always)
    public static var _role: _PropertyRole { .value }

    public static func _assign(_ collection: Self, _ contents: Self) {
        preconditionFailure("\(Self.self) is no collection")
    }
}

extension _Persistable where Self: RealmCollectionValue {
    public static func _get(_ object: ObjectBase, _ index: Int) -> Self {
        let stored = object._readStored(index)
        guard let value = _decode(stored) else { object._trapUnreadable(index, stored, Self.self) }
        return value
    }

    public static func _set(_ object: ObjectBase, _ index: Int, _ value: Self) {
        object._writeStored(index, value._rlmEncoded)
    }

    public var _rlmContent: _StoredValue? { _rlmEncoded }

    public static func _make(_ content: _StoredValue) -> Self? { _decode(content) }

    public static func _traced(_ tracer: _KeyPathTracer, _ index: Int) -> Self {
        tracer.note(index)
        return _defaultValue()
    }
}

extension _PersistableInsideOptional where Self: RealmCollectionValue {
    public static func _loadOptional(
        _ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int
    ) -> Self? {
        let stored = object._readStored(index)
        return stored.isNull ? nil : _decode(stored)
    }
}
