import Foundation

extension Value {
    /// Types in the order in which values of different types are sorted.
    private var rank: Int {
        switch self {
        case .null: 0
        case .bool: 1
        case .int, .float, .double, .decimal: 2
        case .string, .malformedString: 3
        case .binary: 4
        case .timestamp: 5
        case .objectId: 6
        case .uuid: 7
        case .link: 8
        }
    }

    /// The order of sorts, distinct, minimum and maximum: by type, then by value; strings and binaries by bytes, NaN
    /// before all other numbers. Numbers of different types are equal if their values are.
    public func compareForSort(_ other: Value) -> ComparisonResult {
        switch (self, other) {
        case (.int(let a), .int(let b)): Self.order(a, b)
        case (.string(let a), .string(let b)): Self.orderBytes(a.utf8, b.utf8)
        case (.bool(let a), .bool(let b)): Self.order(a ? 1 : 0, b ? 1 : 0)
        case (.binary(let a), .binary(let b)): Self.orderBytes(a, b)
        case (.timestamp(let a), .timestamp(let b)): Self.order(a, b)
        case (.objectId(let a), .objectId(let b)): Self.order(a, b)
        case (.uuid(let a), .uuid(let b)): Self.order(a.words, b.words)
        case (.link(let a), .link(let b)): a.compareForSort(b)
        case _ where rank != other.rank: Self.order(rank, other.rank)
        case _ where isNumber:
            compareNumerically(other) ?? Self.order(isNaN ? 0 : 1, other.isNaN ? 0 : 1)
        default: Self.orderBytes(utf8, other.utf8)
        }
    }

    /// The bytes of a string.
    private var utf8: [UInt8] {
        switch self {
        case .string(let value): [UInt8](value.utf8)
        case .malformedString(let value): value
        default: []
        }
    }

    static func order(_ a: (high: UInt64, low: UInt64), _ b: (high: UInt64, low: UInt64)) -> ComparisonResult {
        a.high != b.high ? order(a.high, b.high) : order(a.low, b.low)
    }

    static func orderBytes(_ a: some Sequence<UInt8>, _ b: some Sequence<UInt8>) -> ComparisonResult {
        if a.lexicographicallyPrecedes(b) { return .orderedAscending }
        return b.lexicographicallyPrecedes(a) ? .orderedDescending : .orderedSame
    }
}

extension Link {
    /// Any fixed order: by class, then by key.
    func compareForSort(_ other: Link) -> ComparisonResult {
        let byClass = Value.orderBytes(className.utf8, other.className.utf8)
        return byClass == .orderedSame ? key.compareForSort(other.key) : byClass
    }
}

extension PrimaryKey {
    /// As values are ordered; global keys come last.
    public func compareForSort(_ other: PrimaryKey) -> ComparisonResult {
        if case .global(let high, let low) = self, case .global(let otherHigh, let otherLow) = other {
            return Value.order((high, low), (otherHigh, otherLow))
        }
        guard let value else { return .orderedDescending }
        guard let otherValue = other.value else { return .orderedAscending }
        return value.compareForSort(otherValue)
    }

    /// The key as a value; nil for global keys, which no property holds.
    public var value: Value? {
        switch self {
        case .null: .null
        case .int(let value): .int(value)
        case .string(let value): .string(value)
        case .objectId(let value): .objectId(value)
        case .uuid(let value): .uuid(value)
        case .global: nil
        }
    }
}

extension Value {
    /// The value as a primary key; nil if it has no type of keys.
    public var primaryKey: PrimaryKey? {
        switch self {
        case .null: .null
        case .int(let value): .int(value)
        case .string(let value): .string(value)
        case .objectId(let value): .objectId(value)
        case .uuid(let value): .uuid(value)
        default: nil
        }
    }
}
