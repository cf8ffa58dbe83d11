// Lists (M-64 … M-69, M-134). All act on the same container. Indexes are shifted so that each instruction still means
// the element that it meant; a prior size counts what the other side has inserted and erased.

/// Two list instructions of the same container count the same elements.
func requireSameSize(_ x: MergeInstruction, _ y: MergeInstruction, rule: String) throws(MergeError) {
    try require(
        x.priorSize == y.priorSize, rule: rule,
        "\(x.kind) in a list of \(x.priorSize), \(y.kind) in one of \(y.priorSize)")
}

/// The index is one of an element.
func requireElement(_ x: MergeInstruction, rule: String) throws(MergeError) {
    try require(x.index < x.priorSize, rule: rule, "\(x.kind) at \(x.index) in a list of \(x.priorSize)")
}

/// The index is one of an element, or the end.
func requirePlace(_ x: MergeInstruction, rule: String) throws(MergeError) {
    try require(x.index <= x.priorSize, rule: rule, "\(x.kind) at \(x.index) in a list of \(x.priorSize)")
}

/// An Update in the container of a list instruction is one of an element.
private func requireElementUpdate(_ update: MergeInstruction, rule: String) throws(MergeError) {
    try require(update.endsInIndex, rule: rule, "a list and a dictionary at the same path")
}

/// M-64
func insertAndUpdate(insert: MergeInstruction, update: inout MergeInstruction) throws(MergeError) {
    guard insert.isSameContainer(as: update) else { return }
    try requireElementUpdate(update, rule: "M-64")
    try requireSameSize(insert, update, rule: "M-64")
    try requirePlace(insert, rule: "M-64")
    try requireElement(update, rule: "M-64")
    update.priorSize += 1
    if update.index >= insert.index { update.index += 1 }
}

/// M-65
func moveAndUpdate(move: MergeInstruction, update: inout MergeInstruction) throws(MergeError) {
    guard move.isSameContainer(as: update) else { return }
    try requireElementUpdate(update, rule: "M-65")
    try requireElement(move, rule: "M-65")
    try requireElement(update, rule: "M-65")
    update.index = moved(update.index, by: move)
}

/// Where the element at `index` is after a move (M-65, M-82).
func moved(_ index: Int, by move: MergeInstruction) -> Int {
    if index == move.index { return move.destination }
    let without = index > move.index ? index - 1 : index
    return without >= move.destination ? without + 1 : without
}

/// M-66
func eraseAndUpdate(erase: MergeInstruction, update: inout MergeInstruction) throws(MergeError) {
    guard erase.isSameContainer(as: update) else { return }
    try requireElementUpdate(update, rule: "M-66")
    try requireSameSize(erase, update, rule: "M-66")
    try requireElement(erase, rule: "M-66")
    try requireElement(update, rule: "M-66")
    update.priorSize -= 1
    if update.index == erase.index {
        update.discard()
    } else if update.index > erase.index {
        update.index -= 1
    }
}

/// M-67: at the same place, the older element comes first.
func insertAndInsert(_ x: inout MergeInstruction, _ y: inout MergeInstruction) throws(MergeError) {
    guard x.isSameContainer(as: y) else { return }
    try requireSameSize(x, y, rule: "M-67")
    x.priorSize += 1
    y.priorSize += 1
    let xMovesUp = x.index == y.index ? try x.isNewer(than: y) : x.index > y.index
    if xMovesUp { x.index += 1 } else { y.index += 1 }
}

/// M-69
func eraseAndInsert(erase: inout MergeInstruction, insert: inout MergeInstruction) throws(MergeError) {
    guard erase.isSameContainer(as: insert) else { return }
    try requireSameSize(erase, insert, rule: "M-69")
    try requireElement(erase, rule: "M-69")
    try requirePlace(insert, rule: "M-69")
    erase.priorSize += 1
    insert.priorSize -= 1
    if insert.index <= erase.index { erase.index += 1 } else { insert.index -= 1 }
}

/// M-72
func eraseAndErase(_ x: inout MergeInstruction, _ y: inout MergeInstruction) throws(MergeError) {
    guard x.isSameContainer(as: y) else { return }
    try requireSameSize(x, y, rule: "M-72")
    try requireElement(x, rule: "M-72")
    try requireElement(y, rule: "M-72")
    x.priorSize -= 1
    y.priorSize -= 1
    if x.index > y.index {
        x.index -= 1
    } else if x.index < y.index {
        y.index -= 1
    } else {
        x.discard()
        y.discard()
    }
}

/// M-134, beyond the reference: a Clear of an element's own collection follows the element.
func clearOfElement(list: MergeInstruction, clear: inout MergeInstruction) {
    guard clear.endsInIndex, list.isSameContainer(as: clear) else { return }
    switch list.kind {
    case .arrayInsert where clear.index >= list.index: clear.index += 1
    case .arrayMove: clear.index = moved(clear.index, by: list)
    case .arrayErase where clear.index == list.index: clear.discard()
    case .arrayErase where clear.index > list.index: clear.index -= 1
    default: break
    }
}
