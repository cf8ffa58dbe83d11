import Foundation
import Model

/// Number of a list or dictionary inside a Mixed, unique in its file; never 0.
package struct NestedId: Hashable, Sendable, Comparable {
    package let raw: UInt64

    package init(_ raw: UInt64) {
        self.raw = raw
    }

    package static func < (a: NestedId, b: NestedId) -> Bool { a.raw < b.raw }
}

/// How a value lies in a chunk of mixed values: its type's number, then its data. `FORMAT.md` has the layout.
enum MixedCoding {
    private static let list: UInt8 = 12
    private static let dictionary: UInt8 = 13

    /// Appends a value that isn't null to a chunk of mixed values.
    static func append(_ value: UnsafeScalar, to builder: inout ChunkBuilder) {
        var bytes = ByteWriter()
        switch value {
        case .null: return builder.appendNull()
        case .int(let value):
            bytes.append(type(.int))
            bytes.append(narrowest: value)
        case .bool(let value):
            bytes.append(type(.bool))
            bytes.append(UInt8(value ? 1 : 0))
        case .string(let data):
            bytes.append(type(.string))
            bytes.bytes.append(contentsOf: data)
        case .binary(let data):
            bytes.append(type(.binary))
            bytes.bytes.append(contentsOf: data)
        case .timestamp(let value):
            bytes.append(type(.timestamp))
            bytes.append(value.seconds)
            bytes.append(value.nanoseconds)
        case .float(let value):
            bytes.append(type(.float))
            bytes.append(value.bitPattern)
        case .double(let value):
            bytes.append(type(.double))
            bytes.append(value.bitPattern)
        case .decimal(let value):
            bytes.append(type(.decimal))
            bytes.append(value.low)
            bytes.append(value.high)
        case .link(let table, let key):
            bytes.append(type(.link))
            bytes.append(table.raw)
            bytes.append(key.raw)
        case .objectId(let value):
            bytes.append(type(.objectId))
            withUnsafeTemporaryAllocation(byteCount: 12, alignment: 4) { space in
                guard let start = space.baseAddress else { return }
                value.store(to: start)
                bytes.bytes.append(contentsOf: space)
            }
        case .uuid(let value):
            bytes.append(type(.uuid))
            withUnsafeBytes(of: value.uuid) { bytes.bytes.append(contentsOf: $0) }
        case .list(let id):
            bytes.append(list)
            bytes.append(id.raw)
        case .dictionary(let id):
            bytes.append(dictionary)
            bytes.append(id.raw)
        }
        bytes.bytes.withUnsafeBytes { builder.append(bytes: $0) }
    }

    private static func type(_ type: ValueType) -> UInt8 { UInt8(type.rawValue) }

    /// The value that bytes stand for; null if they stand for none.
    static func decode(_ bytes: UnsafeRawBufferPointer) -> UnsafeScalar {
        checked(bytes) ?? .null
    }

    /// The same, nil for bytes that no value has.
    static func checked(_ bytes: UnsafeRawBufferPointer) -> UnsafeScalar? {
        guard let start = bytes.baseAddress, bytes.count > 0 else { return nil }
        let data = UnsafeRawBufferPointer(rebasing: bytes[1...])
        func number<T: FixedWidthInteger>(_ type: T.Type, at offset: Int = 0) -> T {
            T(littleEndian: data.loadUnaligned(fromByteOffset: offset, as: T.self))
        }
        guard bytes[0] != list else { return data.count == 8 ? .list(NestedId(number(UInt64.self))) : nil }
        guard bytes[0] != dictionary else { return data.count == 8 ? .dictionary(NestedId(number(UInt64.self))) : nil }
        switch (ValueType(rawValue: Int8(truncatingIfNeeded: bytes[0])), data.count) {
        case (.int, 1): return .int(Int64(number(Int8.self)))
        case (.int, 2): return .int(Int64(number(Int16.self)))
        case (.int, 4): return .int(Int64(number(Int32.self)))
        case (.int, 8): return .int(number(Int64.self))
        case (.bool, 1): return .bool(data[0] != 0)
        case (.string, _): return .string(data)
        case (.binary, _): return .binary(data)
        case (.timestamp, 12):
            return .timestamp(
                Timestamp(seconds: number(Int64.self), nanoseconds: number(Int32.self, at: 8)))
        case (.float, 4): return .float(Float(bitPattern: number(UInt32.self)))
        case (.double, 8): return .double(Double(bitPattern: number(UInt64.self)))
        case (.decimal, 16):
            return .decimal(Decimal128(low: number(UInt64.self), high: number(UInt64.self, at: 8)))
        case (.link, 10): return .link(TableId(number(UInt16.self)), ObjectKey(number(Int64.self, at: 2)))
        case (.objectId, 12): return .objectId(ObjectId(loading: start + 1))
        case (.uuid, 16): return .uuid(UUID(uuid: data.loadUnaligned(as: uuid_t.self)))
        default: return nil
        }
    }
}

extension ByteWriter {
    fileprivate mutating func append(narrowest value: Int64) {
        if let value = Int8(exactly: value) {
            append(value)
        } else if let value = Int16(exactly: value) {
            append(value)
        } else if let value = Int32(exactly: value) {
            append(value)
        } else {
            append(value)
        }
    }
}
