import Foundation
import Model

/// A value as the evaluation handles it: strings and binaries are bytes in mapped memory or in the query's constants,
/// links are object keys. Nothing is copied.
enum UnsafeScalar: @unchecked Sendable {
    case null
    case int(Int64)
    case bool(Bool)
    case float(Float)
    case double(Double)
    case decimal(Decimal128)
    case string(UnsafeRawBufferPointer)
    case binary(UnsafeRawBufferPointer)
    case timestamp(Timestamp)
    case objectId(ObjectId)
    case uuid(UUID)
    case link(TableId, ObjectKey)
    case list(NestedId)
    case dictionary(NestedId)

    var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// A list or dictionary inside a Mixed.
    var isCollection: Bool {
        switch self {
        case .list, .dictionary: true
        default: false
        }
    }

    /// The bytes of a string or binary.
    var bytes: UnsafeRawBufferPointer? {
        switch self {
        case .string(let bytes), .binary(let bytes): bytes
        default: nil
        }
    }
}

/// How two values stand to each other.
enum ValueOrder {
    case less, equal, greater
    /// NaN is one of them, or they can't be compared.
    case none

    var reversed: ValueOrder {
        switch self {
        case .less: .greater
        case .greater: .less
        case .equal, .none: self
        }
    }

    init<T: Comparable>(_ a: T, _ b: T) {
        self = a < b ? .less : a == b ? .equal : a > b ? .greater : .none
    }

    init(_ result: ComparisonResult?) {
        switch result {
        case .orderedAscending: self = .less
        case .orderedSame: self = .equal
        case .orderedDescending: self = .greater
        case nil: self = .none
        }
    }
}

extension UnsafeScalar {
    /// Compares two non-null values: numbers by mathematical value whatever their types, others within their
    /// type.
    func order(_ other: UnsafeScalar) -> ValueOrder {
        switch (self, other) {
        case (.int(let a), .int(let b)): ValueOrder(a, b)
        case (.string(let a), .string(let b)), (.binary(let a), .binary(let b)): a.order(b)
        case (.timestamp(let a), .timestamp(let b)): ValueOrder(a, b)
        case (.double(let a), .double(let b)): ValueOrder(a, b)
        case (.float(let a), .float(let b)): ValueOrder(a, b)
        case (.bool(let a), .bool(let b)): ValueOrder(a ? 1 : 0, b ? 1 : 0)
        case (.objectId(let a), .objectId(let b)): ValueOrder(a, b)
        case (.uuid(let a), .uuid(let b)):
            withUnsafeBytes(of: a.uuid) { a in withUnsafeBytes(of: b.uuid) { b in a.order(b) } }
        case (.link(let tableA, let a), .link(let tableB, let b)): tableA == tableB && a == b ? .equal : .none
        case (.int(let a), .double(let b)): UnsafeScalar.order(a, b)
        case (.double(let a), .int(let b)): UnsafeScalar.order(b, a).reversed
        case (.int(let a), .float(let b)): UnsafeScalar.order(a, Double(b))
        case (.float(let a), .int(let b)): UnsafeScalar.order(b, Double(a)).reversed
        case (.float(let a), .double(let b)): ValueOrder(Double(a), b)
        case (.double(let a), .float(let b)): ValueOrder(a, Double(b))
        case (.decimal(let a), _): other.asDecimal.map { ValueOrder(a.compare($0)) } ?? .none
        case (_, .decimal(let b)): asDecimal.map { ValueOrder($0.compare(b)) } ?? .none
        default: .none
        }
    }

    /// A number as a decimal, floating-point ones rounded to the digits that they promise.
    var asDecimal: Decimal128? {
        switch self {
        case .decimal(let value): value
        case .int(let value): Decimal128(value)
        case .double(let value): Decimal128(value)
        case .float(let value): Decimal128(value)
        default: nil
        }
    }

    /// Exact comparison: the integer isn't rounded.
    static func order(_ a: Int64, _ b: Double) -> ValueOrder {
        if b.isNaN { return .none }
        if b >= 0x1p63 { return .less }
        if b < -0x1p63 { return .greater }
        let whole = Int64(b.rounded(.towardZero))
        if a != whole { return a < whole ? .less : .greater }
        let rest = b - Double(whole)
        return rest > 0 ? .less : rest < 0 ? .greater : .equal
    }
}

extension UnsafeRawBufferPointer {
    /// Bytewise, the shorter first on an equal beginning.
    func order(_ other: UnsafeRawBufferPointer) -> ValueOrder {
        let common = Swift.min(count, other.count)
        if common > 0, let a = baseAddress, let b = other.baseAddress {
            let difference = memcmp(a, b, common)
            if difference != 0 { return difference < 0 ? .less : .greater }
        }
        return ValueOrder(count, other.count)
    }

    func isEqual(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard count > 0, let a = baseAddress, let b = other.baseAddress else { return true }
        return memcmp(a, b, count) == 0
    }
}
