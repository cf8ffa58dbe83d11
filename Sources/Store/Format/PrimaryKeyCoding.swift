import Foundation
import Model

/// How primary keys become record keys of `keys`, and what those records hold.
package enum PrimaryKeyCoding {
    /// Strings up to this many bytes are keys as they are. Longer ones: so many bytes, a hash and a discriminator.
    package static let longestPlainString = 448

    /// The record key, or for a long string the beginning that all candidates share.
    package struct Encoded {
        package var key: RecordKey
        /// The string of a long key: the record whose value ends in it is the one.
        package var longString: String?
    }

    package static func encode(_ table: TableId, _ primaryKey: PrimaryKey) -> Encoded {
        var key = RecordKey()
        key.append(table.raw)
        switch primaryKey {
        case .null:
            key.append(UInt8(0))
        case .int(let value):
            key.append(UInt8(1))
            key.append(UInt64(bitPattern: value) ^ 1 << 63)
        case .string(var value):
            let isLong = value.utf8.count > longestPlainString
            key.append(UInt8(isLong ? 6 : 2))
            value.withUTF8 { bytes in
                let bytes = UnsafeRawBufferPointer(bytes)
                if isLong {
                    key.append(UnsafeRawBufferPointer(rebasing: bytes[..<longestPlainString]))
                    key.append(hash(bytes))
                } else {
                    key.append(bytes)
                }
            }
            if isLong { return Encoded(key: key, longString: value) }
        case .objectId(let value):
            key.append(UInt8(3))
            key.append(value.high)
            key.append(value.low)
        case .uuid(let value):
            key.append(UInt8(4))
            withUnsafeBytes(of: value.uuid) { key.append($0) }
        case .global(let high, let low):
            key.append(UInt8(5))
            key.append(high)
            key.append(low)
        }
        return Encoded(key: key, longString: nil)
    }

    /// The primary key in a record key of `keys`; nil for another table's, for global keys and for long strings.
    package static func decode(_ recordKey: UnsafeRawBufferPointer, table: TableId) -> PrimaryKey? {
        guard recordKey.count >= 3, UInt16(bigEndian: recordKey.loadUnaligned(as: UInt16.self)) == table.raw else {
            return nil
        }
        let bytes = UnsafeRawBufferPointer(rebasing: recordKey[3...])
        switch (recordKey[2], bytes.count) {
        case (0, 0): return .null
        case (1, 8):
            return .int(Int64(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) ^ 1 << 63))
        case (2, _): return String(validating: bytes, as: UTF8.self).map { .string($0) }
        case (3, 12): return bytes.baseAddress.map { .objectId(ObjectId(loading: $0)) }
        case (4, 16): return .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))
        default: return nil
        }
    }

    /// FNV-1a. Collisions are told apart by the stored string, so speed is all that matters.
    private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash
    }
}

/// The value of a record of `keys`.
package struct KeyRecord: Hashable, Sendable {
    package var object: ObjectKey
    /// The key is known, but there is no row: links to it are unresolved (C-13).
    package var isTombstone: Bool

    package init(object: ObjectKey, isTombstone: Bool = false) {
        self.object = object
        self.isTombstone = isTombstone
    }

    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 9 else { return nil }
        let raw = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
        guard raw < FileFormat.numberLimit else { return nil }
        object = ObjectKey(Int64(bitPattern: raw))
        isTombstone = bytes[8] & 1 != 0
    }

    /// The record's bytes; `longString` as `PrimaryKeyCoding.encode` gave it.
    package func encoded(longString: String? = nil) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(UInt64(bitPattern: object.raw))
        writer.append(UInt8(isTombstone ? 1 : 0))
        if let longString { writer.bytes.append(contentsOf: longString.utf8) }
        return writer.bytes
    }
}
