import Foundation
import Model

/// Owns the bytes of a query's constant strings and binaries, which scalars point into.
final class QueryConstants: @unchecked Sendable {
    private var memory: [UnsafeMutableRawBufferPointer] = []

    deinit {
        for buffer in memory { buffer.deallocate() }
    }

    private func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 8)
        buffer.copyMemory(from: bytes)
        memory.append(buffer)
        return UnsafeRawBufferPointer(rebasing: buffer[..<bytes.count])
    }

    /// The scalar of a constant. A link to an object that doesn't exist equals nothing, not even null.
    func scalar(_ value: Value, in snapshot: Snapshot) throws -> UnsafeScalar {
        guard case .link(let link) = value else { return scalar(value) }
        guard let table = snapshot.table(named: link.className) else {
            throw StoreError(.unknownClass, "unknown class '\(link.className)'")
        }
        return .link(table.stored.id, table.find(link.key) ?? ObjectKey(-1))
    }

    /// The scalar of a value; null for links, which mean something in a snapshot only.
    func scalar(_ value: Value) -> UnsafeScalar {
        switch value {
        case .null: return .null
        case .int(let value): return .int(value)
        case .bool(let value): return .bool(value)
        case .float(let value): return .float(value)
        case .double(let value): return .double(value)
        case .decimal(let value): return .decimal(value)
        case .timestamp(let value): return .timestamp(value)
        case .objectId(let value): return .objectId(value)
        case .uuid(let value): return .uuid(value)
        case .string(var value): return .string(value.withUTF8 { keep(UnsafeRawBufferPointer($0)) })
        case .malformedString(let bytes): return .string(bytes.withUnsafeBytes { keep($0) })
        case .binary(let value): return .binary(value.withUnsafeBytes { keep($0) })
        case .link: return .null
        }
    }
}
