/// Number of an object within its class: assigned in order of creation, never used again.
package struct ObjectKey: Hashable, Comparable, Sendable {
    package let raw: Int64

    @inlinable
    package init(_ raw: Int64) {
        self.raw = raw
    }

    @inlinable
    package static func < (a: ObjectKey, b: ObjectKey) -> Bool {
        a.raw < b.raw
    }
}

/// Number of a class within a realm file.
package struct TableId: Hashable, Comparable, Sendable {
    package let raw: UInt16

    @inlinable
    package init(_ raw: UInt16) {
        self.raw = raw
    }

    @inlinable
    package static func < (a: TableId, b: TableId) -> Bool {
        a.raw < b.raw
    }
}

/// Number of a property within a class of a realm file; 0 is the column of object keys.
package struct ColumnId: Hashable, Comparable, Sendable {
    package let raw: UInt16

    @inlinable
    package init(_ raw: UInt16) {
        self.raw = raw
    }

    @inlinable
    package static func < (a: ColumnId, b: ColumnId) -> Bool {
        a.raw < b.raw
    }
}
