/// The instructions of a history that those of a group of incoming ones meet, in the form they have by now.
struct MergeGroup {
    private(set) var cells: [MergeInstruction] = []
    /// Where in the history each stands. What a merge puts before an instruction has the same position (M-29).
    private(set) var positions: [Int] = []
    /// By property, the cells that an instruction acting there can meet.
    private var rows: [Symbol: [Int]] = [:]
    /// The cells that create or erase the object, and those that erase it.
    private var objectRow: [Int] = []
    private var erasureRow: [Int] = []

    mutating func append(_ instruction: MergeInstruction, at position: Int) {
        let cell = cells.count
        cells.append(instruction)
        positions.append(position)
        switch instruction.kind {
        case .createObject: objectRow.append(cell)
        case .eraseObject:
            objectRow.append(cell)
            erasureRow.append(cell)
            for property in rows.keys { rows[property]?.append(cell) }
        default:
            if instruction.hasPath { rows[instruction.property, default: erasureRow].append(cell) }
        }
    }

    /// Lets an incoming instruction meet those of the same object, or of the same class if it declares something.
    mutating func meet(_ incoming: inout MergeInstruction) throws(MergeError) {
        switch incoming.kind {
        case .createObject: try meet(&incoming, objectRow)
        case .eraseObject, .addTable, .addColumn, .eraseTable, .eraseColumn: try meet(&incoming, cells.indices)
        default: try meet(&incoming, rows[incoming.property] ?? erasureRow)
        }
    }

    private mutating func meet(_ incoming: inout MergeInstruction, _ row: some Sequence<Int>) throws(MergeError) {
        for cell in row where !cells[cell].isDiscarded {
            // Only what erases a class is ever preceded by something, and then there are no groups.
            _ = try transform(&cells[cell], &incoming)
            if incoming.isDiscarded { return }
        }
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
