import Foundation
import Model

extension ChunkBuilder {
    /// The bytes of a row of a string or binary column.
    func withBytes<R>(_ row: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        let from = row == 0 ? 0 : Int(ends[row - 1])
        let to = Int(ends[row])
        return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[from..<to])) }
    }

    /// As `withScalar` for closures that throw.
    func withThrowingScalar<R>(_ row: Int, _ body: (UnsafeScalar) throws -> R) throws -> R {
        try withScalar(row) { scalar in Result { try body(scalar) } }.get()
    }

    /// The value in a row that isn't external and no link.
    func value(_ row: Int) -> Value {
        if nulls[row] { return .null }
        switch kind {
        case .int: return .int(first[row])
        case .bool: return .bool(first[row] != 0)
        case .float: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: first[row])))
        case .double: return .double(Double(bitPattern: UInt64(bitPattern: first[row])))
        case .timestamp:
            return .timestamp(Timestamp(seconds: first[row], nanoseconds: Int32(truncatingIfNeeded: second[row])))
        case .objectId:
            return .objectId(
                ObjectId(high: UInt64(bitPattern: first[row]), low: UInt32(truncatingIfNeeded: second[row])))
        case .uuid:
            return .uuid(withUnsafeBytes(of: (first[row], second[row])) { UUID(uuid: $0.load(as: uuid_t.self)) })
        case .decimal:
            return .decimal(
                Decimal128(low: UInt64(bitPattern: first[row]), high: UInt64(bitPattern: second[row])))
        case .string: return withBytes(row) { .string(String(decoding: $0, as: UTF8.self)) }
        case .binary: return withBytes(row) { .binary(Data($0)) }
        case .link, .keys, .mixed: return .null
        }
    }
}
