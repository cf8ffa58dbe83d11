import Foundation
import Model

/// Sorts objects by properties. Stable, so that objects which compare equal keep their order.
struct ObjectSort {
    private let readers: [(reader: SingleValueReader, ascending: Bool)]
    private let table: Table

    /// What an object is sorted by first: where it stands among nulls, and its value as a number in the same order as
    /// far as eight bytes hold it.
    private struct Entry {
        var rank: UInt8
        var prefix: UInt64
        var position: Int32
    }

    init(_ criteria: [(path: ResolvedPath, ascending: Bool)], _ table: Table) {
        readers = criteria.compactMap { criterion in
            SingleValueReader(criterion.path, table).map { ($0, criterion.ascending) }
        }
        self.table = table
    }

    /// - Parameter limit: how many of the sorted keys are wanted; nil: all.
    func sorted(_ keys: [ObjectKey], first limit: Int? = nil) -> [ObjectKey] {
        var columns: [[SortValue]] = []
        for (reader, _) in readers { columns.append(values(of: reader, keys)) }
        guard let first = readers.first, let firstColumn = columns.first, keys.count <= Int(Int32.max) else {
            return keys
        }
        var entries: [Entry] = []
        entries.reserveCapacity(keys.count)
        for (position, value) in firstColumn.enumerated() {
            let mirrored = !first.ascending
            entries.append(
                Entry(
                    rank: mirrored ? 2 - value.rank : value.rank, prefix: mirrored ? ~value.prefix : value.prefix,
                    position: Int32(position)))
        }
        let isExact = first.reader.column.property.type.isExactInPrefix && readers.count == 1
        func precedes(_ a: Entry, _ b: Entry) -> Bool {
            if a.rank != b.rank { return a.rank < b.rank }
            if a.prefix != b.prefix { return a.prefix < b.prefix }
            if !isExact {
                for (column, (_, ascending)) in zip(columns, readers) {
                    switch column[Int(a.position)].order(column[Int(b.position)]) {
                    case .less: return ascending
                    case .greater: return !ascending
                    case .equal, .none: continue
                    }
                }
            }
            return a.position < b.position
        }
        if let limit, limit < entries.count / 4 {
            entries = FirstElements.of(entries, count: limit, by: precedes)
        } else {
            entries.sort { a, b in
                if a.rank != b.rank { return a.rank < b.rank }
                return a.prefix != b.prefix ? a.prefix < b.prefix : a.position < b.position
            }
            var start = isExact ? entries.count : 0
            while start < entries.count {
                // What the numbers leave open.
                var end = start + 1
                while end < entries.count, entries[end].rank == entries[start].rank,
                    entries[end].prefix == entries[start].prefix
                { end += 1 }
                let first = firstColumn[Int(entries[start].position)]
                let isDecided =
                    readers.count == 1
                    && entries[start..<end].allSatisfy { firstColumn[Int($0.position)].isSame(asShort: first) }
                if end - start > 1, !isDecided { entries[start..<end].sort(by: precedes) }
                start = end
            }
            if let limit { entries = Array(entries.prefix(limit)) }
        }
        return entries.map { keys[Int($0.position)] }
    }

    private func values(of reader: SingleValueReader, _ keys: [ObjectKey]) -> [SortValue] {
        let isMixed = reader.column.property.type == .mixed
        var values: [SortValue] = []
        values.reserveCapacity(keys.count)
        var hint: Cluster?
        for key in keys {
            guard let (cluster, row) = table.locate(key, near: hint) else {
                values.append(SortValue(.nullLink, isMixed: isMixed))
                continue
            }
            hint = cluster
            values.append(SortValue(reader.read(cluster, row), isMixed: isMixed))
        }
        return values
    }
}

/// One value to sort by.
private struct SortValue {
    /// 0 null, 1 a value, 2 a path that ended at a null link.
    var rank: UInt8
    var prefix: UInt64
    var scalar: UnsafeScalar

    /// Values of different types are sorted by type first.
    private var isMixed: Bool

    init(_ found: SingleValueReader.Found, isMixed: Bool) {
        self.isMixed = isMixed
        guard case .value(let value) = found else {
            rank = 2
            prefix = 0
            scalar = .null
            return
        }
        scalar = value
        rank = value.isNull ? 0 : 1
        prefix = isMixed ? 0 : value.sortPrefix
    }

    /// Whether it equals a value of the same rank and prefix because nothing is left out of that. False tells nothing.
    func isSame(asShort other: SortValue) -> Bool {
        guard rank == 1 else { return true }
        guard !isMixed, let bytes = scalar.bytes, let others = other.scalar.bytes else { return false }
        return bytes.count <= 8 && bytes.count == others.count
    }

    func order(_ other: SortValue) -> ValueOrder {
        if rank != other.rank { return ValueOrder(rank, other.rank) }
        if prefix != other.prefix { return ValueOrder(prefix, other.prefix) }
        guard rank == 1 else { return .equal }
        if isMixed {
            // Collections have no order among each other.
            return scalar.isCollection && scalar.typeRank == other.scalar.typeRank
                ? .equal : scalar.totalOrder(other.scalar)
        }
        if case .link(_, let a) = scalar, case .link(_, let b) = other.scalar { return ValueOrder(a, b) }
        let order = scalar.order(other.scalar)
        if order != .none { return order }
        // NaN before all other numbers.
        return ValueOrder(scalar.isNaN ? 0 : 1, other.scalar.isNaN ? 0 : 1)
    }
}

extension ValueType {
    /// Whether eight bytes hold all that values of this type are sorted by.
    fileprivate var isExactInPrefix: Bool {
        switch self {
        case .int, .bool, .float, .double, .link: true
        default: false
        }
    }
}

extension UnsafeScalar {
    var isNaN: Bool {
        switch self {
        case .float(let value): value.isNaN
        case .double(let value): value.isNaN
        case .decimal(let value): value.isNaN
        default: false
        }
    }

    /// A number that is less when the value is less, and equal when the value is equal or the difference shows later.
    fileprivate var sortPrefix: UInt64 {
        switch self {
        case .null, .decimal, .list, .dictionary: return 0
        case .int(let value): return UInt64(bitPattern: value) ^ 1 << 63
        case .bool(let value): return value ? 1 : 0
        case .float(let value): return UnsafeScalar.sortPrefix(Double(value))
        case .double(let value): return UnsafeScalar.sortPrefix(value)
        case .timestamp(let value): return UInt64(bitPattern: value.seconds) ^ 1 << 63
        case .objectId(let value): return value.high
        case .link(_, let key): return UInt64(bitPattern: key.raw)
        case .uuid(let value): return withUnsafeBytes(of: value.uuid) { UnsafeScalar.sortPrefix($0) }
        case .string(let bytes), .binary(let bytes): return UnsafeScalar.sortPrefix(bytes)
        }
    }

    private static func sortPrefix(_ value: Double) -> UInt64 {
        if value.isNaN { return 0 }
        // Adding zero makes -0 the zero that it equals.
        let bits = (value + 0).bitPattern
        return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }

    private static func sortPrefix(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
        var prefix: UInt64 = 0
        for byte in bytes { prefix = prefix << 8 | UInt64(byte) }
        return bytes.isEmpty ? 0 : prefix << UInt64(8 * (8 - bytes.count))
    }
}
