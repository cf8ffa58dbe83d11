import Foundation
import Model

/// Keeps the first object of each combination of values.
struct ObjectDistinct {
    private let readers: [SingleValueReader]
    private let table: Table

    init(_ paths: [ResolvedPath], _ table: Table) {
        readers = paths.compactMap { SingleValueReader($0, table) }
        self.table = table
    }

    func firsts(_ keys: [ObjectKey]) -> [ObjectKey] {
        var seen: Set<[UInt8]> = []
        var kept: [ObjectKey] = []
        var hint: Cluster?
        for key in keys {
            guard let (cluster, row) = table.locate(key, near: hint) else { continue }
            hint = cluster
            var identity = ByteWriter()
            let isWhole = readers.allSatisfy { reader in
                // Rows with a null link inside a path are dropped.
                guard case .value(let value) = reader.read(cluster, row) else { return false }
                if reader.column.property.type == .mixed {
                    value.appendMixedIdentity(to: &identity)
                } else {
                    value.appendIdentity(to: &identity)
                }
                return true
            }
            if isWhole, seen.insert(identity.bytes).inserted { kept.append(key) }
        }
        return kept
    }
}

extension UnsafeScalar {
    /// Appends bytes that are the same for equal values, of whatever types, and differ for others.
    fileprivate func appendMixedIdentity(to writer: inout ByteWriter) {
        writer.append(UInt8(typeRank))
        if case .link(let table, _) = self { writer.append(table.raw) }
        guard let number = asDecimal else { return appendIdentity(to: &writer) }
        // A number with more digits than decimals are compared by equals only itself.
        if let double = asDouble, !number.isNaN, UnsafeScalar.double(double).order(.decimal(number)) != .equal {
            return UnsafeScalar.double(double).appendIdentity(to: &writer)
        }
        UnsafeScalar.decimal(number).appendIdentity(to: &writer)
    }

    /// Appends bytes that are the same for equal values of a type and differ for others.
    fileprivate func appendIdentity(to writer: inout ByteWriter) {
        guard !isNull else { return writer.append(UInt8(0)) }
        writer.append(UInt8(1))
        switch self {
        case .null: break
        case .int(let value): writer.append(UInt64(bitPattern: value))
        case .bool(let value): writer.append(UInt8(value ? 1 : 0))
        case .float(let value): writer.append((value.isNaN ? Float.nan : value + 0).bitPattern)
        case .double(let value): writer.append((value.isNaN ? Double.nan : value + 0).bitPattern)
        case .decimal(let value):
            let canonical = value.identity
            writer.append(canonical.low)
            writer.append(canonical.high)
        case .timestamp(let value):
            writer.append(UInt64(bitPattern: value.seconds))
            writer.append(UInt32(bitPattern: value.nanoseconds))
        case .objectId(let value):
            writer.append(value.high)
            writer.append(value.low)
        case .uuid(let value): withUnsafeBytes(of: value.uuid) { writer.bytes.append(contentsOf: $0) }
        case .link(_, let key): writer.append(UInt64(bitPattern: key.raw))
        case .list(let id), .dictionary(let id): writer.append(id.raw)
        case .string(let bytes), .binary(let bytes):
            writer.append(UInt64(bytes.count))
            writer.bytes.append(contentsOf: bytes)
        }
    }
}

extension Decimal128 {
    /// One of all representations of an equal number: no trailing zeros, one zero, one NaN.
    fileprivate var identity: Decimal128 {
        if isNaN { return .nan }
        guard isFinite else { return self }
        if isZero { return .zero }
        var (coefficient, exponent, isNegative) = split
        while coefficient % 10 == 0 {
            coefficient /= 10
            exponent += 1
        }
        return Decimal128(joining: coefficient, exponent: exponent, isNegative: isNegative) ?? self
    }
}
