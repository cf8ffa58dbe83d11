// How a value is read in place from the chunk of its column (the realm file's format, version 1): a header of
// 16 bytes (kind, width, flags, –, count: u32, data bytes: u64), the values, padding to 8, the bitmap of nulls,
// the bitmap of values that live outside. Inlined into the app's property accessors, hence free of calls.

/// Unsafe: reads a chunk of a pinned snapshot. The row must be below the chunk's count.
@frozen @usableFromInline
enum UnsafePropertyChunk {
    @inlinable @inline(__always)
    static func width(_ chunk: UnsafeRawPointer) -> Int {
        Int(chunk.load(fromByteOffset: 1, as: UInt8.self))
    }

    @inlinable @inline(__always)
    static func flags(_ chunk: UnsafeRawPointer) -> UInt8 {
        chunk.load(fromByteOffset: 2, as: UInt8.self)
    }

    @inlinable @inline(__always)
    static func count(_ chunk: UnsafeRawPointer) -> Int {
        Int(chunk.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    }

    @inlinable @inline(__always)
    static func bit(_ chunk: UnsafeRawPointer, _ offset: Int, _ row: Int) -> Bool {
        chunk.load(fromByteOffset: offset + row >> 3, as: UInt8.self) >> UInt8(truncatingIfNeeded: row & 7) & 1 != 0
    }

    /// Whether the row is null; `payload` is the size of what precedes the bitmap.
    @inlinable @inline(__always)
    static func isNull(_ chunk: UnsafeRawPointer, _ row: Int, payload: @autoclosure () -> Int) -> Bool {
        flags(chunk) & 1 != 0 && bit(chunk, (16 + payload() + 7) & ~7, row)
    }

    @inlinable @inline(__always)
    static func integer(_ chunk: UnsafeRawPointer, _ row: Int) -> Int64 {
        switch chunk.load(fromByteOffset: 1, as: UInt8.self) {
        case 8: chunk.loadUnaligned(fromByteOffset: 16 + row << 3, as: Int64.self)
        case 4: Int64(chunk.loadUnaligned(fromByteOffset: 16 + row << 2, as: Int32.self))
        case 2: Int64(chunk.loadUnaligned(fromByteOffset: 16 + row << 1, as: Int16.self))
        case 1: Int64(chunk.load(fromByteOffset: 16 + row, as: Int8.self))
        default: 0
        }
    }

    @inlinable @inline(__always)
    static func isNullInteger(_ chunk: UnsafeRawPointer, _ row: Int) -> Bool {
        isNull(chunk, row, payload: count(chunk) &* width(chunk))
    }

    @inlinable @inline(__always)
    static func isNull(_ chunk: UnsafeRawPointer, _ row: Int, fixedWidth: Int) -> Bool {
        isNull(chunk, row, payload: count(chunk) &* fixedWidth)
    }

    /// The bytes of a string or binary; nil if the row is null or its value lives outside of the chunk.
    @inlinable @inline(__always)
    static func bytes(_ chunk: UnsafeRawPointer, _ row: Int) -> UnsafeRawBufferPointer? {
        let count = count(chunk)
        let width = width(chunk)
        let start: Int
        let end: Int
        if width == 2 {
            start = row == 0 ? 0 : Int(chunk.loadUnaligned(fromByteOffset: 14 + row << 1, as: UInt16.self))
            end = Int(chunk.loadUnaligned(fromByteOffset: 16 + row << 1, as: UInt16.self))
        } else {
            start = row == 0 ? 0 : Int(chunk.loadUnaligned(fromByteOffset: 12 + row << 2, as: UInt32.self))
            end = Int(chunk.loadUnaligned(fromByteOffset: 16 + row << 2, as: UInt32.self))
        }
        let flags = flags(chunk)
        if flags & 4 != 0 || (flags & 1 != 0 && start == end), isSpecial(chunk, row, count, width, flags) { return nil }
        return UnsafeRawBufferPointer(start: chunk + (16 + count &* width + start), count: end &- start)
    }

    /// Whether a row is null or external.
    @inlinable
    static func isSpecial(_ chunk: UnsafeRawPointer, _ row: Int, _ count: Int, _ width: Int, _ flags: UInt8) -> Bool {
        let data = Int(chunk.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        var offset = (16 + count &* width + data + 7) & ~7
        if flags & 1 != 0 {
            if bit(chunk, offset, row) { return true }
            offset += ((count + 7) >> 3 + 7) & ~7
        }
        return flags & 4 != 0 && bit(chunk, offset, row)
    }
}
