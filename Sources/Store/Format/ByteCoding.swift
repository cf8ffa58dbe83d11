/// Appends little-endian numbers, variable-length numbers and strings.
struct ByteWriter {
    var bytes: [UInt8] = []

    mutating func append(_ value: UInt8) { bytes.append(value) }

    mutating func append(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Seven bits a byte, lowest first, the top bit set on all but the last.
    mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// A length in two bytes, then UTF-8.
    mutating func append(_ value: String) {
        append(UInt16(truncatingIfNeeded: value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }
}

/// Reads what `ByteWriter` wrote; nil past the end.
struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }
    var remaining: Int { bytes.count - offset }

    private mutating func number<T: FixedWidthInteger>(_ type: T.Type) -> T? {
        guard remaining >= MemoryLayout<T>.size else { return nil }
        defer { offset += MemoryLayout<T>.size }
        return T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: T.self))
    }

    mutating func uint8() -> UInt8? { number(UInt8.self) }
    mutating func uint16() -> UInt16? { number(UInt16.self) }
    mutating func uint32() -> UInt32? { number(UInt32.self) }
    mutating func uint64() -> UInt64? { number(UInt64.self) }

    mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = uint8() else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 {
                // The tenth byte has room for one bit.
                return shift == 63 && byte > 1 ? nil : value
            }
        }
        return nil
    }

    /// Bytes after their number as a varint.
    mutating func counted() -> [UInt8]? {
        guard let count = varint(), count <= UInt64(remaining) else { return nil }
        defer { offset += Int(count) }
        return Array(bytes[offset..<(offset + Int(count))])
    }

    mutating func string() -> String? {
        guard let size = uint16(), remaining >= size else { return nil }
        defer { offset += Int(size) }
        return String(validating: UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + Int(size))]), as: UTF8.self)
    }
}
