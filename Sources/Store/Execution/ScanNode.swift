import Model
import Query

/// A part of a query's condition, evaluated for the rows of a cluster at once. Immutable once made: several threads
/// may scan with it.
protocol ScanNode: AnyObject {
    /// Rough cost for a row, in nanoseconds.
    var cost: Double { get }
    /// Which share of the rows satisfies it, roughly.
    var share: Double { get }
    /// What it does, for `explain`; that of its parts comes by itself.
    var explanation: String { get }
    var parts: [any ScanNode] { get }
    /// Writes whether each row satisfies it. Only `candidates` matter, all rows if nil; others may get any value.
    func select(_ cluster: Cluster, _ selection: UnsafeSelection, candidates: UnsafeSelection?)
}

extension ScanNode {
    var parts: [any ScanNode] { [] }

    /// The node and its parts, in the order of evaluation.
    func planParts(depth: Int = 0) -> [QueryPlan.Part] {
        [QueryPlan.Part(depth: depth, text: explanation)] + parts.flatMap { $0.planParts(depth: depth + 1) }
    }
}

/// TRUEPREDICATE, FALSEPREDICATE, and comparisons that come out the same for every row.
final class ConstantNode: ScanNode {
    let value: Bool
    init(_ value: Bool) { self.value = value }

    let cost = 0.0
    var share: Double { value ? 1 : 0 }
    var explanation: String { value ? "every object" : "no object" }

    func select(_ cluster: Cluster, _ selection: UnsafeSelection, candidates: UnsafeSelection?) {
        selection.fill(value)
    }
}

final class AndNode: ScanNode {
    let parts: [any ScanNode]
    let cost: Double
    let share: Double

    /// Begins with the part that leaves out most for its cost.
    init(_ parts: [any ScanNode]) {
        let ordered = parts.sorted { $0.cost / max(1 - $0.share, 1e-3) < $1.cost / max(1 - $1.share, 1e-3) }
        self.parts = ordered
        // Later parts look at what the earlier ones left.
        (cost, share) = ordered.reduce((0.0, 1.0)) { ($0.0 + $0.1 * $1.cost, $0.1 * $1.share) }
    }

    var explanation: String { "all of" }

    func select(_ cluster: Cluster, _ selection: UnsafeSelection, candidates: UnsafeSelection?) {
        if let candidates { selection.copy(from: candidates) } else { selection.fill(true) }
        UnsafeSelection.with(cluster.count) { part in
            for (position, node) in parts.enumerated() {
                let isOpen = position == 0 && candidates == nil
                node.select(cluster, part, candidates: isOpen ? nil : selection)
                selection.formIntersection(part)
                if position + 1 < parts.count, selection.isEmpty { return }
            }
        }
    }
}

final class OrNode: ScanNode {
    let parts: [any ScanNode]
    let cost: Double
    let share: Double

    /// Begins with the part that decides most for its cost.
    init(_ parts: [any ScanNode]) {
        let ordered = parts.sorted { $0.cost / max($0.share, 1e-3) < $1.cost / max($1.share, 1e-3) }
        self.parts = ordered
        // Later parts look at what the earlier ones left open.
        let (cost, open) = ordered.reduce((0.0, 1.0)) { ($0.0 + $0.1 * $1.cost, $0.1 * (1 - $1.share)) }
        self.cost = cost
        share = 1 - open
    }

    var explanation: String { "any of" }

    func select(_ cluster: Cluster, _ selection: UnsafeSelection, candidates: UnsafeSelection?) {
        selection.fill(false)
        UnsafeSelection.with(cluster.count) { part in
            UnsafeSelection.with(cluster.count) { open in
                if let candidates { open.copy(from: candidates) } else { open.fill(true) }
                for node in parts {
                    node.select(cluster, part, candidates: open)
                    part.formIntersection(open)
                    selection.formUnion(part)
                    open.subtract(part)
                    if open.isEmpty { return }
                }
            }
        }
    }
}

final class NotNode: ScanNode {
    let part: any ScanNode
    let cost: Double
    let share: Double

    init(_ part: any ScanNode) {
        self.part = part
        cost = part.cost
        share = 1 - part.share
    }

    var explanation: String { "not" }
    var parts: [any ScanNode] { [part] }

    func select(_ cluster: Cluster, _ selection: UnsafeSelection, candidates: UnsafeSelection?) {
        part.select(cluster, selection, candidates: candidates)
        selection.invert()
    }
}

/// A condition without a kernel: each candidate row is evaluated on its own.
final class RowNode: ScanNode {
    private let condition: RowCondition
    private let comparison: Comparison

    init(_ condition: RowCondition, of comparison: Comparison) {
        self.condition = condition
        self.comparison = comparison
        cost = condition.cost
    }

    let cost: Double
    let share = 0.5
    var explanation: String {
        let text = try? RQL.print(.comparison(comparison)).text
        return "\(text ?? comparison.op.rawValue), object by object"
    }

    func select(_ cluster: Cluster, _ selection: UnsafeSelection, candidates: UnsafeSelection?) {
        guard let candidates else {
            for row in 0..<cluster.count { selection[row] = condition.holds(RowReference(cluster: cluster, row: row)) }
            return
        }
        selection.fill(false)
        candidates.eachSelected { row in
            selection[row] = condition.holds(RowReference(cluster: cluster, row: row))
            return true
        }
    }
}

extension UnsafeSelection {
    /// Sets the rows whose value is null.
    func set(nullsOf chunk: UnsafeChunk, _ value: Bool) {
        guard let nulls = chunk.nulls else { return }
        for byte in 0..<(count + 7) / 8 {
            var bits = nulls.load(fromByteOffset: byte, as: UInt8.self)
            while bits != 0 {
                let row = byte * 8 + bits.trailingZeroBitCount
                if row < count { bytes[row] = value ? 255 : 0 }
                bits &= bits - 1
            }
        }
    }
}
