import Model

/// Whether a timestamp lies in a range, both ends included.
final class TimestampNode: ScanNode {
    private let column: StoredColumn
    private let low: Timestamp
    private let high: Timestamp
    private let isNegated: Bool
    private let nullMatches: Bool

    init(_ column: StoredColumn, from low: Timestamp, through high: Timestamp, negated: Bool, nullMatches: Bool) {
        self.column = column
        self.low = low
        self.high = high
        isNegated = negated
        self.nullMatches = nullMatches
    }

    let cost = 1.0
    var share: Double {
        let found = low == high ? 0.01 : 0.4
        return isNegated ? 1 - found : found
    }
    var explanation: String {
        let first = low.seconds == .min ? "any time" : "\(low)"
        let last = high.seconds == .max ? "any time" : "\(high)"
        return "\(column.property.name)\(isNegated ? " not" : "") from \(first) to \(last), whole columns"
    }

    func select(_ cluster: Cluster, _ selection: UnsafeSelection, candidates: UnsafeSelection?) {
        guard let chunk = cluster.chunk(column.slot) else { return selection.fill(false) }
        if chunk.flags.contains(.wholeSeconds) {
            // Seconds suffice: the ends are rounded inwards.
            let (first, overflow) = low.seconds.addingReportingOverflow(low.nanoseconds > 0 ? 1 : 0)
            let (last, underflow) = high.seconds.subtractingReportingOverflow(high.nanoseconds < 0 ? 1 : 0)
            if overflow || underflow || first > last {
                selection.fill(false)
            } else {
                IntegerKernel.select(chunk, first...last, selection)
            }
        } else {
            for row in 0..<selection.count {
                let value = chunk.timestamp(row)
                selection.bytes[row] = value >= low && value <= high ? 255 : 0
            }
        }
        if isNegated { selection.invert() }
        selection.set(nullsOf: chunk, nullMatches)
    }
}
