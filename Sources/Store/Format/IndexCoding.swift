import Foundation
import Model

/// How values become record keys of `index`, so that the order of the keys is the order of the values: null first,
/// then a 1 and the value. The object key follows.
package enum IndexCoding {
    /// Bytes of a string that the index holds; longer ones are cut, and who finds them must look at the row.
    package static let longestString = 200

    /// Types that an ordered index can be kept on. Others are scanned.
    package static func supports(_ property: PropertySchema) -> Bool {
        guard property.collection == .single else { return false }
        switch property.type {
        case .int, .bool, .string, .timestamp, .float, .double, .objectId, .uuid: return true
        case .mixed, .binary, .decimal, .link: return false
        }
    }

    /// Appends the encoded value to a key that begins with table and column.
    /// - Returns: false for a value that isn't indexed (of another type, or NaN).
    @discardableResult
    package static func append(_ value: Value, to key: inout RecordKey) -> Bool {
        switch value {
        case .null:
            key.append(UInt8(0))
            return true
        case .float(let value) where value.isNaN: return false
        case .double(let value) where value.isNaN: return false
        default: key.append(UInt8(1))
        }
        switch value {
        case .int(let value): key.append(UInt64(bitPattern: value) ^ 1 << 63)
        case .bool(let value): key.append(UInt8(value ? 1 : 0))
        case .timestamp(let value):
            key.append(UInt64(bitPattern: value.seconds) ^ 1 << 63)
            key.append(UInt32(bitPattern: value.nanoseconds) ^ 1 << 31)
        case .float(let value):
            // Adding zero makes -0 the zero that it equals.
            let bits = (value + 0).bitPattern
            key.append(bits >> 31 == 0 ? bits | 1 << 31 : ~bits)
        case .double(let value):
            let bits = (value + 0).bitPattern
            key.append(bits >> 63 == 0 ? bits | 1 << 63 : ~bits)
        case .objectId(let value):
            key.append(value.high)
            key.append(value.low)
        case .uuid(let value): withUnsafeBytes(of: value.uuid) { key.append($0) }
        case .string(var value): value.withUTF8 { append(UnsafeRawBufferPointer($0), to: &key) }
        default: return false
        }
        return true
    }

    /// Appends what the keys of all strings that begin with `prefix` have in common.
    package static func append(prefix: String, to key: inout RecordKey) {
        var prefix = prefix
        prefix.withUTF8 { appendBeginning(UnsafeRawBufferPointer($0), to: &key) }
    }

    /// Zero bytes are escaped and an end mark follows, so that no string's key is another one's beginning.
    private static func append(_ string: UnsafeRawBufferPointer, to key: inout RecordKey) {
        appendBeginning(string, to: &key)
        key.append(UInt8(0))
        key.append(UInt8(string.count > longestString ? 2 : 1))
    }

    private static func appendBeginning(_ string: UnsafeRawBufferPointer, to key: inout RecordKey) {
        let kept = UnsafeRawBufferPointer(rebasing: string[..<min(string.count, longestString)])
        if kept.contains(0) {
            for byte in kept {
                key.append(byte)
                if byte == 0 { key.append(UInt8(0xFF)) }
            }
        } else {
            key.append(kept)
        }
    }

    /// The object key at the end of a record key of `index`.
    package static func object(of recordKey: UnsafeRawBufferPointer) -> ObjectKey {
        guard recordKey.count >= 8 else { return ObjectKey(-1) }
        let raw = recordKey.loadUnaligned(fromByteOffset: recordKey.count - 8, as: UInt64.self)
        return ObjectKey(Int64(bitPattern: UInt64(bigEndian: raw)))
    }
}
