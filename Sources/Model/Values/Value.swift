import Foundation

/// The primary key of an object, as it travels (C-37). Strings are equal if their bytes are: Unicode's canonical
/// equivalence would take two objects for one.
public enum PrimaryKey: Sendable {
    case null
    case int(Int64)
    case string(String)
    case objectId(ObjectId)
    case uuid(UUID)
    /// Key of an object in a class without declared key: the file that created it, and a number of that file (C-8).
    case global(high: UInt64, low: UInt64)
}

extension PrimaryKey: Hashable {
    public static func == (a: PrimaryKey, b: PrimaryKey) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.int(let a), .int(let b)): a == b
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.objectId(let a), .objectId(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.global(let highA, let lowA), .global(let highB, let lowB)): highA == highB && lowA == lowB
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .int(let value): hasher.combine(value)
        case .string(let value): value.hashBytes(into: &hasher)
        case .objectId(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .global(let high, let low):
            hasher.combine(high)
            hasher.combine(low)
        }
    }
}

extension String {
    /// Hashes the UTF-8 bytes as they are.
    func hashBytes(into hasher: inout Hasher) {
        var copy = self
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// A reference to an object by class name and primary key.
public struct Link: Hashable, Sendable {
    public var className: String
    public var key: PrimaryKey

    public init(className: String, key: PrimaryKey) {
        self.className = className
        self.key = key
    }
}

/// What a property or an element can hold. Equality is by representation: `.int(1) != .double(1)`, NaN equals
/// itself if the bits do; queries and sorting have comparisons of their own.
public enum Value: Sendable {
    case null
    case int(Int64)
    case bool(Bool)
    case string(String)
    /// A string whose bytes are not UTF-8. The codec carries it unharmed (C-26); the store refuses it.
    case malformedString([UInt8])
    case binary(Data)
    case timestamp(Timestamp)
    case float(Float)
    case double(Double)
    case decimal(Decimal128)
    case link(Link)
    case objectId(ObjectId)
    case uuid(UUID)
}

extension Value: Hashable {
    public static func == (a: Value, b: Value) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.int(let a), .int(let b)): a == b
        case (.bool(let a), .bool(let b)): a == b
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.malformedString(let a), .malformedString(let b)): a == b
        case (.binary(let a), .binary(let b)): a == b
        case (.timestamp(let a), .timestamp(let b)): a == b
        case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern
        case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
        case (.decimal(let a), .decimal(let b)): a == b
        case (.link(let a), .link(let b)): a == b
        case (.objectId(let a), .objectId(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .int(let value): hasher.combine(value)
        case .bool(let value): hasher.combine(value)
        case .string(let value): value.hashBytes(into: &hasher)
        case .malformedString(let value): hasher.combine(value)
        case .binary(let value): hasher.combine(value)
        case .timestamp(let value): hasher.combine(value)
        case .float(let value): hasher.combine(value.bitPattern)
        case .double(let value): hasher.combine(value.bitPattern)
        case .decimal(let value): hasher.combine(value)
        case .link(let value): hasher.combine(value)
        case .objectId(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        }
    }
}
