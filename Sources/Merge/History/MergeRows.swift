import Model

/// Which cells of a group an incoming instruction can meet: those of the same property and, of a dictionary or set, of
/// the same key or element. Between others the rules change nothing, so leaving them out is only quicker (M-30).
struct MergeRows {
    /// A part of a property that different instructions can't both be concerned with.
    private enum Lane: Hashable {
        /// A key of a dictionary, or a property of an embedded object.
        case name(Symbol)
        /// An element of a set that equals no element of another type.
        case element(Value)

        /// Nil for what can meet more than one lane.
        init?(_ instruction: MergeInstruction) {
            if let name = instruction.path.first?.name {
                self = .name(name)
                return
            }
            guard instruction.kind == .setInsert || instruction.kind == .setErase, instruction.path.isEmpty,
                case .value(let value) = instruction.payload
            else { return nil }
            switch value {
            // They equal numbers of other types (C-167).
            case .float, .double, .decimal: return nil
            default: self = .element(value)
            }
        }
    }

    private struct Row {
        var all: [Int]
        /// Those without lane.
        var whole: [Int]
        var lanes: [Lane: [Int]] = [:]
    }

    private var rows: [Symbol: Row] = [:]
    /// The cells that create or erase the object, and those that erase it.
    private var objectRow: [Int] = []
    private var erasureRow: [Int] = []

    init(_ cells: [MergeInstruction]) {
        for (number, cell) in cells.enumerated() { append(cell, number) }
    }

    private mutating func append(_ cell: MergeInstruction, _ number: Int) {
        switch cell.kind {
        case .createObject: objectRow.append(number)
        case .eraseObject:
            objectRow.append(number)
            erasureRow.append(number)
            for property in rows.keys {
                rows[property]?.all.append(number)
                rows[property]?.whole.append(number)
            }
        default:
            guard cell.hasPath else { return }
            let lane = Lane(cell)
            func add(_ row: inout Row) {
                row.all.append(number)
                if let lane { row.lanes[lane, default: []].append(number) } else { row.whole.append(number) }
            }
            add(&rows[cell.property, default: Row(all: erasureRow, whole: erasureRow)])
        }
    }

    /// The cells that an instruction can meet, in order, as two lists that are to be merged; nil if it can meet all.
    func cells(for incoming: MergeInstruction) -> (first: [Int], second: [Int])? {
        switch incoming.kind {
        case .createObject: return (objectRow, [])
        case .eraseObject, .addTable, .addColumn, .eraseTable, .eraseColumn: return nil
        default:
            guard let row = rows[incoming.property] else { return (erasureRow, []) }
            guard let lane = Lane(incoming) else { return (row.all, []) }
            return (row.whole, row.lanes[lane] ?? [])
        }
    }
}
