import Foundation
import Model

/// Room for one record key of `keys`, encoded as `PrimaryKeyCoding` does, without allocating.
///
/// Unsafe: what `encode` returns is valid until it is called again.
final class UnsafeKeyScratch {
    private let start = UnsafeMutableRawPointer.allocate(byteCount: FileFormat.longestRecordKey + 1, alignment: 8)

    deinit {
        start.deallocate()
    }

    /// The record key; nil for a string that is too long to be one.
    @inline(__always)
    func encode(_ table: TableId, _ key: RawKey, _ strings: InternTable) -> UnsafeRawBufferPointer? {
        start.storeBytes(of: table.raw.bigEndian, as: UInt16.self)
        let count: Int
        switch key {
        case .null:
            tag(0)
            count = 3
        case .int(let value):
            tag(1)
            start.storeBytes(of: (UInt64(bitPattern: value) ^ 1 << 63).bigEndian, toByteOffset: 3, as: UInt64.self)
            count = 11
        case .string(let index):
            let bytes = strings.bytes(index)
            guard bytes.count <= PrimaryKeyCoding.longestPlainString else { return nil }
            tag(2)
            if let source = bytes.baseAddress { (start + 3).copyMemory(from: source, byteCount: bytes.count) }
            count = 3 + bytes.count
        case .objectId(let value):
            tag(3)
            value.store(to: start + 3)
            count = 15
        case .uuid(let value):
            tag(4)
            start.storeBytes(of: value.uuid, toByteOffset: 3, as: uuid_t.self)
            count = 19
        case .global(let high, let low):
            tag(5)
            start.storeBytes(of: high.bigEndian, toByteOffset: 3, as: UInt64.self)
            start.storeBytes(of: low.bigEndian, toByteOffset: 11, as: UInt64.self)
            count = 19
        }
        return UnsafeRawBufferPointer(start: start, count: count)
    }

    private func tag(_ value: UInt8) {
        start.storeBytes(of: value, toByteOffset: 2, as: UInt8.self)
    }
}
