/// Twelve bytes: seconds since 1970 (big-endian), five random bytes, a counter (C-42). Ordered bytewise.
public struct ObjectId: Hashable, Sendable {
    /// The first eight bytes as a big-endian number.
    public var high: UInt64
    /// The last four bytes as a big-endian number.
    public var low: UInt32

    @inlinable
    public init(high: UInt64 = 0, low: UInt32 = 0) {
        self.high = high
        self.low = low
    }

    /// Reads twelve bytes at `pointer`.
    @inlinable
    public init(loading pointer: UnsafeRawPointer) {
        high = UInt64(bigEndian: pointer.loadUnaligned(as: UInt64.self))
        low = UInt32(bigEndian: pointer.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
    }

    /// Writes the twelve bytes to `pointer`.
    @inlinable
    public func store(to pointer: UnsafeMutableRawPointer) {
        pointer.storeBytes(of: high.bigEndian, as: UInt64.self)
        pointer.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt32.self)
    }
}

extension ObjectId: Comparable {
    @inlinable
    public static func < (a: ObjectId, b: ObjectId) -> Bool {
        a.high != b.high ? a.high < b.high : a.low < b.low
    }
}
