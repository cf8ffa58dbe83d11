/// One bit per row, growing as rows are marked; rows beyond the stored words read as false.
struct RowBits: Hashable, Sendable {
    private(set) var words: ContiguousArray<UInt64> = []

    var isAnySet: Bool { words.contains { $0 != 0 } }

    subscript(row: Int) -> Bool {
        row >> 6 < words.count && words[row >> 6] >> (row & 63) & 1 != 0
    }

    mutating func set(_ row: Int, _ value: Bool) {
        let word = row >> 6
        if word >= words.count {
            guard value else { return }
            words.append(contentsOf: repeatElement(0, count: word + 1 - words.count))
        }
        let bit: UInt64 = 1 << (row & 63)
        if value { words[word] |= bit } else { words[word] &= ~bit }
    }

    /// Makes room at `row`; `count` is the number of rows before.
    mutating func insert(_ value: Bool, at row: Int, count: Int) {
        if !words.isEmpty, row < count {
            for later in stride(from: count, to: row, by: -1) { set(later, self[later - 1]) }
        }
        set(row, value)
    }

    /// Closes the gap at `row`; `count` is the number of rows before.
    mutating func remove(at row: Int, count: Int) {
        guard !words.isEmpty else { return }
        for later in row..<(count - 1) { set(later, self[later + 1]) }
        set(count - 1, false)
    }

    func store(to target: UnsafeMutableRawPointer, count: Int) {
        for word in 0..<(count + 63) / 64 {
            let value = word < words.count ? words[word] : 0
            target.storeBytes(of: value.littleEndian, toByteOffset: word * 8, as: UInt64.self)
        }
    }
}
