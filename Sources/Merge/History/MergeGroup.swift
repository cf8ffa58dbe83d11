/// The instructions of a history that those of a group of incoming ones meet, in the form they have by now.
struct MergeGroup {
    private(set) var cells: [MergeInstruction] = []
    /// Where in the history each stands. What a merge puts before an instruction has the same position (M-29).
    private(set) var positions: [Int] = []
    /// Made when the first instruction comes, if there are so many cells that it pays.
    private var rows: MergeRows?

    private static let manyCells = 16

    mutating func append(_ instruction: MergeInstruction, at position: Int) {
        cells.append(instruction)
        positions.append(position)
    }

    /// Lets an incoming instruction meet those of the same object, or of the same class if it declares something.
    mutating func meet(_ incoming: inout MergeInstruction) throws(MergeError) {
        if rows == nil, cells.count > Self.manyCells { rows = MergeRows(cells) }
        guard let (first, second) = rows?.cells(for: incoming) else {
            for cell in cells.indices {
                guard try goesOn(&incoming, cell) else { return }
            }
            return
        }
        var (one, other) = (first.startIndex, second.startIndex)
        while one < first.endIndex || other < second.endIndex {
            let isFirst = other == second.endIndex || (one < first.endIndex && first[one] < second[other])
            let cell = isFirst ? first[one] : second[other]
            if isFirst { one += 1 } else { other += 1 }
            guard try goesOn(&incoming, cell) else { return }
        }
    }

    /// Lets it meet one cell. False if it was discarded.
    private mutating func goesOn(_ incoming: inout MergeInstruction, _ cell: Int) throws(MergeError) -> Bool {
        if cells[cell].isDiscarded { return true }
        // Only what erases a class is ever preceded by something, and then there are no groups.
        _ = try transform(&cells[cell], &incoming)
        return !incoming.isDiscarded
    }

    /// Lets an incoming instruction meet all cells from a place on, whatever they act on. The result is the incoming
    /// instruction, unless it was discarded, and what the merge puts before it.
    mutating func meetAll(_ incoming: MergeInstruction, from start: Int = 0) throws(MergeError) -> [MergeInstruction] {
        var incoming = incoming
        var result: [MergeInstruction] = []
        var cell = start
        while cell < cells.count, !incoming.isDiscarded {
            defer { cell += 1 }
            if cells[cell].isDiscarded { continue }
            guard let preceding = try transform(&cells[cell], &incoming) else { continue }
            if incoming.kind == .eraseTable {
                result += try meetAll(preceding, from: cell + 1)
            } else {
                cells.insert(preceding, at: cell)
                positions.insert(positions[cell], at: cell)
                cell += 1
            }
        }
        if !incoming.isDiscarded { result.append(incoming) }
        return result
    }

    /// What has changed: by position, what stands there now.
    var changes: [(position: Int, instructions: [MergeInstruction])] {
        var changes: [(position: Int, instructions: [MergeInstruction])] = []
        var cell = 0
        while cell < cells.count {
            let position = positions[cell]
            let start = cell
            var isChanged = false
            while cell < cells.count, positions[cell] == position {
                isChanged = isChanged || cells[cell].isChanged
                cell += 1
            }
            if isChanged || cell - start > 1 {
                changes.append((position, cells[start..<cell].filter { !$0.isDiscarded }))
            }
        }
        return changes
    }
}
