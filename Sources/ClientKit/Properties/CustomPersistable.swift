import Model

/// What both kinds of custom persistable types have in common.
public protocol _CustomPersistable: _PersistableInsideOptional, _RealmCollectionValueInsideOptional
where PersistedType: _Persistable & RealmCollectionValue {
    /// What is stored for the value.
    var persistableValue: PersistedType { get }
    /// The value of what is stored; nil if there is none.
    static func _converted(_ persistedValue: PersistedType) -> Self?
}

/// A type of an app that is stored as another. It can stand wherever that can: in properties, collections, primary keys
/// and queries.
///
/// ```swift
/// struct Distance: CustomPersistable {
///     var meters: Double
///     init(persistedValue: Double) { meters = persistedValue }
///     var persistableValue: Double { meters }
/// }
/// ```
public protocol CustomPersistable: _CustomPersistable {
    /// The type that is stored.
    associatedtype PersistedType
    /// The value of what is stored.
    init(persistedValue: PersistedType)
    /// What is stored for the value.
    var persistableValue: PersistedType { get }
}

/// As `CustomPersistable`, for types that not everything that may be stored has a value of. Where there is none, an
/// optional property reads nil, and another traps.
public protocol FailableCustomPersistable: _CustomPersistable {
    /// The type that is stored.
    associatedtype PersistedType
    /// The value of what is stored; nil if there is none.
    init?(persistedValue: PersistedType)
    /// What is stored for the value.
    var persistableValue: PersistedType { get }
}

extension CustomPersistable {
    public static func _converted(_ persistedValue: PersistedType) -> Self? { Self(persistedValue: persistedValue) }
}

extension FailableCustomPersistable {
    public static func _converted(_ persistedValue: PersistedType) -> Self? { Self(persistedValue: persistedValue) }
}

extension _CustomPersistable {
    public static var _shape: _PropertyShape {
        var shape = PersistedType._shape
        // An object is a link, which may be null: then it is read as a new object.
        if shape.type == .link { shape.isOptional = true }
        return shape
    }

    public static var _isConverted: Bool { true }

    /// The value of the stored type's default. Traps if there is none.
    public static func _defaultValue() -> Self {
        guard let value = _converted(PersistedType._defaultValue()) else {
            fail(
                Mistake(
                    "Failed to default construct a \(Self.self) of the default value of its persisted type "
                        + "\(PersistedType.self): the conversion must succeed, the property must be optional, or it "
                        + "must have a default value."))
        }
        return value
    }

    @inlinable
    public static func _load(_ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int) -> Self {
        let stored = PersistedType._load(chunk, row, object, index)
        guard let value = _converted(stored) else { _trapUnconvertible(stored) }
        return value
    }

    public static func _get(_ object: ObjectBase, _ index: Int) -> Self {
        if PersistedType.self is ObjectBase.Type, object._readStored(index).isNull { return _defaultValue() }
        let stored = PersistedType._get(object, index)
        guard let value = _converted(stored) else { _trapUnconvertible(stored) }
        return value
    }

    public static func _decode(_ stored: _StoredValue) -> Self? {
        if stored.isNull, PersistedType.self is ObjectBase.Type { return _defaultValue() }
        return PersistedType._decode(stored).flatMap { _converted($0) }
    }

    public var _rlmEncoded: _StoredValue { persistableValue._rlmEncoded }

    public static func _trapUnconvertible(_ stored: PersistedType) -> Never {
        fail(
            Mistake(
                "Failed to convert persisted value '\(stored)' to type \(Self.self) in a non-optional context."))
    }

    /// By what is stored.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(persistableValue)
    }
}
