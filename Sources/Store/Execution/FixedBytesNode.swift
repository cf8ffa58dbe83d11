import Foundation
import Model

/// Whether an ObjectId, UUID or other value of fixed size equals a constant, byte by byte.
final class FixedBytesNode: ScanNode {
    private let column: StoredColumn
    private let constant: [UInt8]
    private let isNegated: Bool

    init(_ column: StoredColumn, equals constant: [UInt8], negated: Bool) {
        self.column = column
        self.constant = constant
        isNegated = negated
    }

    let cost = 1.5
    var share: Double { isNegated ? 0.99 : 0.01 }
    var explanation: String {
        let digits = constant.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return "\(column.property.name) \(isNegated ? "!=" : "==") \(digits), whole columns"
    }

    func select(_ cluster: Cluster, _ selection: UnsafeSelection, candidates: UnsafeSelection?) {
        guard let chunk = cluster.chunk(column.slot), chunk.width == constant.count, constant.count >= 8 else {
            return selection.fill(false)
        }
        let size = constant.count
        let source = chunk.payload
        constant.withUnsafeBytes { constant in
            // The last eight bytes vary most in an ObjectId, and cover what the first eight don't.
            let head = constant.loadUnaligned(as: UInt64.self)
            let tail = constant.loadUnaligned(fromByteOffset: size - 8, as: UInt64.self)
            for row in 0..<selection.count {
                let at = row &* size
                let isEqual =
                    source.loadUnaligned(fromByteOffset: at, as: UInt64.self) == head
                    && source.loadUnaligned(fromByteOffset: at &+ size &- 8, as: UInt64.self) == tail
                selection.bytes[row] = isEqual ? 255 : 0
            }
        }
        if isNegated { selection.invert() }
        selection.set(nullsOf: chunk, isNegated)
    }
}

/// Whether a value is null.
final class NullNode: ScanNode {
    private let column: StoredColumn
    private let matchesNull: Bool

    init(_ column: StoredColumn, matchesNull: Bool) {
        self.column = column
        self.matchesNull = matchesNull
    }

    let cost = 0.2
    var share: Double { matchesNull ? 0.1 : 0.9 }
    var explanation: String { "\(column.property.name) \(matchesNull ? "==" : "!=") null, whole columns" }

    func select(_ cluster: Cluster, _ selection: UnsafeSelection, candidates: UnsafeSelection?) {
        guard let chunk = cluster.chunk(column.slot) else { return selection.fill(false) }
        selection.fill(!matchesNull)
        selection.set(nullsOf: chunk, matchesNull)
    }
}
