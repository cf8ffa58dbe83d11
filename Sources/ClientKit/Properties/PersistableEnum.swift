import Model

/// The old protocol of enumerations, for `RealmProperty` (EN-04, LG-03): `let state = RealmProperty<State?>()`. In a
/// property with `@Persisted` that isn't optional, the raw value's default must be one of a case; `PersistableEnum` has no
/// such demand.
public protocol RealmEnum:
    RawRepresentable, RealmOptionalType, _PersistableInsideOptional, _RealmCollectionValueInsideOptional
where
    RawValue: _PersistableInsideOptional & RealmCollectionValue & _RealmCollectionValueInsideOptional,
    PersistedType == RawValue
{}

/// An enumeration that is stored as its raw value.
///
/// ```swift
/// enum Status: String, PersistableEnum { case open, done }
/// class Task: Object { @Persisted var status: Status }    // .open by default
/// ```
/// A stored raw value without a case reads as nil in an optional property; in another it traps.
public protocol PersistableEnum:
    RealmEnum, CaseIterable, MinMaxType, SortableType, KeypathSortable, Comparable
where RawValue: Comparable {}

extension RealmEnum {
    public static var _shape: _PropertyShape { RawValue._shape }

    public static func _defaultValue() -> Self {
        let raw = RawValue._defaultValue()
        guard let value = Self(rawValue: raw) else {
            fail(
                Mistake(
                    "The enumeration \(Self.self) has no case for \(raw), the default of its raw values: make it a "
                        + "PersistableEnum, or the property optional."))
        }
        return value
    }

    @inlinable
    public static func _load(_ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int) -> Self {
        if let value = Self(rawValue: RawValue._load(chunk, row, object, index)) { return value }
        return _get(object, index)
    }

    @inlinable
    public static func _loadOptional(
        _ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int
    ) -> Self? {
        RawValue._loadOptional(chunk, row, object, index).flatMap { Self(rawValue: $0) }
    }

    public static func _decode(_ stored: _StoredValue) -> Self? {
        RawValue._decode(stored).flatMap { Self(rawValue: $0) }
    }

    public var _rlmEncoded: _StoredValue { rawValue._rlmEncoded }
}

extension PersistableEnum {
    public static func _defaultValue() -> Self {
        guard let first = allCases.first else { preconditionFailure("\(Self.self) has no case") }
        return first
    }

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

extension PersistableEnum where RawValue: _DefaultConstructible {
    public init() { self = Self._defaultValue() }
}
