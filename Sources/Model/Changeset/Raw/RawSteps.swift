/// The part of a path below the property, decoded step by step from the input, which has been checked.
/// Valid as long as the input is.
public struct RawSteps: Sequence {
    /// The encoded steps; nil if there are none.
    @usableFromInline let start: UnsafeRawPointer?
    /// How many steps there are.
    public let count: Int
    /// The last step; nil if there are none.
    public let last: RawStep?

    @inlinable
    init(start: UnsafeRawPointer?, count: Int, last: RawStep?) {
        self.start = start
        self.count = count
        self.last = last
    }

    /// The path that ends at the property itself.
    @inlinable
    public static var none: RawSteps { RawSteps(start: nil, count: 0, last: nil) }

    @inlinable
    public var isEmpty: Bool { count == 0 }

    /// The list index that the path ends in.
    @inlinable
    public var lastIndex: UInt32? {
        if case .index(let index) = last { index } else { nil }
    }

    @inlinable
    public var underestimatedCount: Int { count }

    @inlinable
    public func makeIterator() -> Iterator { Iterator(position: start, remaining: count) }

    public struct Iterator: IteratorProtocol {
        @usableFromInline var position: UnsafeRawPointer?
        @usableFromInline var remaining: Int

        @inlinable
        init(position: UnsafeRawPointer?, remaining: Int) {
            self.position = position
            self.remaining = remaining
        }

        public mutating func next() -> RawStep? {
            guard remaining > 0, var at = position else { return nil }
            remaining -= 1
            defer { position = at }
            let number = Self.integer(&at)
            if number >= 0 { return .index(UInt32(truncatingIfNeeded: number)) }
            return .name(UInt32(truncatingIfNeeded: Self.integer(&at)))
        }

        /// An integer that the reader has already checked.
        private static func integer(_ at: inout UnsafeRawPointer) -> Int64 {
            var magnitude: UInt64 = 0
            var shift: UInt64 = 0
            while true {
                let byte = at.load(as: UInt8.self)
                at += 1
                if byte & 0x80 == 0 {
                    magnitude |= UInt64(byte & 0x3f) << shift
                    let value = Int64(bitPattern: magnitude)
                    return byte & 0x40 == 0 ? value : ~value
                }
                magnitude |= UInt64(byte & 0x7f) << shift
                shift += 7
            }
        }
    }
}
