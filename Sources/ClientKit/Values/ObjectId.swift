import Foundation
import Model

/// A 12-byte identifier: the second it was made in, a random part, a counter. Unique over machines without agreement.
public final class ObjectId: Sendable {
    package let value: Model.ObjectId

    package init(_ value: Model.ObjectId) {
        self.value = value
    }

    /// An identifier of zeros.
    public init() {
        value = Model.ObjectId()
    }

    /// The identifier with these 24 hexadecimal digits. Throws `Realm.Error.invalidInput` for anything else.
    public convenience init(string: String) throws {
        guard let value = Model.ObjectId(string) else {
            throw Realm.Error(.invalidInput, "Invalid Object ID string '\(string)': must be 24 hex digits.")
        }
        self.init(value)
    }

    /// The identifier with these 24 hexadecimal digits. Traps for anything else.
    public convenience init(_ string: StaticString) {
        guard let value = Model.ObjectId(string.description) else {
            fail(Mistake("Invalid Object ID string '\(string)': must be 24 hex digits."))
        }
        self.init(value)
    }

    /// An identifier of a given second, machine and process; its counter is the next one.
    public convenience init(timestamp: Date, machineId: Int, processId: Int) {
        let seconds = UInt64(UInt32(truncatingIfNeeded: Int64(timestamp.timeIntervalSince1970)))
        let machine = UInt64(machineId & 0xFF_FFFF)
        let process = UInt64(processId & 0xFFFF)
        let counter = Model.ObjectId.generate().low & 0xFF_FFFF
        self.init(
            Model.ObjectId(
                high: seconds << 32 | machine << 8 | process >> 8, low: UInt32(process & 0xFF) << 24 | counter))
    }

    /// A new identifier, from any thread.
    public static func generate() -> ObjectId {
        ObjectId(Model.ObjectId.generate())
    }

    /// When it was made, to the second.
    public var timestamp: Date {
        Date(timeIntervalSince1970: TimeInterval(value.high >> 32))
    }

    /// 24 hexadecimal digits.
    public var stringValue: String { value.description }
}

extension ObjectId: Hashable, Comparable {
    public static func == (a: ObjectId, b: ObjectId) -> Bool { a.value == b.value }
    public static func < (a: ObjectId, b: ObjectId) -> Bool { a.value < b.value }
    public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension ObjectId: CustomStringConvertible {
    public var description: String { stringValue }
}

extension ObjectId: Codable {
    public convenience init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let string = try container.decode(String.self)
        guard let value = Model.ObjectId(string) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "'\(string)' is no Object ID: it must be 24 hex digits.")
        }
        self.init(value)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stringValue)
    }
}

extension ObjectId: _PersistableInsideOptional, _RealmCollectionValueInsideOptional, _PrimaryKey, _Indexable,
    _DefaultConstructible, SortableType, KeypathSortable
{
    public typealias PersistedType = ObjectId

    public static var _shape: _PropertyShape { _PropertyShape(.objectId) }

    public static func _defaultValue() -> ObjectId { generate() }

    @inlinable
    public static func _load(_ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int) -> ObjectId {
        ObjectId(_bytes: chunk + (16 + row &* 12))
    }

    @inlinable
    public static func _loadOptional(
        _ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int
    ) -> ObjectId? {
        UnsafePropertyChunk.isNull(chunk, row, fixedWidth: 12) ? nil : _load(chunk, row, object, index)
    }

    @usableFromInline
    convenience init(_bytes bytes: UnsafeRawPointer) {
        self.init(Model.ObjectId(loading: bytes))
    }

    public static func _decode(_ stored: _StoredValue) -> ObjectId? {
        if case .value(.objectId(let value)) = stored.content { ObjectId(value) } else { nil }
    }

    public var _rlmEncoded: _StoredValue { _StoredValue(.objectId(value)) }
}
