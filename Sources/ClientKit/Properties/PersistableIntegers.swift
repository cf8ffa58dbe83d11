import Model

/// The integer types that a property can have; all are stored with 64 bits.
public protocol _PersistableInteger:
    FixedWidthInteger, SignedInteger, _PersistableInsideOptional, _RealmCollectionValueInsideOptional, _PrimaryKey,
    _Indexable, _DefaultConstructible, MinMaxType, AddableType, SortableType, KeypathSortable, _QueryNumeric
where PersistedType == Self {}

extension _PersistableInteger {
    public static var _shape: _PropertyShape { _PropertyShape(.int) }

    public static func _defaultValue() -> Self { 0 }

    @inlinable @inline(__always)
    public static func _load(_ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int) -> Self {
        Self(UnsafePropertyChunk.integer(chunk, row))
    }

    @inlinable @inline(__always)
    public static func _loadOptional(
        _ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int
    ) -> Self? {
        UnsafePropertyChunk.isNullInteger(chunk, row) ? nil : Self(UnsafePropertyChunk.integer(chunk, row))
    }

    public static func _decode(_ stored: _StoredValue) -> Self? {
        if case .value(.int(let value)) = stored.content { Self(value) } else { nil }
    }

    public var _rlmEncoded: _StoredValue { _StoredValue(.int(Int64(self))) }
}

extension Int: _PersistableInteger {}
extension Int8: _PersistableInteger {}
extension Int16: _PersistableInteger {}
extension Int32: _PersistableInteger {}
extension Int64: _PersistableInteger {}
