/// What stands between the object and the value in an Update: `<property> <end of path> <type>`. Encoded once and copied
/// into each instruction that assigns a value of this type to the property.
public struct EncodedField: Sendable {
    @usableFromInline var word: UInt64
    @usableFromInline var count: Int

    /// No field: for tables that are filled as fields are needed.
    @inlinable
    public init() {
        word = 0
        count = 0
    }

    @inlinable
    public var isEmpty: Bool { count == 0 }

    /// `property` is the interned name.
    @inlinable
    public init(property: UInt32, type: PayloadType) {
        var word: UInt64 = 0
        // At most 5 bytes of index, one of path and one of type.
        count = withUnsafeMutableBytes(of: &word) { space in
            guard let start = space.baseAddress else { return 0 }
            var writer = UnsafeByteWriter(start)
            writer.unsigned(property)
            writer.byte(0)
            writer.type(type)
            return writer.position - start
        }
        self.word = word
    }

    @inlinable
    @inline(__always)
    public func write(_ writer: inout UnsafeByteWriter) {
        // Always 8 bytes, as `EncodedObject` always writes 32.
        writer.position.storeBytes(of: word, as: UInt64.self)
        writer.position += count
    }
}
