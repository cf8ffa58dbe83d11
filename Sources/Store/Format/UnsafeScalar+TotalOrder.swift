import Foundation
import Model

extension UnsafeScalar {
    /// Types in the order in which values of different types are sorted.
    var typeRank: Int {
        switch self {
        case .null: 0
        case .bool: 1
        case .int, .float, .double, .decimal: 2
        case .string: 3
        case .binary: 4
        case .timestamp: 5
        case .objectId: 6
        case .uuid: 7
        case .link: 8
        case .list: 9
        case .dictionary: 10
        }
    }

    /// The order in which sets are kept: by type, then by value; NaN before other numbers. Values that are equal
    /// here are the same element of a set (C-167). Links are ordered by table and object key.
    func totalOrder(_ other: UnsafeScalar) -> ValueOrder {
        if typeRank != other.typeRank { return ValueOrder(typeRank, other.typeRank) }
        switch (self, other) {
        case (.null, .null): return .equal
        case (.list(let a), .list(let b)), (.dictionary(let a), .dictionary(let b)): return ValueOrder(a, b)
        case (.link(let tableA, let a), .link(let tableB, let b)):
            return tableA == tableB ? ValueOrder(a, b) : ValueOrder(tableA, tableB)
        default: break
        }
        let order = order(other)
        guard order == .none else { return order }
        guard isNaN, other.isNaN else { return isNaN ? .less : .greater }
        // NaNs of a float or double differ by their bits; one of a decimal equals each.
        guard let a = widenedBits, let b = other.widenedBits else { return .equal }
        return ValueOrder(a, b)
    }

    private var widenedBits: UInt64? {
        switch self {
        case .float(let value): Double(value).bitPattern
        case .double(let value): value.bitPattern
        default: nil
        }
    }
}

extension ChunkBuilder {
    /// The value in a row that isn't external; of a link, the key in whatever table.
    func withScalar<R>(_ row: Int, _ body: (UnsafeScalar) -> R) -> R {
        if nulls[row] { return body(.null) }
        switch kind {
        case .string: return withBytes(row) { body(.string($0)) }
        case .binary: return withBytes(row) { body(.binary($0)) }
        case .mixed: return withBytes(row) { body(MixedCoding.decode($0)) }
        case .link: return body(.link(TableId(0), ObjectKey(first[row] - 1)))
        default: return value(row).withScalar { body($0) }
        }
    }
}

extension Value {
    /// The value as a scalar. Links have none without a realm: they are null here.
    func withScalar<R>(_ body: (UnsafeScalar) throws -> R) rethrows -> R {
        switch self {
        case .null, .link: return try body(.null)
        case .int(let value): return try body(.int(value))
        case .bool(let value): return try body(.bool(value))
        case .float(let value): return try body(.float(value))
        case .double(let value): return try body(.double(value))
        case .decimal(let value): return try body(.decimal(value))
        case .timestamp(let value): return try body(.timestamp(value))
        case .objectId(let value): return try body(.objectId(value))
        case .uuid(let value): return try body(.uuid(value))
        case .string(var value): return try value.withUTF8 { try body(.string(UnsafeRawBufferPointer($0))) }
        case .malformedString(let bytes): return try bytes.withUnsafeBytes { try body(.string($0)) }
        case .binary(let value): return try value.withUnsafeBytes { try body(.binary($0)) }
        }
    }
}
