/// Key of an object inside its table: assigned in order of creation, never reused, never negative.
///
/// It is a number of this file and means nothing to another one.
public struct ObjectKey: Hashable, Sendable {
    public let raw: Int64

    @inlinable
    public init(_ raw: Int64) {
        self.raw = raw
    }
}

extension ObjectKey: Comparable {
    @inlinable
    public static func < (a: ObjectKey, b: ObjectKey) -> Bool {
        a.raw < b.raw
    }
}

/// Number of a table; stable for the life of the file.
public struct TableId: Hashable, Sendable {
    public let raw: UInt16

    @inlinable
    public init(_ raw: UInt16) {
        self.raw = raw
    }
}

/// Number of a column inside its table; stable for the life of the file.
public struct ColumnId: Hashable, Sendable {
    public let raw: UInt16

    @inlinable
    public init(_ raw: UInt16) {
        self.raw = raw
    }

    /// The column that holds a cluster's object keys.
    public static let objectKeys = ColumnId(0)
    /// Low word of the global keys of a class without primary key.
    public static let globalKeyLow = ColumnId(0xFFFF)
    /// High word of them; has no record in clusters where it is zero throughout.
    public static let globalKeyHigh = ColumnId(0xFFFE)
    /// The last one that a property can have.
    package static let greatest = ColumnId(0xFFFD)
}

extension TableId: Comparable {
    @inlinable
    public static func < (a: TableId, b: TableId) -> Bool { a.raw < b.raw }
}

extension ColumnId: Comparable {
    @inlinable
    public static func < (a: ColumnId, b: ColumnId) -> Bool { a.raw < b.raw }
}
