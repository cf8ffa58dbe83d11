import Foundation
import Model

extension Bool: _PersistableInsideOptional, _RealmCollectionValueInsideOptional, _Indexable, _PrimaryKey,
    _DefaultConstructible, SortableType, KeypathSortable
{
    public typealias PersistedType = Bool

    public static var _shape: _PropertyShape { _PropertyShape(.bool) }

    public static func _defaultValue() -> Bool { false }

    @inlinable @inline(__always)
    public static func _load(_ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int) -> Bool {
        UnsafePropertyChunk.integer(chunk, row) != 0
    }

    @inlinable @inline(__always)
    public static func _loadOptional(
        _ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int
    ) -> Bool? {
        UnsafePropertyChunk.isNullInteger(chunk, row) ? nil : UnsafePropertyChunk.integer(chunk, row) != 0
    }

    public static func _decode(_ stored: _StoredValue) -> Bool? {
        if case .value(.bool(let value)) = stored.content { value } else { nil }
    }

    public var _rlmEncoded: _StoredValue { _StoredValue(.bool(self)) }
}

extension Float: _PersistableInsideOptional, _RealmCollectionValueInsideOptional, _DefaultConstructible, MinMaxType,
    AddableType, SortableType, KeypathSortable, _QueryNumeric
{
    public typealias PersistedType = Float

    public static var _shape: _PropertyShape { _PropertyShape(.float) }

    public static func _defaultValue() -> Float { 0 }

    @inlinable @inline(__always)
    public static func _load(_ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int) -> Float {
        chunk.loadUnaligned(fromByteOffset: 16 + row << 2, as: Float.self)
    }

    @inlinable @inline(__always)
    public static func _loadOptional(
        _ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int
    ) -> Float? {
        UnsafePropertyChunk.isNull(chunk, row, fixedWidth: 4) ? nil : _load(chunk, row, object, index)
    }

    public static func _decode(_ stored: _StoredValue) -> Float? {
        if case .value(.float(let value)) = stored.content { value } else { nil }
    }

    public var _rlmEncoded: _StoredValue { _StoredValue(.float(self)) }
}

extension Double: _PersistableInsideOptional, _RealmCollectionValueInsideOptional, _DefaultConstructible, MinMaxType,
    AddableType, SortableType, KeypathSortable, _QueryNumeric
{
    public typealias PersistedType = Double

    public static var _shape: _PropertyShape { _PropertyShape(.double) }

    public static func _defaultValue() -> Double { 0 }

    @inlinable @inline(__always)
    public static func _load(_ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int) -> Double {
        chunk.loadUnaligned(fromByteOffset: 16 + row << 3, as: Double.self)
    }

    @inlinable @inline(__always)
    public static func _loadOptional(
        _ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int
    ) -> Double? {
        UnsafePropertyChunk.isNull(chunk, row, fixedWidth: 8) ? nil : _load(chunk, row, object, index)
    }

    public static func _decode(_ stored: _StoredValue) -> Double? {
        if case .value(.double(let value)) = stored.content { value } else { nil }
    }

    public var _rlmEncoded: _StoredValue { _StoredValue(.double(self)) }
}

extension String: _PersistableInsideOptional, _RealmCollectionValueInsideOptional, _PrimaryKey, _Indexable, _MapKey,
    _DefaultConstructible, SortableType, KeypathSortable, _QueryString
{
    public typealias PersistedType = String

    public static var _shape: _PropertyShape { _PropertyShape(.string) }

    public static func _defaultValue() -> String { "" }

    @inlinable @inline(__always)
    public static func _load(_ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int) -> String {
        if let bytes = UnsafePropertyChunk.bytes(chunk, row) { return String(decoding: bytes, as: UTF8.self) }
        return _get(object, index)
    }

    @inlinable @inline(__always)
    public static func _loadOptional(
        _ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int
    ) -> String? {
        if let bytes = UnsafePropertyChunk.bytes(chunk, row) { return String(decoding: bytes, as: UTF8.self) }
        return Optional<String>._get(object, index)
    }

    public static func _decode(_ stored: _StoredValue) -> String? {
        if case .value(.string(let value)) = stored.content { value } else { nil }
    }

    public var _rlmEncoded: _StoredValue { _StoredValue(.string(self)) }
}

