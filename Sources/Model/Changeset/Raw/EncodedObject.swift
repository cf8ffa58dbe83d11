/// The operands `<class> <key>` of one object, encoded once and copied into each of its instructions.
public struct EncodedObject: Sendable {
    @usableFromInline var words: SIMD4<UInt64>
    @usableFromInline var count: Int

    /// `target` is the interned class name; a string key is interned as well.
    @inlinable
    public init(target: UInt32, key: RawKey) {
        var words = SIMD4<UInt64>()
        // At most 5 bytes of index and 21 of key.
        count = withUnsafeMutableBytes(of: &words) { space in
            guard let start = space.baseAddress else { return 0 }
            var writer = UnsafeByteWriter(start)
            writer.unsigned(target)
            writer.key(key)
            return writer.position - start
        }
        self.words = words
    }

    @inlinable
    @inline(__always)
    public func write(_ writer: inout UnsafeByteWriter) {
        // Always 32 bytes: the room is reserved, and what follows overwrites the surplus.
        writer.position.storeBytes(of: words, as: SIMD4<UInt64>.self)
        writer.position += count
    }
}
