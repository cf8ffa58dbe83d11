import Foundation

// What is in it, or nil if that is of another kind.
extension AnyBSON {
    public var int32Value: Int32? { if case .int32(let value) = self { value } else { nil } }
    public var int64Value: Int64? { if case .int64(let value) = self { value } else { nil } }
    public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }
    public var decimal128Value: Decimal128? { if case .decimal128(let value) = self { value } else { nil } }
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    public var binaryValue: Data? { if case .binary(let value) = self { value } else { nil } }
    public var objectIdValue: ObjectId? { if case .objectId(let value) = self { value } else { nil } }
    public var uuidValue: UUID? { if case .uuid(let value) = self { value } else { nil } }
    public var dateValue: Date? { if case .datetime(let value) = self { value } else { nil } }
    public var timestampValue: Date? { if case .timestamp(let value) = self { value } else { nil } }
    public var regexValue: NSRegularExpression? { if case .regex(let value) = self { value } else { nil } }
    public var arrayValue: [AnyBSON?]? { if case .array(let value) = self { value } else { nil } }
    public var documentValue: Document? { if case .document(let value) = self { value } else { nil } }

    /// Whether it is null.
    public var isNull: Bool { self == .null }
}

// Numbers of one kind as another, where nothing is lost.
extension AnyBSON {
    /// The number as an integer; nil if it is none.
    public func asInt() -> Int? { asInt64().flatMap { Int(exactly: $0) } }

    /// The number as an integer of 32 bits; nil if it is none, or too large.
    public func asInt32() -> Int32? { asInt64().flatMap { Int32(exactly: $0) } }

    /// The number as an integer of 64 bits; nil if it is none.
    public func asInt64() -> Int64? {
        switch self {
        case .int32(let value): Int64(value)
        case .int64(let value): value
        case .double(let value): Int64(exactly: value)
        case .decimal128(let value): Int64(exactly: value.doubleValue)
        default: nil
        }
    }

    /// The number as a double; nil if it is no number.
    public func asDouble() -> Double? {
        switch self {
        case .double(let value): value
        case .int32(let value): Double(value)
        case .int64(let value): Double(exactly: value)
        case .decimal128(let value): value.doubleValue
        default: nil
        }
    }

    /// The number as a decimal; nil if it is no number.
    public func asDecimal128() -> Decimal128? {
        switch self {
        case .decimal128(let value): value
        case .int32(let value): Decimal128(integerLiteral: Int64(value))
        case .int64(let value): Decimal128(integerLiteral: value)
        case .double(let value): Decimal128(floatLiteral: value)
        default: nil
        }
    }

    /// The value, if it is of the type that is asked for.
    public func value<T: BSON>() -> T? {
        switch self {
        case .double(let value): value as? T
        case .string(let value): value as? T
        case .document(let value): value as? T
        case .array(let value): value as? T
        case .binary(let value): value as? T
        case .objectId(let value): value as? T
        case .bool(let value): value as? T
        case .datetime(let value), .timestamp(let value): value as? T
        case .regex(let value): value as? T
        case .int32(let value): value as? T
        case .int64(let value): T.self == Int.self ? Int(value) as? T : value as? T
        case .decimal128(let value): value as? T
        case .uuid(let value): value as? T
        case .minKey: MinKey() as? T
        case .maxKey: MaxKey() as? T
        case .null: T.self == NSNull.self ? NSNull() as? T : nil
        }
    }
}
