import Foundation

/// A value of any kind that a document can hold.
///
///     let document: Document = ["name": "Rex", "age": 3, "toys": ["ball", nil]]
public enum AnyBSON: BSON, Hashable {
    case double(Double)
    case string(String)
    case document(Document)
    case array([AnyBSON?])
    case binary(Data)
    case objectId(ObjectId)
    case bool(Bool)
    case datetime(Date)
    case regex(NSRegularExpression)
    case int32(Int32)
    /// A second, for the server's own use; not a date.
    case timestamp(Date)
    case int64(Int64)
    case decimal128(Decimal128)
    case uuid(UUID)
    case minKey
    case maxKey
    case null

    /// An integer, as `int64`.
    public init(_ value: Int) {
        self = .int64(Int64(value))
    }

    /// The value of any of the types that documents can hold.
    public init<T: BSON>(_ bson: T) {
        self =
            switch bson {
            case let value as AnyBSON: value
            // Before the numbers, to which Foundation's own kinds would be cast.
            case is NSNull: .null
            case let value as Bool where T.self == Bool.self: .bool(value)
            case let value as Int: .int64(Int64(value))
            case let value as Int32: .int32(value)
            case let value as Int64: .int64(value)
            case let value as Double: .double(value)
            case let value as String: .string(value)
            case let value as Data: .binary(value)
            case let value as Date: .datetime(value)
            case let value as Decimal128: .decimal128(value)
            case let value as ObjectId: .objectId(value)
            case let value as UUID: .uuid(value)
            case let value as Document: .document(value)
            case let value as [AnyBSON?]: .array(value)
            case let value as NSRegularExpression: .regex(value)
            case is MinKey: .minKey
            case is MaxKey: .maxKey
            default: fail(Mistake("Cannot convert a value of type '\(T.self)' to BSON."))
            }
    }
}

// MARK: - Literals
extension AnyBSON: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
}

extension AnyBSON: ExpressibleByBooleanLiteral {
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension AnyBSON: ExpressibleByFloatLiteral {
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension AnyBSON: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) { self = .int64(value) }
}

extension AnyBSON: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, AnyBSON?)...) {
        self = .document(Document(elements) { $1 })
    }
}

extension AnyBSON: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: AnyBSON?...) { self = .array(elements) }
}