extension Data: _PersistableInsideOptional, _RealmCollectionValueInsideOptional, _DefaultConstructible, SortableType,
    _QueryBinary
{
    public typealias PersistedType = Data

    public static var _shape: _PropertyShape { _PropertyShape(.binary) }

    public static func _defaultValue() -> Data { Data() }

    @inlinable @inline(__always)
    public static func _load(_ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int) -> Data {
        if let bytes = UnsafePropertyChunk.bytes(chunk, row) { return Data(bytes) }
        return _get(object, index)
    }

    @inlinable @inline(__always)
    public static func _loadOptional(
        _ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int
    ) -> Data? {
        if let bytes = UnsafePropertyChunk.bytes(chunk, row) { return Data(bytes) }
        return Optional<Data>._get(object, index)
    }

    public static func _decode(_ stored: _StoredValue) -> Data? {
        if case .value(.binary(let value)) = stored.content { value } else { nil }
    }

    public var _rlmEncoded: _StoredValue { _StoredValue(.binary(self)) }
}

extension Date: _PersistableInsideOptional, _RealmCollectionValueInsideOptional, _Indexable, _DefaultConstructible,
    MinMaxType, SortableType, KeypathSortable, _QueryNumeric
{
    public typealias PersistedType = Date

    public static var _shape: _PropertyShape { _PropertyShape(.timestamp) }

    public static func _defaultValue() -> Date { Date() }

    @inlinable @inline(__always)
    public static func _load(_ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int) -> Date {
        let seconds = chunk.loadUnaligned(fromByteOffset: 16 + row << 3, as: Int64.self)
        var nanoseconds: Int32 = 0
        if UnsafePropertyChunk.flags(chunk) & 2 == 0 {
            nanoseconds = chunk.loadUnaligned(
                fromByteOffset: 16 + UnsafePropertyChunk.count(chunk) << 3 + row << 2, as: Int32.self)
        }
        return Date(_seconds: seconds, nanoseconds: nanoseconds)
    }

    @inlinable @inline(__always)
    public static func _loadOptional(
        _ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int
    ) -> Date? {
        let width = UnsafePropertyChunk.flags(chunk) & 2 == 0 ? 12 : 8
        return UnsafePropertyChunk.isNull(chunk, row, fixedWidth: width) ? nil : _load(chunk, row, object, index)
    }

    public static func _decode(_ stored: _StoredValue) -> Date? {
        if case .value(.timestamp(let value)) = stored.content { value.date } else { nil }
    }

    public var _rlmEncoded: _StoredValue { _StoredValue(.timestamp(Timestamp(self))) }
}

extension UUID: _PersistableInsideOptional, _RealmCollectionValueInsideOptional, _PrimaryKey, _Indexable,
    _DefaultConstructible, SortableType, KeypathSortable
{
    public typealias PersistedType = UUID

    public static var _shape: _PropertyShape { _PropertyShape(.uuid) }

    public static func _defaultValue() -> UUID { UUID() }

    @inlinable @inline(__always)
    public static func _load(_ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int) -> UUID {
        UUID(uuid: chunk.loadUnaligned(fromByteOffset: 16 + row << 4, as: uuid_t.self))
    }

    @inlinable @inline(__always)
    public static func _loadOptional(
        _ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int
    ) -> UUID? {
        UnsafePropertyChunk.isNull(chunk, row, fixedWidth: 16) ? nil : _load(chunk, row, object, index)
    }

    public static func _decode(_ stored: _StoredValue) -> UUID? {
        if case .value(.uuid(let value)) = stored.content { value } else { nil }
    }

    public var _rlmEncoded: _StoredValue { _StoredValue(.uuid(self)) }
}
