/// Twelve bytes: seconds since 1970 (big-endian), five random bytes, a counter (C-42). Ordered bytewise.
package struct ObjectId: Hashable, Sendable {
    /// The first eight bytes as a big-endian number.
    package var high: UInt64
    /// The last four bytes as a big-endian number.
    package var low: UInt32

    @inlinable
    package init(high: UInt64 = 0, low: UInt32 = 0) {
        self.high = high
        self.low = low
    }

    /// Reads twelve bytes at `pointer`.
    @inlinable
    package init(loading pointer: UnsafeRawPointer) {
        high = UInt64(bigEndian: pointer.loadUnaligned(as: UInt64.self))
        low = UInt32(bigEndian: pointer.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
    }

    /// Writes the twelve bytes to `pointer`.
    @inlinable
    package func store(to pointer: UnsafeMutableRawPointer) {
        pointer.storeBytes(of: high.bigEndian, as: UInt64.self)
        pointer.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt32.self)
    }
}

extension ObjectId: Comparable {
    @inlinable
    package static func < (a: ObjectId, b: ObjectId) -> Bool {
        a.high != b.high ? a.high < b.high : a.low < b.low
    }
}
