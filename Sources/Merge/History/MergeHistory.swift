import Model

/// What a node must remember of its history to merge with its peers: a client with its server, a server with each client
/// file. Pure: nothing here is stored or sent.
///
///     var history = MergeHistory()
///     try history.append(HistoryEntry(version: 2, rank: rank, instructions: instructions))  // a local commit
///     let merged = try history.merge(downloaded, from: serverIdent)
///     // apply merged.changesets to the realm, store merged.forms with it, then:
///     history.adopt(merged)
///
/// Merging costs in proportion to the instructions that touch the same objects, not to the length of the history. Only
/// where either side erases a class or property, all are compared with all.
public struct MergeHistory: Sendable {
    private var log = HistoryLog()
    /// By peer: what merges with it made of the entries.
    private var forms: [UInt64: MergePass.Forms] = [:]

    /// Compares every instruction with every other, as the rules are written. The outcome is the same.
    let comparesAll: Bool

    public init() { self.init(comparingAll: false) }

    init(comparingAll: Bool) { comparesAll = comparingAll }

    // MARK: Building

    /// Adds an entry: a local commit, or on a server what was integrated from one client and others don't know yet. Its
    /// version must be higher than all before. Empty entries may be left out.
    public mutating func append(_ entry: HistoryEntry) throws(MergeError) {
        precondition(
            entry.version > log.lastVersion,
            "version \(entry.version) after \(log.lastVersion)")
        try log.append(entry)
    }

    /// Puts back a form that was stored in an earlier run of the program. The entry must have been appended.
    public mutating func restore(_ form: ReciprocalForm, of peer: UInt64) throws(MergeError) {
        guard let entry = log.entry(version: form.version),
            form.changes.keys.allSatisfy({ $0 >= 0 && $0 < entry.positions.count })
        else {
            throw MergeError(.unknownForm, rule: "M-20", "no entry \(form.version) of that size in the history")
        }
        var places: [Int: [MergeInstruction]] = [:]
        for (place, elements) in form.changes {
            var instructions: [MergeInstruction] = []
            for element in elements {
                var instruction = try MergeInstruction(element.instruction, rank: entry.rank, symbols: &log.symbols)
                instruction.hidden = element.hidden
                instruction.forgetChange()
                instructions.append(instruction)
            }
            places[place] = instructions
        }
        forms[peer, default: [:]][form.version] = places
    }

    // MARK: Merging

    /// Transforms changesets from a peer, in the order in which they came, so that they are valid on top of this history;
    /// and this history's entries, so that they are valid on top of them. The history itself changes only with `adopt`.
    ///
    /// Entries take part that the peer had not integrated and that did not come from it (M-5). Throws if the changesets
    /// can't be merged; nothing of any must then be applied.
    public func merge(_ changesets: [RemoteChangeset], from peer: UInt64) throws(MergeError) -> Merged {
        var scope = SymbolScope(log.symbols)
        var merged = Merged(peer: peer, scope: scope)
        var rest = changesets[...]
        while let first = rest.first {
            let run = rest.prefix { $0.lastIntegratedVersion == first.lastIntegratedVersion }
            rest = rest.dropFirst(run.count)
            merged.changes.adopt(try merge(run, into: &merged, symbols: &scope))
        }
        merged.scope = scope
        return merged
    }

    /// Merges changesets that were all made on the same version of this history.
    private func merge(
        _ run: ArraySlice<RemoteChangeset>, into merged: inout Merged, symbols: inout SymbolScope
    ) throws(MergeError) -> MergePass.Forms {
        guard let first = run.first else { return [:] }
        var pass = MergePass(
            log, peer: merged.peer, after: first.lastIntegratedVersion,
            forms: [forms[merged.peer] ?? [:], merged.changes])
        return try pass.merge(run, into: &merged.changesets, symbols: &symbols, comparingAll: comparesAll)
    }

