import Model

/// The outcome of a merge, not yet part of the history.
public struct Merged: Sendable {
    /// The peer merged with.
    public let peer: UInt64
    /// The incoming changesets as they are to be applied on top of the history. As many as came in: those of which
    /// nothing is left are empty.
    public internal(set) var changesets: [RemoteChangeset] = []
    /// What changed on this side, by version and place.
    var changes: MergePass.Forms = [:]
    var scope: SymbolScope

    init(peer: UInt64, scope: SymbolScope) {
        self.peer = peer
        self.scope = scope
    }

    /// Whether anything changed on this side. If not, the changesets may be applied in more than one transaction (M-26).
    public var changesHistory: Bool { !changes.isEmpty }

    /// What changed on this side, by ascending version: what a store must keep together with the changesets applied. Each
    /// adds to the form that the entry had; where both name a place, this one counts.
    public func forms() throws(MergeError) -> [ReciprocalForm] {
        var forms: [ReciprocalForm] = []
        for (version, changes) in changes.sorted(by: { $0.key < $1.key }) {
            forms.append(try ReciprocalForm(version: version, changes: changes, scope))
        }
        return forms
    }
}

extension ReciprocalForm {
    init(version: UInt64, changes: [Int: [MergeInstruction]], _ symbols: SymbolScope) throws(MergeError) {
        self.init(version: version, changes: [:])
        for (place, instructions) in changes {
            var elements: [Element] = []
            for instruction in instructions {
                elements.append(Element(try instruction.instruction(symbols), hidden: instruction.hidden))
            }
            self.changes[place] = elements
        }
    }

    /// The form after a merge that changed it once more.
    public func merging(_ newer: ReciprocalForm) -> ReciprocalForm {
        ReciprocalForm(version: version, changes: changes.merging(newer.changes) { $1 })
    }
}
