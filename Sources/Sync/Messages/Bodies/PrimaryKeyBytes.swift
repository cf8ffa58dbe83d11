import Foundation
import Model

/// A primary key outside of a changeset: a type, then the value, strings in place instead of interned (P-80).
enum PrimaryKeyBytes {
    private static let null = 0, int = 1, string = 3, objectId = 10, uuid = 11

    static func encoded(_ key: PrimaryKey) -> [UInt8]? {
        switch key {
        case .null: return [UInt8(null)]
        case .int(let value): return [UInt8(int)] + integer(value)
        case .string(let value): return [UInt8(string)] + integer(Int64(value.utf8.count)) + Array(value.utf8)
        case .objectId(let value): return [UInt8(objectId)] + fixed(12) { value.store(to: $0) }
        case .uuid(let value): return [UInt8(uuid)] + fixed(16) { value.store(to: $0) }
        case .global: return nil
        }
    }

    static func decoded(_ bytes: [UInt8]) -> PrimaryKey? {
        var rest = bytes[...]
        guard let type = integer(&rest) else { return nil }
        switch type {
        case Int64(null): return rest.isEmpty ? .null : nil
        case Int64(int):
            guard let value = integer(&rest), rest.isEmpty else { return nil }
            return .int(value)
        case Int64(string):
            guard let length = integer(&rest), length == rest.count,
                let text = String(validating: rest, as: UTF8.self)
            else { return nil }
            return .string(text)
        case Int64(objectId) where rest.count == 12:
            return Array(rest).withUnsafeBytes { $0.baseAddress.map { .objectId(ObjectId(loading: $0)) } }
        case Int64(uuid) where rest.count == 16:
            return Array(rest).withUnsafeBytes { $0.baseAddress.map { .uuid(UUID(loading: $0)) } }
        default: return nil
        }
    }

    private static func fixed(_ count: Int, _ store: (UnsafeMutableRawPointer) -> Void) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        bytes.withUnsafeMutableBytes { bytes in bytes.baseAddress.map(store) }
        return bytes
    }

    /// Groups of seven bits, the lowest first; the last byte keeps six and the sign.
    private static func integer(_ value: Int64) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 10) { space, count in
            guard let start = space.baseAddress else { return }
            var writer = UnsafeByteWriter(UnsafeMutableRawPointer(start))
            writer.signed(value)
            count = writer.position - UnsafeMutableRawPointer(start)
        }
    }

    private static func integer(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        var magnitude: UInt64 = 0
        var shift: UInt64 = 0
        while let byte = rest.popFirst(), shift <= 63 {
            if byte & 0x80 == 0 {
                let bits = UInt64(byte & 0x3f)
                guard shift == 0 || bits <= UInt64(Int64.max) >> shift else { return nil }
                magnitude |= bits << shift
                guard magnitude <= UInt64(Int64.max) else { return nil }
                return byte & 0x40 == 0 ? Int64(magnitude) : ~Int64(magnitude)
            }
            magnitude |= UInt64(byte & 0x7f) << shift
            shift += 7
        }
        return nil
    }
}
