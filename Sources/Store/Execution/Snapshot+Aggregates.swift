import Model
import Query

extension Snapshot {
    /// Minimum, maximum, sum or average of a property over the objects of a query, limits included. Nulls are skipped;
    /// of nothing the sum is 0 and the others null.
    package func aggregate(_ function: AggregateFunction, _ path: PropertyPath, over query: ClassQuery) throws -> Value
    {
        try reading { try aggregateUnchecked(function, path, over: query) }
    }

    private func aggregateUnchecked(
        _ function: AggregateFunction, _ path: PropertyPath, over query: ClassQuery
    ) throws -> Value {
        let compiled = try CompiledQuery(query, on: self)
        let column = try aggregatedColumn(path, function, compiled.table.stored)
        if compiled.descriptors.contains(where: { $0.changesCount }) {
            return aggregate(function, column, compiled.table, compiled.objects())
        }
        let all = (compiled.scan.node as? ConstantNode)?.value == true
        let type = column.property.type
        let parts = compiled.scan.shared(Accumulator(function, type)) { accumulator, cluster, selection in
            guard let chunk = cluster.chunk(column.slot) else { return }
            guard chunk.kind != .mixed else {
                // Long values and links need more than the chunk.
                selection.eachSelected { row in
                    accumulator.add(cluster.scalar(row, column))
                    return true
                }
                return
            }
            accumulator.add(chunk, selection, all: all)
        }
        var total = parts[0]
        for part in parts.dropFirst() { total.merge(part) }
        return total.result.value
    }

    /// The same over given objects; those that don't exist are skipped, those given twice count twice.
    package func aggregate(
        _ function: AggregateFunction, _ path: PropertyPath, className: String, keys: [ObjectKey]
    ) throws -> Value {
        guard let table = table(named: className) else {
            throw StoreError(.unknownClass, "the realm has no class '\(className)'")
        }
        return try reading {
            aggregate(function, try aggregatedColumn(path, function, table.stored), table, keys)
        }
    }

    private func aggregate(
        _ function: AggregateFunction, _ column: StoredColumn, _ table: Table, _ keys: [ObjectKey]
    ) -> Value {
        var accumulator = Accumulator(function, column.property.type)
        var hint: Cluster?
        for key in keys {
            guard let (cluster, row) = table.locate(key, near: hint) else { continue }
            hint = cluster
            accumulator.add(cluster.scalar(row, column))
        }
        return accumulator.result.value
    }

    private func aggregatedColumn(
        _ path: PropertyPath, _ function: AggregateFunction, _ table: StoredTable
    ) throws -> StoredColumn {
        let resolved = try ResolvedPath(path, from: table, in: schema)
        guard case .value(let column) = resolved.end, resolved.steps.isEmpty else {
            throw StoreError(.badQuery, "@\(function.rawValue) needs a numeric property of '\(table.name)'")
        }
        try QueryCompiler.check(column, for: function)
        return column
    }
}

extension Accumulator {
    /// Adds the selected rows of a column.
    mutating func add(_ chunk: UnsafeChunk, _ selection: UnsafeSelection, all: Bool) {
        if chunk.kind == .int, isSum {
            // Nulls are stored as zero: they only have to be left out of the count.
            if all {
                let count = selection.count
                add(sum: ColumnSum.integers(chunk, count), count: count - chunk.nullCount(count))
            } else {
                let sum = ColumnSum.integers(chunk, selection)
                selection.set(nullsOf: chunk, false)
                add(sum: sum, count: selection.selectedCount)
            }
            return
        }
        if chunk.kind == .int, all, chunk.nulls == nil, selection.count > 0 {
            let extremes = ColumnSum.extremes(chunk, selection.count)
            add(.int(extremes.lowerBound))
            add(.int(extremes.upperBound))
            return
        }
        if all, isSum, chunk.kind == .double, chunk.nulls == nil {
            var sum = 0.0
            for row in 0..<selection.count { sum += chunk.double(row) }
            add(sum: sum, count: selection.count)
            return
        }
        selection.eachSelected { row in
            add(chunk.storedScalar(row))
            return true
        }
    }
}

/// Sums over packed integers in plain loops, which the compiler makes vectors of.
enum ColumnSum {
    static func integers(_ chunk: UnsafeChunk, _ count: Int) -> Int64 {
        switch chunk.width {
        case 1: sum(chunk, count, Int8.self)
        case 2: sum(chunk, count, Int16.self)
        case 4: sum(chunk, count, Int32.self)
        case 8: sum(chunk, count, Int64.self)
        default: 0
        }
    }

    /// The sum of the selected rows: each value under the mask that its selection is.
    static func integers(_ chunk: UnsafeChunk, _ selection: UnsafeSelection) -> Int64 {
        var total: Int64 = 0
        for row in 0..<selection.count {
            total &+= chunk.int(row) & Int64(Int8(bitPattern: selection.bytes[row]))
        }
        return total
    }

    /// The least and the greatest of the first `count` values, of which there must be one.
    static func extremes(_ chunk: UnsafeChunk, _ count: Int) -> ClosedRange<Int64> {
        var least = chunk.int(0)
        var greatest = least
        for row in 1..<max(count, 1) {
            let value = chunk.int(row)
            least = min(least, value)
            greatest = max(greatest, value)
        }
        return least...greatest
    }

    @inline(__always)
    private static func sum<T: FixedWidthInteger & SignedInteger>(
        _ chunk: UnsafeChunk, _ count: Int, _: T.Type
    ) -> Int64 {
        let source = chunk.payload
        var total: Int64 = 0
        for row in 0..<count {
            let value = source.loadUnaligned(fromByteOffset: row &* MemoryLayout<T>.size, as: T.self)
            total &+= Int64(truncatingIfNeeded: T(littleEndian: value))
        }
        return total
    }
}

extension UnsafeChunk {
    /// Nulls among the first `rows` rows.
    func nullCount(_ rows: Int) -> Int {
        guard let nulls else { return 0 }
        var total = 0
        for row in 0..<rows { total += Int(nulls.load(fromByteOffset: row >> 3, as: UInt8.self) >> (row & 7) & 1) }
        return total
    }
}

extension UnsafeScalar {
    /// The value of a scalar that is neither a link nor a collection.
    var value: Value {
        switch self {
        case .null, .link, .list, .dictionary: .null
        case .int(let value): .int(value)
        case .bool(let value): .bool(value)
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .decimal(let value): .decimal(value)
        case .timestamp(let value): .timestamp(value)
        case .objectId(let value): .objectId(value)
        case .uuid(let value): .uuid(value)
        case .string(let bytes): ChunkKind.string.value(of: bytes)
        case .binary(let bytes): ChunkKind.binary.value(of: bytes)
        }
    }
}
