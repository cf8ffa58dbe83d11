/// Which rows of a cluster are selected: one byte a row, 0 or 255, so that comparisons of any width write it as they
/// go. Lives in stack memory that the caller provides.
struct UnsafeSelection {
    let bytes: UnsafeMutablePointer<UInt8>
    let count: Int

    /// Rows that there is memory for; no cluster has more.
    static let capacity = DefaultChunk.capacity

    /// Runs `body` with an uninitialised selection.
    static func with<R>(_ count: Int, _ body: (UnsafeSelection) throws -> R) rethrows -> R {
        try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
            guard let start = buffer.baseAddress else { preconditionFailure("no stack memory") }
            return try body(UnsafeSelection(bytes: start, count: min(count, capacity)))
        }
    }

    @inline(__always)
    subscript(row: Int) -> Bool {
        get { bytes[row] != 0 }
        nonmutating set { bytes[row] = newValue ? 255 : 0 }
    }

    func fill(_ value: Bool) {
        bytes.update(repeating: value ? 255 : 0, count: count)
    }

    func copy(from other: UnsafeSelection) {
        bytes.update(from: other.bytes, count: count)
    }

    func formIntersection(_ other: UnsafeSelection) {
        for row in 0..<count { bytes[row] &= other.bytes[row] }
    }

    func formUnion(_ other: UnsafeSelection) {
        for row in 0..<count { bytes[row] |= other.bytes[row] }
    }

    func subtract(_ other: UnsafeSelection) {
        for row in 0..<count { bytes[row] &= ~other.bytes[row] }
    }

    func invert() {
        for row in 0..<count { bytes[row] = ~bytes[row] }
    }

    var selectedCount: Int {
        // In blocks that a byte can count, so that the sum runs over whole vectors.
        var total = 0
        var row = 0
        while row + 16 <= count {
            var sums = SIMD16<UInt8>()
            let end = min(row + 16 * 255, count & ~15)
            while row < end {
                sums &-= UnsafeRawPointer(bytes + row).loadUnaligned(as: SIMD16<UInt8>.self)
                row += 16
            }
            total += Int(SIMD16<UInt16>(truncatingIfNeeded: sums).wrappedSum())
        }
        while row < count {
            total += Int(bytes[row] & 1)
            row += 1
        }
        return total
    }

    var isEmpty: Bool {
        eachSelected { _ in false }
    }

    /// Calls `body` with each selected row in order until it returns false.
    /// - Returns: whether all were visited.
    @inline(__always)
    @discardableResult
    func eachSelected(_ body: (Int) -> Bool) -> Bool {
        var row = 0
        while row < count {
            if row + 8 <= count, UnsafeRawPointer(bytes + row).loadUnaligned(as: UInt64.self) == 0 {
                row += 8
                continue
            }
            if bytes[row] != 0, !body(row) { return false }
            row += 1
        }
        return true
    }
}
