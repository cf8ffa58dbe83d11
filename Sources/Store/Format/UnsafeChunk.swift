import Foundation
import Model

/// A column of one cluster, or a piece of a list, read in place.
///
/// Unsafe: it holds a pointer into mapped memory and doesn't check rows. The header must have passed
/// `ChunkHeader(checking:)`.
public struct UnsafeChunk {
    public let start: UnsafeRawPointer
    public let kind: ChunkKind
    public let width: Int
    public let count: Int
    public let flags: ChunkHeader.Flags
    /// Null bitmap, one bit a row, or nil when no value is null.
    public let nulls: UnsafeRawPointer?
    /// Bitmap of the values that live in `blobs`, or nil.
    public let externals: UnsafeRawPointer?

    public init(_ start: UnsafeRawPointer) {
        self.start = start
        let header = ChunkHeader(trusting: start)
        kind = header.kind
        width = Int(header.width)
        count = Int(header.count)
        flags = header.flags
        if flags.isDisjoint(with: [.nulls, .externals]) {
            nulls = nil
            externals = nil
        } else {
            let bitmap = start + header.bitmapOffset
            nulls = flags.contains(.nulls) ? bitmap : nil
            externals =
                flags.contains(.externals) ? bitmap + (flags.contains(.nulls) ? header.bitmapSize : 0) : nil
        }
    }

    /// First byte after the header.
    @inlinable
    public var payload: UnsafeRawPointer { start + ChunkHeader.size }

    @inlinable
    public func isNull(_ row: Int) -> Bool {
        guard let nulls else { return false }
        return nulls.load(fromByteOffset: row >> 3, as: UInt8.self) >> (row & 7) & 1 != 0
    }

    @inlinable
    public func isExternal(_ row: Int) -> Bool {
        guard let externals else { return false }
        return externals.load(fromByteOffset: row >> 3, as: UInt8.self) >> (row & 7) & 1 != 0
    }

    /// The number in a row of an int, link or bool chunk.
    @inlinable
    public func int(_ row: Int) -> Int64 {
        switch width {
        case 1: Int64(payload.load(fromByteOffset: row, as: Int8.self))
        case 2: Int64(Int16(littleEndian: payload.loadUnaligned(fromByteOffset: row &* 2, as: Int16.self)))
        case 4: Int64(Int32(littleEndian: payload.loadUnaligned(fromByteOffset: row &* 4, as: Int32.self)))
        case 8: Int64(littleEndian: payload.loadUnaligned(fromByteOffset: row &* 8, as: Int64.self))
        default: 0
        }
    }

    /// The target of a link; nil for none.
    @inlinable
    public func link(_ row: Int) -> ObjectKey? {
        let stored = int(row)
        return stored == 0 ? nil : ObjectKey(stored &- 1)
    }

    @inlinable
    public func float(_ row: Int) -> Float {
        Float(bitPattern: UInt32(littleEndian: payload.loadUnaligned(fromByteOffset: row &* 4, as: UInt32.self)))
    }

    @inlinable
    public func double(_ row: Int) -> Double {
        Double(bitPattern: UInt64(littleEndian: payload.loadUnaligned(fromByteOffset: row &* 8, as: UInt64.self)))
    }

    @inlinable
    public func timestamp(_ row: Int) -> Timestamp {
        let seconds = Int64(littleEndian: payload.loadUnaligned(fromByteOffset: row &* 8, as: Int64.self))
        guard !flags.contains(.wholeSeconds) else { return Timestamp(seconds: seconds) }
        let nanoseconds = payload.loadUnaligned(fromByteOffset: count &* 8 &+ row &* 4, as: Int32.self)
        return Timestamp(seconds: seconds, nanoseconds: Int32(littleEndian: nanoseconds))
    }

    @inlinable
    public func objectId(_ row: Int) -> ObjectId {
        ObjectId(loading: payload + row &* 12)
    }

    public func uuid(_ row: Int) -> UUID {
        UUID(uuid: payload.loadUnaligned(fromByteOffset: row &* 16, as: uuid_t.self))
    }

    @inlinable
    public func decimal(_ row: Int) -> Decimal128 {
        Decimal128(
            low: UInt64(littleEndian: payload.loadUnaligned(fromByteOffset: row &* 16, as: UInt64.self)),
            high: UInt64(littleEndian: payload.loadUnaligned(fromByteOffset: row &* 16 &+ 8, as: UInt64.self)))
    }

    /// Where the value of a row of a string or binary chunk ends, relative to the data.
    @inlinable
    public func end(_ row: Int) -> Int {
        width == 2
            ? Int(UInt16(littleEndian: payload.loadUnaligned(fromByteOffset: row &* 2, as: UInt16.self)))
            : Int(UInt32(littleEndian: payload.loadUnaligned(fromByteOffset: row &* 4, as: UInt32.self)))
    }

    /// Bytes of data in a string or binary chunk.
    @inlinable
    public var dataSize: Int {
        Int(UInt64(littleEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }

    /// First data byte of a string or binary chunk.
    @inlinable
    public var data: UnsafeRawPointer { payload + count &* width }

    /// The bytes of a row of a string or binary chunk; empty for nulls and for values in `blobs`. Offsets that point
    /// outside the chunk give an empty value, not a crash.
    @inlinable
    public func bytes(_ row: Int) -> UnsafeRawBufferPointer {
        let from = row == 0 ? 0 : end(row &- 1)
        let to = end(row)
        guard from <= to, to <= dataSize else { return UnsafeRawBufferPointer(start: data, count: 0) }
        return UnsafeRawBufferPointer(start: data + from, count: to &- from)
    }

    /// The string in a row, made from its bytes.
    public func string(_ row: Int) -> String {
        String(decoding: bytes(row), as: UTF8.self)
    }
}

extension ChunkHeader {
    /// Reads the header of a chunk that was checked before.
    public init(trusting start: UnsafeRawPointer) {
        kind = ChunkKind(rawValue: start.load(as: UInt8.self)) ?? .int
        width = start.load(fromByteOffset: 1, as: UInt8.self)
        flags = Flags(rawValue: start.load(fromByteOffset: 2, as: UInt8.self))
        count = UInt32(littleEndian: start.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        aux = UInt64(littleEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
}
