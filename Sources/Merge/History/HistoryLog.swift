import Model

/// What a merge must compare an instruction with: those of the same object, or the declarations of the same class.
/// Between different groups all pairs are independent, unless one of them erases a class or property (M-30).
struct GroupKey: Hashable, Sendable {
    var className: Symbol
    /// Nil for declarations.
    var object: PrimaryKey?

    init(_ instruction: MergeInstruction) {
        className = instruction.className
        object = instruction.isSchema ? nil : instruction.key
    }
}

/// The entries of a history one after another, and where in them each object is touched.
///
/// Every instruction has a *position*: a number that grows through the history and stays when entries before it go.
struct HistoryLog: Sendable {
    struct Entry: Sendable {
        var version: UInt64
        var rank: Rank
        var receivedFrom: UInt64?
        var positions: Range<Int>
    }

    var symbols = SymbolTable()
    /// Those kept, and before them some that were dropped.
    private var allEntries: [Entry] = []
    private var droppedCount = 0
    private var instructions: [MergeInstruction] = []
    /// Of the first instruction kept.
    private var firstPosition = 0
    private var groups: [GroupKey: [Int]] = [:]
    /// Of the instructions that erase a class or property.
    private var erasures: [Int] = []

    var entries: ArraySlice<Entry> { allEntries[droppedCount...] }

    var isEmpty: Bool { droppedCount == allEntries.count }

    /// Of the last entry there ever was.
    private(set) var lastVersion: UInt64 = 0

    var endPosition: Int { firstPosition + instructions.count }

    func instruction(at position: Int) -> MergeInstruction { instructions[position - firstPosition] }

    mutating func append(_ entry: HistoryEntry) throws(MergeError) {
        var added: [MergeInstruction] = []
        added.reserveCapacity(entry.instructions.count)
        for instruction in entry.instructions {
            added.append(try MergeInstruction(instruction, rank: entry.rank, symbols: &symbols))
        }
        let start = endPosition
        for (place, instruction) in added.enumerated() {
            groups[GroupKey(instruction), default: []].append(start + place)
            if instruction.erasesSchema { erasures.append(start + place) }
        }
        instructions.append(contentsOf: added)
        lastVersion = entry.version
        allEntries.append(
            Entry(
                version: entry.version, rank: entry.rank, receivedFrom: entry.receivedFrom,
                positions: start..<endPosition))
    }

    /// Drops entries up to a version. The memory is given back when half of what is kept is dead.
    mutating func trim(through version: UInt64) {
        let start = position(after: version)
        droppedCount = entries.firstIndex(from: { $0.version > version })
        guard isEmpty || (start - firstPosition) * 2 > instructions.count else { return }
        allEntries.removeFirst(droppedCount)
        droppedCount = 0
        instructions.removeFirst(start - firstPosition)
        firstPosition = start
        erasures.removeAll { $0 < start }
        groups = [:]
        for (place, instruction) in instructions.enumerated() {
            groups[GroupKey(instruction), default: []].append(start + place)
        }
    }

    /// Whether most names can't be those of what is kept.
    var hasManyDeadSymbols: Bool { symbols.count > Self.symbolSlack + 4 * instructions.count }

    private static let symbolSlack = 1_000

    // MARK: Finding

    /// Where the entries after a version begin.
    func position(after version: UInt64) -> Int {
        let next = entries.firstIndex(from: { $0.version > version })
        return next < entries.endIndex ? entries[next].positions.lowerBound : endPosition
    }

    /// The entry that has an instruction.
    func entry(at position: Int) -> Entry {
        entries[entries.firstIndex(from: { $0.positions.upperBound > position })]
    }

    func entry(version: UInt64) -> Entry? {
        let place = entries.firstIndex(from: { $0.version >= version })
        return place < entries.endIndex && entries[place].version == version ? entries[place] : nil
    }

    /// Where, from a position on, a group is touched.
    func positions(of group: GroupKey, from start: Int) -> ArraySlice<Int> {
        guard let all = groups[group] else { return [] }
        return all[all.firstIndex(from: { $0 >= start })...]
    }

    func hasErasures(from start: Int) -> Bool {
        erasures.last.map { $0 >= start } ?? false
    }
}

extension RandomAccessCollection {
    /// The first place from which on a condition holds, by halving.
    fileprivate func firstIndex(from condition: (Element) -> Bool) -> Index {
        var low = startIndex
        var count = count
        while count > 0 {
            let half = count / 2
            let middle = index(low, offsetBy: half)
            if condition(self[middle]) {
                count = half
            } else {
                low = index(after: middle)
                count -= half + 1
            }
        }
        return low
    }
}
