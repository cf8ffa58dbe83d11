import Foundation
import Model

/// Values of type `Any` as what a property stores (XR-19). Numbers convert between each other: to integers if exact,
/// to floating point by rounding.
enum AnyCoercion {
    /// Nil also if the value is no number.
    static func integer(_ value: Any) -> Int64? {
        switch value {
        case let value as any BinaryInteger: return Int64(exactly: value)
        case let value as Bool: return value ? 1 : 0
        case let value as Double: return Int64(exactly: value)
        case let value as Float: return Int64(exactly: value)
        case let value as NSNumber:
            return value.doubleValue == Double(value.int64Value) ? value.int64Value : nil
        case let value as Decimal128: return Int64(exactly: value.doubleValue)
        default: return nil
        }
    }

    static func double(_ value: Any) -> Double? {
        switch value {
        case let value as Double: return value
        case let value as Float: return Double(value)
        case let value as any BinaryInteger: return Double(value)
        case let value as Bool: return value ? 1 : 0
        case let value as NSNumber: return value.doubleValue
        case let value as Decimal128: return value.doubleValue
        default: return nil
        }
    }

    static func bool(_ value: Any) -> Bool? {
        if let value = value as? Bool { return value }
        switch integer(value) {
        case 0: return false
        case 1: return true
        default: return nil
        }
    }

    static func decimal(_ value: Any) -> Model.Decimal128? {
        switch value {
        case let value as Decimal128: return value.value
        case let value as String: return Model.Decimal128(value) ?? .nan
        case let value as Decimal: return Model.Decimal128("\(value)")
        case let value as any BinaryInteger: return Model.Decimal128(String(value))
        case let value as Bool: return Model.Decimal128(value ? Int64(1) : 0)
        case let value as Float: return Model.Decimal128("\(value)")
        case let value as Double: return Model.Decimal128("\(value)")
        case let value as NSNumber: return Model.Decimal128(value.stringValue)
        default: return nil
        }
    }

    /// A value for a column of the type; nil if it can't be one. `nil` and `NSNull` are null.
    static func stored(_ value: Any, as type: ValueType) -> _StoredValue? {
        let value = unwrapped(value)
        guard let value else { return .null }
        switch type {
        case .int: if let value = integer(value) { return _StoredValue(.int(value)) }
        case .bool: if let value = bool(value) { return _StoredValue(.bool(value)) }
        case .float: if let value = double(value) { return _StoredValue(.float(Float(value))) }
        case .double: if let value = double(value) { return _StoredValue(.double(value)) }
        case .decimal: if let value = decimal(value) { return _StoredValue(.decimal(value)) }
        case .string:
            if let value = value as? String { return _StoredValue(.string(value)) }
            if let value = value as? NSString { return _StoredValue(.string(value.description)) }
        case .binary: if let value = value as? Data { return _StoredValue(.binary(value)) }
        case .timestamp: if let value = value as? Date { return _StoredValue(.timestamp(Timestamp(value))) }
        case .objectId: if let value = value as? ObjectId { return _StoredValue(.objectId(value.value)) }
        case .uuid: if let value = value as? UUID { return _StoredValue(.uuid(value)) }
        case .link: if let value = value as? ObjectBase { return _StoredValue(value) }
        case .mixed: return AnyRealmValue(any: value)?._rlmEncoded
        }
        if let custom = value as? any _CustomPersistable { return custom._rlmEncoded }
        // An enumeration stands for its raw value.
        if let value = value as? any RawRepresentable { return stored(value.rawValue, as: type) }
        return nil
    }

    /// The value inside of optionals; nil for `nil` and `NSNull`.
    static func unwrapped(_ value: Any) -> Any? {
        if value is NSNull { return nil }
        guard let optional = value as? any AnyOptional else { return value }
        return optional.wrappedAny.flatMap { unwrapped($0) }
    }

    /// A primary key of a class.
    static func primaryKey<Key>(_ value: Key, as type: ValueType) -> PrimaryKey? {
        // What keys mostly are, without boxes and casts.
        func given<Given>(as type: Given.Type) -> Given {
            withUnsafeBytes(of: value) { $0.assumingMemoryBound(to: type)[0] }
        }
        switch type {
        case .objectId where Key.self == ObjectId.self: return .objectId(given(as: ObjectId.self).value)
        case .int where Key.self == Int.self: return .int(Int64(given(as: Int.self)))
        case .string where Key.self == String.self: return .string(given(as: String.self))
        case .uuid where Key.self == UUID.self: return .uuid(given(as: UUID.self))
        default: break
        }
        guard let stored = stored(value, as: type) else { return nil }
        return PrimaryKey(stored)
    }
}

/// An optional whose type isn't known.
protocol AnyOptional {
    var wrappedAny: Any? { get }
}

extension Optional: AnyOptional {
    var wrappedAny: Any? { self }
}

extension PrimaryKey {
    /// The key that a stored value is; nil if its type can't be one.
    package init?(_ stored: _StoredValue) {
        guard case .value(let value) = stored.content, let key = value.primaryKey else { return nil }
        self = key
    }
}
