import Model

/// A condition behind a to-one link: it was evaluated over the whole target table once, each row only looks its target
/// up.
final class LinkProbeNode: ScanNode {
    private let column: StoredColumn
    private let targets: KeySet
    /// What a row without target gives. If true, `targets` are those that don't satisfy the condition, so that an
    /// unresolved link, which is in no set, counts as none.
    private let nullMatches: Bool
    /// The condition on the targets.
    private let inner: any ScanNode
    private let targetCount: Int

    init(_ column: StoredColumn, targets: KeySet, of targetCount: Int, nullMatches: Bool, inner: any ScanNode) {
        self.column = column
        self.targets = targets
        self.targetCount = targetCount
        self.nullMatches = nullMatches
        self.inner = inner
    }

    let cost = 4.0
    var share: Double {
        let share = Double(targets.count) / Double(max(targetCount, 1))
        return nullMatches ? 1 - share : share
    }
    var explanation: String {
        "\(column.property.name) among \(nullMatches ? targetCount - targets.count : targets.count) of \(targetCount)"
            + " objects\(nullMatches ? ", or none" : ""), each looked at once:"
    }
    var parts: [any ScanNode] { [inner] }

    func select(_ cluster: Cluster, _ selection: UnsafeSelection, candidates: UnsafeSelection?) {
        guard let chunk = cluster.chunk(column.slot) else { return selection.fill(false) }
        for row in 0..<selection.count {
            let stored = chunk.int(row)
            let isIn = stored != 0 && targets.contains(ObjectKey(stored &- 1))
            selection[row] = isIn != nullMatches
        }
    }
}

/// A set of object keys of one table: a bitmap while keys are few enough.
struct KeySet {
    private var words: [UInt64] = []
    private var keys: Set<ObjectKey> = []
    private let isBitmap: Bool
    private(set) var count = 0
    /// Keys from here on go to a hash set: 8 MB of bitmap.
    private static let bitmapLimit: Int64 = 1 << 26

    init(for table: Table) {
        isBitmap = table.nextKey.raw <= KeySet.bitmapLimit
        if isBitmap { words = Array(repeating: 0, count: Int(table.nextKey.raw >> 6) + 1) }
    }

    mutating func insert(_ key: ObjectKey) {
        if isBitmap {
            let word = Int(key.raw >> 6)
            guard key.raw >= 0, word < words.count else { return }
            words[word] |= 1 << UInt64(key.raw & 63)
        } else {
            keys.insert(key)
        }
        count += 1
    }

    @inline(__always)
    func contains(_ key: ObjectKey) -> Bool {
        if isBitmap {
            let word = Int(key.raw >> 6)
            return key.raw >= 0 && word < words.count && words[word] >> UInt64(key.raw & 63) & 1 != 0
        }
        return keys.contains(key)
    }
}
