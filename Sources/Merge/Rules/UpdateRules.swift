import Model

// Assignments and increments (M-50 … M-59, M-138).

/// M-50
func updateAndUpdate(_ x: inout MergeInstruction, _ y: inout MergeInstruction) throws(MergeError) {
    guard x.isSamePath(as: y) else { return }
    if x.endsInIndex {
        try require(
            x.priorSize == y.priorSize, rule: "M-50", "assignments to a list of \(x.priorSize) and \(y.priorSize)")
    }
    switch (x.payload, y.payload) {
    case (.embeddedObject, .embeddedObject): break
    // Whatever overwrites beats an embedded object, however old (M-54).
    case (.embeddedObject, _): return x.discard()
    case (_, .embeddedObject): return y.discard()
    case (.list, .list), (.dictionary, .dictionary): return
    default: break
    }
    let xWins = x.isDefault != y.isDefault ? y.isDefault : try x.isNewer(than: y)
    if xWins { overrule(winner: &x, loser: &y) } else { overrule(winner: &y, loser: &x) }
}

/// The end of M-50.4 and M-50.5 with the mark of M-138: a loser that emptied what the winner is about to fill becomes
/// a Clear, so that the winner's side empties it too.
private func overrule(winner: inout MergeInstruction, loser: inout MergeInstruction) {
    let announced = winner.announcement
    if let announced, winner.hidden == announced || loser.hidden == announced {
        winner.hidden = nil
        loser.kind = .clear
        loser.collection = announced.collection
        loser.payload = .value(.null)
        loser.hidden = nil
        return
    }
    if let hidden = winner.hidden, loser.announcement != hidden { winner.hidden = nil }
    loser.discard()
}

extension MergeInstruction {
    /// The kind of collection that an Update makes its slot.
    var announcement: Hidden? {
        switch payload {
        case .list: .list
        case .dictionary: .dictionary
        default: nil
        }
    }
}

/// M-55
func incrementAndUpdate(increment: inout MergeInstruction, update: inout MergeInstruction) throws(MergeError) {
    guard increment.isSamePath(as: update) else { return }
    let increments = update.isDefault ? true : try increment.isNewer(than: update)
    guard increments else { return increment.discard() }
    switch update.payload {
    // Without effect on null, but a value between the two in rank may still come.
    case .value(.null): break
    case .value(.int(let value)): update.payload = .value(.int(value &+ increment.amount))
    default: increment.discard()
    }
}

/// M-58, for a collection in a Mixed. As in M-50, an older Clear that makes the slot another kind of collection has
/// emptied what the newer Update is about to keep: it becomes a Clear of that kind. Without this, a Clear that replaced
/// one device's content, and a third device's announcement, would leave the content on one side only.
func clearAndUpdate(clear: inout MergeInstruction, update: inout MergeInstruction) throws(MergeError) {
    guard clear.isSamePath(as: update) else { return }
    let hidden = update.hidden
    if hidden != nil { update.hidden = nil }
    let announced = update.announcement
    if let announced, announced.collection == clear.collection { return }
    if try clear.isNewer(than: update) {
        if let emptied = clear.hidden, emptied != announced { clear.hidden = nil }
        update.discard()
    } else if let announced, announced == hidden || announced == clear.hidden {
        clear.collection = announced.collection
        clear.hidden = nil
    } else {
        clear.discard()
    }
}

/// M-59
func clearAndIncrement(clear: MergeInstruction, increment: inout MergeInstruction) {
    if clear.isSamePath(as: increment) { increment.discard() }
}
