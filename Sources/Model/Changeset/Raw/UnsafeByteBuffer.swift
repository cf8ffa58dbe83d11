/// Growable bytes, owned. Written through raw pointers between `reserve` and `setEnd`.
public struct UnsafeByteBuffer: ~Copyable {
    @usableFromInline var start: UnsafeMutableRawPointer
    private var memory: UnsafeMutableRawBufferPointer
    public private(set) var capacity: Int
    /// Bytes in use.
    public var count: Int { @inlinable get { used } }
    @usableFromInline var used: Int

    /// Something to point at where there are no bytes.
    nonisolated(unsafe) static let placeholder = UnsafeRawPointer(
        UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 16))

    public init(capacity: Int = 256) {
        memory = UnsafePooledMemory.allocate(max(capacity, 64))
        start = memory.baseAddress.unsafelyUnwrapped
        self.capacity = memory.count
        used = 0
    }

    deinit { UnsafePooledMemory.deallocate(memory) }

    /// The bytes in use; valid until the buffer changes.
    @inlinable
    public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: used) }

    /// Makes room for `count` more bytes and returns where they go.
    @inlinable
    @inline(__always)
    mutating func reserve(_ count: Int) -> UnsafeMutableRawPointer {
        if _slowPath(capacity - used < count) { grow(count) }
        return start + used
    }

    /// Declares everything up to `end` as used.
    @inlinable
    @inline(__always)
    mutating func setEnd(_ end: UnsafeMutableRawPointer) {
        used = end - start
    }

    @usableFromInline
    @inline(never)
    mutating func grow(_ count: Int) {
        var larger = UnsafeByteBuffer(capacity: max(capacity * 2, used + count))
        larger.start.copyMemory(from: start, byteCount: used)
        larger.used = used
        swap(&self, &larger)
    }

    public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        let end = reserve(bytes.count)
        if let source = bytes.baseAddress { end.copyMemory(from: source, byteCount: bytes.count) }
        used += bytes.count
    }

    /// Drops the contents; keeps the memory unless it is larger than `keeping` bytes.
    public mutating func removeAll(keeping: Int = .max) {
        used = 0
        guard capacity > keeping else { return }
        var smaller = UnsafeByteBuffer(capacity: keeping)
        swap(&self, &smaller)
    }
}
