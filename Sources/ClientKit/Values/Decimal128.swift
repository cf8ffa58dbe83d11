import Foundation
import Model

/// A decimal floating-point number with 34 digits (IEEE 754-2008).
///
/// `==` and `<` compare numbers: 1.0 equals 1.00, NaN equals nothing.
public final class Decimal128: Sendable {
    package let value: Model.Decimal128

    package init(_ value: Model.Decimal128) {
        self.value = value
    }

    /// Zero.
    public init() {
        value = .zero
    }

    /// The decimal of a number, a string or a decimal. Traps for values of other kinds.
    public convenience init(value: Any) {
        guard let decimal = AnyCoercion.decimal(value) else {
            fail(Mistake("Cannot convert value '\(value)' of type '\(Swift.type(of: value))' to decimal128."))
        }
        self.init(decimal)
    }

    public convenience init(number: NSNumber) {
        self.init(Model.Decimal128(number.stringValue) ?? .nan)
    }

    /// The decimal that is written in a string; NaN if it is no number.
    public convenience init(string: String) throws {
        self.init(Model.Decimal128(string) ?? .nan)
    }

    public convenience init?<T: BinaryInteger>(exactly source: T) {
        guard let value = Model.Decimal128(String(source)), String(source.magnitude).utf8.count <= 34 else {
            return nil
        }
        self.init(value)
    }

    public required convenience init(integerLiteral value: Int64) {
        self.init(Model.Decimal128(value))
    }

    public required convenience init(floatLiteral value: Double) {
        // The shortest text of the literal is what was written.
        self.init(Model.Decimal128("\(value)") ?? Model.Decimal128(value))
    }

    public required convenience init(stringLiteral value: String) {
        self.init(Model.Decimal128(value) ?? .nan)
    }

    /// The negative.
    public func negate() -> Decimal128 { Decimal128(-value) }

    public var isNaN: Bool { value.isNaN }
    public var isSignaling: Bool { value.isSignalingNaN }
    public var isSignalingNaN: Bool { value.isSignalingNaN }

    /// The least number.
    public static var min: Decimal128 {
        Decimal128(Model.Decimal128("-9.999999999999999999999999999999999E6144") ?? .nan)
    }
    /// The greatest number.
    public static var max: Decimal128 {
        Decimal128(Model.Decimal128("9.999999999999999999999999999999999E6144") ?? .nan)
    }

    public var stringValue: String { value.description }
    public var doubleValue: Double { Double(value) }
    /// As Foundation's decimal, rounded to what that can hold.
    public var decimalValue: Decimal { Decimal(string: stringValue) ?? .nan }

    public func distance(to other: Decimal128) -> Decimal128 { other - self }
    public func advanced(by distance: Decimal128) -> Decimal128 { self + distance }
}

extension Decimal128: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral {}

extension Decimal128: Numeric {
    public var magnitude: Decimal128 { value.isNegative ? negate() : self }
    public static func + (a: Decimal128, b: Decimal128) -> Decimal128 { Decimal128(a.value + b.value) }
    public static func - (a: Decimal128, b: Decimal128) -> Decimal128 { Decimal128(a.value - b.value) }
    public static func * (a: Decimal128, b: Decimal128) -> Decimal128 { Decimal128(a.value * b.value) }
    public static func *= (a: inout Decimal128, b: Decimal128) { a = a * b }
    public static func / (a: Decimal128, b: Decimal128) -> Decimal128 { Decimal128(a.value / b.value) }
}

extension Decimal128: Hashable, Comparable {
    public static func == (a: Decimal128, b: Decimal128) -> Bool { a.value.compare(b.value) == .orderedSame }
    public static func < (a: Decimal128, b: Decimal128) -> Bool { a.value.compare(b.value) == .orderedAscending }
    public static func > (a: Decimal128, b: Decimal128) -> Bool { b < a }
    public static func <= (a: Decimal128, b: Decimal128) -> Bool { a < b || a == b }
    public static func >= (a: Decimal128, b: Decimal128) -> Bool { b <= a }
    public func hash(into hasher: inout Hasher) {
        // Equal numbers of different forms are one number as a double, too.
        hasher.combine(doubleValue)
    }
}

extension Decimal128: CustomStringConvertible {
    public var description: String { stringValue }
}

extension Decimal128: Codable {
    public convenience init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            guard let value = Model.Decimal128(text) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is no decimal.")
            }
            self.init(value)
        } else if let integer = try? container.decode(Int64.self) {
            self.init(Model.Decimal128(integer))
        } else {
            self.init(floatLiteral: try container.decode(Double.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stringValue)
    }
}

extension Decimal128: _PersistableInsideOptional, _RealmCollectionValueInsideOptional, _DefaultConstructible,
    MinMaxType, AddableType, SortableType, KeypathSortable, _QueryNumeric
{
    public typealias PersistedType = Decimal128

    public static var _shape: _PropertyShape { _PropertyShape(.decimal) }

    public static func _defaultValue() -> Decimal128 { Decimal128() }

    @inlinable
    public static func _load(_ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int) -> Decimal128 {
        Decimal128(_bytes: chunk + (16 + row << 4))
    }

    @inlinable
    public static func _loadOptional(
        _ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int
    ) -> Decimal128? {
        UnsafePropertyChunk.isNull(chunk, row, fixedWidth: 16) ? nil : _load(chunk, row, object, index)
    }

    @usableFromInline
    convenience init(_bytes bytes: UnsafeRawPointer) {
        self.init(
            Model.Decimal128(
                low: UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)),
                high: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))))
    }

    public static func _decode(_ stored: _StoredValue) -> Decimal128? {
        if case .value(.decimal(let value)) = stored.content { Decimal128(value) } else { nil }
    }

    public var _rlmEncoded: _StoredValue { _StoredValue(.decimal(value)) }
}
