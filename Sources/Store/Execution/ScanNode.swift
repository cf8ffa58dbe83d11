import Model
import Query

/// A part of a query's condition, evaluated for the rows of a cluster at once. Immutable once made: several threads
/// may scan with it.
protocol ScanNode: AnyObject {
    /// Rough cost for a row, in nanoseconds. AND and OR begin with the cheap parts.
    var cost: Double { get }
    /// What it does, for `explain`.
    var explanation: String { get }
    /// Writes whether each row satisfies it. Only `candidates` matter, all rows if nil; others may get any value.
    func select(_ cluster: Cluster, _ selection: UnsafeSelection, candidates: UnsafeSelection?)
}

/// TRUEPREDICATE, FALSEPREDICATE, and comparisons that come out the same for every row.
final class ConstantNode: ScanNode {
    let value: Bool
    init(_ value: Bool) { self.value = value }

    let cost = 0.0
    var explanation: String { value ? "all" : "none" }

    func select(_ cluster: Cluster, _ selection: UnsafeSelection, candidates: UnsafeSelection?) {
        selection.fill(value)
    }
}

final class AndNode: ScanNode {
    let parts: [any ScanNode]
    init(_ parts: [any ScanNode]) { self.parts = parts.sorted { $0.cost < $1.cost } }

    var cost: Double { parts.reduce(0) { $0 + $1.cost } }
    var explanation: String { "and(\(parts.map(\.explanation).joined(separator: ", ")))" }

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
    init(_ parts: [any ScanNode]) { self.parts = parts.sorted { $0.cost < $1.cost } }

    var cost: Double { parts.reduce(0) { $0 + $1.cost } }
    var explanation: String { "or(\(parts.map(\.explanation).joined(separator: ", ")))" }

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
    init(_ part: any ScanNode) { self.part = part }

    var cost: Double { part.cost }
    var explanation: String { "not(\(part.explanation))" }

    func select(_ cluster: Cluster, _ selection: UnsafeSelection, candidates: UnsafeSelection?) {
        part.select(cluster, selection, candidates: candidates)
        selection.invert()
    }
}

/// A condition without a kernel: each candidate row is evaluated on its own.
final class RowNode: ScanNode {
    private let condition: RowCondition
    private let text: String

    init(_ condition: RowCondition, text: String) {
        self.condition = condition
        self.text = text
    }

    let cost = 300.0
    var explanation: String { "rows \(text)" }

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
