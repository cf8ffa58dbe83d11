/// A set of columns of one table.
package struct ColumnSet: Hashable, Sendable {
    /// Columns 0 to 63, one bit each.
    private var low: UInt64 = 0
    /// The others, ascending.
    private var high: [UInt16] = []

    package init() {}

    package init(_ columns: some Sequence<ColumnId>) {
        for column in columns { insert(column) }
    }

    package var isEmpty: Bool { low == 0 && high.isEmpty }
    package var count: Int { low.nonzeroBitCount + high.count }

    package func contains(_ column: ColumnId) -> Bool {
        column.raw < 64 ? low >> column.raw & 1 != 0 : high.contains(column.raw)
    }

    package mutating func insert(_ column: ColumnId) {
        if column.raw < 64 {
            low |= 1 << column.raw
        } else if let place = high.firstIndex(where: { $0 >= column.raw }) {
            if high[place] != column.raw { high.insert(column.raw, at: place) }
        } else {
            high.append(column.raw)
        }
    }

    package mutating func formUnion(_ other: ColumnSet) {
        low |= other.low
        for raw in other.high { insert(ColumnId(raw)) }
    }

    /// The columns, ascending.
    package var columns: [ColumnId] {
        (0..<64).filter { low >> $0 & 1 != 0 }.map { ColumnId(UInt16($0)) } + high.map { ColumnId($0) }
    }
}
