/// The Castagnoli checksum, eight bytes at a step.
enum CRC32C {
    private static let tables: [[UInt32]] = {
        var tables = [[UInt32]](repeating: [UInt32](repeating: 0, count: 256), count: 8)
        for byte in 0..<256 {
            var value = UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 0 ? value >> 1 : value >> 1 ^ 0x82F6_3B78 }
            tables[0][byte] = value
        }
        for table in 1..<8 {
            for byte in 0..<256 {
                let before = tables[table - 1][byte]
                tables[table][byte] = before >> 8 ^ tables[0][Int(before & 0xFF)]
            }
        }
        return tables
    }()

    private static let flat: [UInt32] = tables.flatMap { $0 }

    static func checksum(of bytes: [UInt8]) -> UInt32 {
        bytes.withUnsafeBytes { checksum(of: $0) }
    }

    /// `previous` is the checksum of the bytes before, if they come in parts.
    static func checksum(of bytes: UnsafeRawBufferPointer, continuing previous: UInt32 = 0) -> UInt32 {
        var crc = ~previous
        var at = 0
        flat.withUnsafeBufferPointer { table in
            while at + 8 <= bytes.count {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)) ^ UInt64(crc)
                crc = 0
                for step in 0..<8 {
                    crc ^= table[(7 - step) << 8 | Int(word >> (UInt64(step) * 8) & 0xFF)]
                }
                at += 8
            }
            while at < bytes.count {
                crc = crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ bytes[at])]
                at += 1
            }
        }
        return ~crc
    }
}
