import Foundation

extension UUID {
    /// Reads sixteen bytes at `pointer`, in the order of the text form.
    @inlinable
    public init(loading pointer: UnsafeRawPointer) {
        self.init(uuid: pointer.loadUnaligned(as: uuid_t.self))
    }

    /// Writes the sixteen bytes to `pointer`.
    @inlinable
    public func store(to pointer: UnsafeMutableRawPointer) {
        withUnsafeBytes(of: uuid) {
            pointer.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(pointer), byteCount: 16)
        }
    }

    /// The first and the last eight bytes as big-endian numbers; their order is that of the bytes (C-42).
    @inlinable
    public var words: (high: UInt64, low: UInt64) {
        withUnsafeBytes(of: uuid) { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    /// The UUID with these two words.
    @inlinable
    public init(high: UInt64, low: UInt64) {
        let bytes = (high.bigEndian, low.bigEndian)
        self = withUnsafeBytes(of: bytes) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
