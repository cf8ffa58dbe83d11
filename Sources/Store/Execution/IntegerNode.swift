import Model

/// Whether an integer (or Boolean, or link) lies in one of some ranges.
final class IntegerNode: ScanNode {
    private let column: StoredColumn
    /// Ascending and disjoint.
    private let ranges: [ClosedRange<Int64>]
    private let isNegated: Bool
    private let nullMatches: Bool
    /// Every value to look for, when there are too many to try one after the other.
    private let values: Set<Int64>?
    private static let rangesTriedInTurn = 4

    init(_ column: StoredColumn, in ranges: [ClosedRange<Int64>], negated: Bool = false, nullMatches: Bool) {
        self.column = column
        self.ranges = ranges
        isNegated = negated
        self.nullMatches = nullMatches
        let single = ranges.allSatisfy { $0.lowerBound == $0.upperBound }
        values = ranges.count > IntegerNode.rangesTriedInTurn && single ? Set(ranges.map(\.lowerBound)) : nil
    }

    var cost: Double { values == nil ? 0.5 * Double(max(ranges.count, 1)) : 20 }

    var share: Double {
        let type = column.property.type
        let found = ranges.reduce(0.0) { share, range in
            if range.lowerBound == range.upperBound { return share + (type == .bool ? 0.5 : 0.02) }
            return share + (range.lowerBound == .min || range.upperBound == .max ? 0.4 : 0.2)
        }
        return isNegated ? 1 - min(found, 1) : min(found, 1)
    }

    var explanation: String {
        let texts = ranges.prefix(4).map { range in
            if range.lowerBound == range.upperBound { return "\(range.lowerBound)" }
            if range.lowerBound == .min { return range.upperBound == .max ? "any" : "to \(range.upperBound)" }
            return range.upperBound == .max ? "from \(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
        }
        return "\(column.property.name)\(isNegated ? " not" : "") in {\(texts.joined(separator: ", "))"
            + (ranges.count > 4 ? ", … \(ranges.count) in all}" : "}") + (nullMatches ? " or null" : "")
            + ", whole columns"
    }

    func select(_ cluster: Cluster, _ selection: UnsafeSelection, candidates: UnsafeSelection?) {
        guard let chunk = cluster.chunk(column.slot) else { return selection.fill(false) }
        if let values {
            for row in 0..<cluster.count { selection[row] = values.contains(chunk.int(row)) }
        } else if let first = ranges.first {
            IntegerKernel.select(chunk, first, selection)
            if ranges.count > 1 {
                UnsafeSelection.with(cluster.count) { part in
                    for range in ranges.dropFirst() {
                        IntegerKernel.select(chunk, range, part)
                        selection.formUnion(part)
                    }
                }
            }
        } else {
            selection.fill(false)
        }
        if isNegated { selection.invert() }
        selection.set(nullsOf: chunk, nullMatches)
    }
}

/// Comparisons of packed integers with a range: plain loops over one width, which the compiler makes vectors of.
enum IntegerKernel {
    static func select(_ chunk: UnsafeChunk, _ range: ClosedRange<Int64>, _ selection: UnsafeSelection) {
        switch chunk.width {
        case 1: select(chunk, range, selection, Int8.self, UInt8.self)
        case 2: select(chunk, range, selection, Int16.self, UInt16.self)
        case 4: select(chunk, range, selection, Int32.self, UInt32.self)
        case 8: selectWide(chunk, range, selection)
        default: selection.fill(range.contains(0))
        }
    }

    @inline(__always)
    private static func select<T: FixedWidthInteger & SignedInteger, U: FixedWidthInteger & UnsignedInteger>(
        _ chunk: UnsafeChunk, _ range: ClosedRange<Int64>, _ selection: UnsafeSelection, _: T.Type, _: U.Type
    ) {
        guard range.lowerBound <= Int64(T.max), range.upperBound >= Int64(T.min) else { return selection.fill(false) }
        let low = T(clamping: range.lowerBound)
        let span = U(truncatingIfNeeded: T(clamping: range.upperBound) &- low)
        let source = chunk.payload
        let target = selection.bytes
        for row in 0..<selection.count {
            let value = T(littleEndian: source.loadUnaligned(fromByteOffset: row &* MemoryLayout<T>.size, as: T.self))
            // One comparison for both ends: what is below `low` wraps to above `span`.
            target[row] = U(truncatingIfNeeded: value &- low) <= span ? 255 : 0
        }
    }

    private static func selectWide(_ chunk: UnsafeChunk, _ range: ClosedRange<Int64>, _ selection: UnsafeSelection) {
        let source = chunk.payload
        let target = selection.bytes
        let low = range.lowerBound
        let high = range.upperBound
        for row in 0..<selection.count {
            let value = Int64(littleEndian: source.loadUnaligned(fromByteOffset: row &* 8, as: Int64.self))
            target[row] = value >= low && value <= high ? 255 : 0
        }
    }
}