    /// Makes the outcome of `merge` the state that the next one starts from. Nothing may have been adopted, appended or
    /// trimmed in between.
    public mutating func adopt(_ merged: Merged) {
        var changes = merged.changes
        for (version, places) in changes {
            for (place, instructions) in places {
                for (number, instruction) in instructions.enumerated() where instruction.hasNewName(merged.scope) {
                    changes[version]?[place]?[number] = renamed(instruction, merged.scope)
                }
            }
        }
        forms[merged.peer, default: [:]].adopt(changes)
    }

    /// An instruction that the merge has made, with the names of the other side in it.
    private mutating func renamed(_ instruction: MergeInstruction, _ scope: SymbolScope) -> MergeInstruction {
        MergeInstruction(
            instruction.kind, rank: instruction.rank, className: log.symbols.symbol(scope.name(instruction.className)),
            property: log.symbols.symbol(scope.name(instruction.property)))
    }

    // MARK: Looking

    /// What has become of an entry in the merges with a peer; nil if it is as it was, or unknown.
    public func form(of version: UInt64, for peer: UInt64) throws(MergeError) -> ReciprocalForm? {
        guard let changes = forms[peer]?[version] else { return nil }
        return try ReciprocalForm(version: version, changes: changes, SymbolScope(log.symbols))
    }

    /// The instructions of an entry as they are valid on top of everything received from a peer.
    public func instructions(of version: UInt64, for peer: UInt64) throws(MergeError) -> [Instruction] {
        guard let entry = log.entry(version: version) else { return [] }
        let scope = SymbolScope(log.symbols)
        let changes = forms[peer]?[version] ?? [:]
        var result: [Instruction] = []
        for position in entry.positions {
            let present = changes[position - entry.positions.lowerBound] ?? [log.instruction(at: position)]
            for instruction in present { result.append(try instruction.instruction(scope)) }
        }
        return result
    }

    /// How many names are kept, for tests.
    var symbolCount: Int { log.symbols.count }

    // MARK: Forgetting

    /// Drops entries up to a version, and their forms: no changeset that is still to come can be concurrent with them.
    /// On a client those that the server is known to have integrated (M-24), on a server those that every client has.
    public mutating func trim(through version: UInt64) {
        log.trim(through: version)
        for peer in forms.keys { trimForms(of: peer, through: version) }
        if log.isEmpty {
            log.symbols = SymbolTable()
        } else if log.hasManyDeadSymbols {
            // All instructions are there and have been through this before: nothing can be thrown.
            self = (try? rebuilt()) ?? self
        }
    }

    /// The same history without the names that only entries now dropped had.
    private func rebuilt() throws(MergeError) -> MergeHistory {
        let scope = SymbolScope(log.symbols)
        var history = MergeHistory(comparingAll: comparesAll)
        for entry in log.entries {
            var instructions: [Instruction] = []
            for position in entry.positions {
                instructions.append(try log.instruction(at: position).instruction(scope))
            }
            try history.append(
                HistoryEntry(
                    version: entry.version, rank: entry.rank, receivedFrom: entry.receivedFrom,
                    instructions: instructions))
        }
        for (peer, forms) in forms {
            for (version, changes) in forms {
                try history.restore(ReciprocalForm(version: version, changes: changes, scope), of: peer)
            }
        }
        return history
    }

    /// Drops the forms for one peer up to the last version that it reported to have integrated (M-23).
    public mutating func trimForms(of peer: UInt64, through version: UInt64) {
        forms[peer] = forms[peer]?.filter { $0.key > version }
        if forms[peer]?.isEmpty == true { forms[peer] = nil }
    }
}

extension MergePass.Forms {
    /// Puts newer forms of some places in the place of what is there, without copying the rest.
    fileprivate mutating func adopt(_ newer: MergePass.Forms) {
        for (version, places) in newer { self[version, default: [:]].merge(places) { $1 } }
    }
}

extension MergeInstruction {
    fileprivate func hasNewName(_ scope: SymbolScope) -> Bool {
        scope.isNew(className) || (property >= 0 && scope.isNew(property))
    }
}
