import Model
import Query

/// Compares floats or doubles with a double, by IEEE rules.
final class FloatingNode: ScanNode {
    private let column: StoredColumn
    private let op: Comparison.Operator
    private let constant: Double

    init(_ column: StoredColumn, _ op: Comparison.Operator, _ constant: Double) {
        self.column = column
        self.op = op
        self.constant = constant
    }

    let cost = 0.7
    var share: Double { op == .equal ? 0.02 : op == .notEqual ? 0.98 : 0.4 }
    var explanation: String { "\(column.property.name) \(op.rawValue) \(constant), whole columns" }

    func select(_ cluster: Cluster, _ selection: UnsafeSelection, candidates: UnsafeSelection?) {
        guard let chunk = cluster.chunk(column.slot) else { return selection.fill(false) }
        let constant = constant
        switch op {
        case .equal: each(chunk, selection) { $0 == constant }
        case .notEqual: each(chunk, selection) { $0 != constant }
        case .less: each(chunk, selection) { $0 < constant }
        case .lessOrEqual: each(chunk, selection) { $0 <= constant }
        case .greater: each(chunk, selection) { $0 > constant }
        case .greaterOrEqual: each(chunk, selection) { $0 >= constant }
        default: selection.fill(false)
        }
        selection.set(nullsOf: chunk, op == .notEqual)
    }

    @inline(__always)
    private func each(_ chunk: UnsafeChunk, _ selection: UnsafeSelection, _ holds: (Double) -> Bool) {
        let target = selection.bytes
        if chunk.kind == .double {
            for row in 0..<selection.count { target[row] = holds(chunk.double(row)) ? 255 : 0 }
        } else {
            for row in 0..<selection.count { target[row] = holds(Double(chunk.float(row))) ? 255 : 0 }
        }
    }
}
