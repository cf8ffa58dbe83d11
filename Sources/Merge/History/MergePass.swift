import Model

/// The merge of a run of incoming changesets that were all made on the same version of this history (M-16).
///
/// For each incoming instruction in order, it meets those of this side in order: the same as for each of this side's,
/// the incoming ones, because a pair depends only on the pairs before it in its row and in its column.
struct MergePass {
    /// By version and place in the entry: what stands there after merges with the peer.
    typealias Forms = [UInt64: [Int: [MergeInstruction]]]

    private let log: HistoryLog
    private let peer: UInt64
    /// The forms that earlier merges left, and those that earlier passes of this merge did.
    private let forms: [Forms]
    private let start: Int
    private var groups: [MergeGroup] = []
    private var groupPlaces: [GroupKey: Int] = [:]

    init(_ log: HistoryLog, peer: UInt64, after version: UInt64, forms: [Forms]) {
        self.log = log
        self.peer = peer
        self.forms = forms
        start = log.position(after: version)
    }

    /// Merges the changesets of a run in place. The result is what has changed on this side.
    mutating func merge(
        _ changesets: ArraySlice<RemoteChangeset>, into result: inout [RemoteChangeset], symbols: inout SymbolScope,
        comparingAll: Bool
    ) throws(MergeError) -> Forms {
        guard start < log.endPosition else {
            result.append(contentsOf: changesets)
            return [:]
        }
        let isGrouped =
            !comparingAll && !log.hasErasures(from: start) && !changesets.contains(where: \.erasesSchema)
        if !isGrouped { groups = [everything()] }
        for changeset in changesets {
            var transformed = changeset
            transformed.instructions = try isGrouped ? grouped(changeset, &symbols) : complete(changeset, &symbols)
            result.append(transformed)
        }
        return changes()
    }

    /// Each instruction against those of its group.
    private mutating func grouped(
        _ changeset: RemoteChangeset, _ symbols: inout SymbolScope
    ) throws(MergeError) -> [Instruction] {
        var result: [Instruction] = []
        result.reserveCapacity(changeset.instructions.count)
        for instruction in changeset.instructions {
            var incoming = try MergeInstruction(instruction, rank: changeset.rank, symbols: &symbols)
            guard let place = place(of: GroupKey(incoming)) else {
                result.append(instruction)
                continue
            }
            do {
                try groups[place].meet(&incoming)
            } catch {
                throw error.located(at: incoming, symbols)
            }
            if incoming.isDiscarded { continue }
            result.append(incoming.isChanged ? try incoming.instruction(symbols) : instruction)
        }
        return result
    }

    /// Each instruction against all: erasing a class or property concerns more than one group.
    private mutating func complete(
        _ changeset: RemoteChangeset, _ symbols: inout SymbolScope
    ) throws(MergeError) -> [Instruction] {
        var result: [Instruction] = []
        for instruction in changeset.instructions {
            let incoming = try MergeInstruction(instruction, rank: changeset.rank, symbols: &symbols)
            do {
                for transformed in try groups[0].meetAll(incoming) {
                    result.append(try transformed.instruction(symbols))
                }
            } catch {
                throw error.located(at: incoming, symbols)
            }
        }
        return result
    }

    // MARK: This side

    private mutating func place(of key: GroupKey) -> Int? {
        if let known = groupPlaces[key] { return known }
        // What this side doesn't touch isn't remembered: asking again is cheaper.
        let positions = log.positions(of: key, from: start)
        if positions.isEmpty { return nil }
        var group = MergeGroup()
        for position in positions { load(position, into: &group) }
        groupPlaces[key] = groups.count
        groups.append(group)
        return groups.count - 1
    }

    private func everything() -> MergeGroup {
        var group = MergeGroup()
        for position in start..<log.endPosition { load(position, into: &group) }
        return group
    }

    /// The present form of what stands at a position, if it takes part (M-5).
    private func load(_ position: Int, into group: inout MergeGroup) {
        let entry = log.entry(at: position)
        guard entry.receivedFrom != peer else { return }
        let place = position - entry.positions.lowerBound
        for forms in forms.reversed() {
            guard let form = forms[entry.version]?[place] else { continue }
            for instruction in form { group.append(instruction, at: position) }
            return
        }
        group.append(log.instruction(at: position), at: position)
    }

    private func changes() -> Forms {
        var changes: Forms = [:]
        for group in groups {
            for (position, instructions) in group.changes {
                let entry = log.entry(at: position)
                let form = instructions.map { instruction in
                    var instruction = instruction
                    instruction.forgetChange()
                    return instruction
                }
                changes[entry.version, default: [:]][position - entry.positions.lowerBound] = form
            }
        }
        return changes
    }
}

extension RemoteChangeset {
    fileprivate var erasesSchema: Bool {
        instructions.contains { instruction in
            switch instruction {
            case .eraseTable, .eraseColumn: true
            default: false
            }
        }
    }
}

extension MergeError {
    /// The same with the place in the data that it concerns.
    fileprivate func located(at instruction: MergeInstruction, _ symbols: SymbolScope) -> MergeError {
        var place = symbols.name(instruction.className)
        if instruction.property >= 0 { place += ".\(symbols.name(instruction.property))" }
        if instruction.hasPath { place += " of the object with key \(instruction.key)" }
        return MergeError(code, rule: rule, "\(place): \(message)")
    }
}
