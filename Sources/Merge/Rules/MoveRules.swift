// Moves in lists against insertions, moves and erasures (M-68, M-70, M-71).

/// M-68. At the same place the newer element comes first, unlike M-67: both ends must agree on this (M-99).
func moveAndInsert(move: inout MergeInstruction, insert: inout MergeInstruction) throws(MergeError) {
    guard move.isSameContainer(as: insert) else { return }
    move.priorSize += 1
    if insert.index > move.index { insert.index -= 1 } else { move.index += 1 }
    let insertMovesUp =
        insert.index == move.destination
        ? try move.isNewer(than: insert) : insert.index > move.destination
    if insertMovesUp { insert.index += 1 } else { move.destination += 1 }
}

/// M-70. The steps are not symmetric in form but give the same with `x` and `y` exchanged.
func moveAndMove(_ x: inout MergeInstruction, _ y: inout MergeInstruction) throws(MergeError) {
    guard x.isSameContainer(as: y) else { return }
    try requireSameSize(x, y, rule: "M-70")
    try requireMove(x, rule: "M-70")
    try requireMove(y, rule: "M-70")
    if x.index == y.index {
        if try x.isNewer(than: y) { goOn(newer: &x, older: &y) } else { goOn(newer: &y, older: &x) }
        return
    }
    if x.index < y.index { y.index -= 1 } else { x.index -= 1 }
    if x.destination > y.index { x.destination -= 1 } else { y.index += 1 }
    if x.index < y.destination { y.destination -= 1 } else { x.index += 1 }
    let xMovesUp = x.destination == y.destination ? try x.isNewer(than: y) : x.destination > y.destination
    if xMovesUp { x.destination += 1 } else { y.destination += 1 }
    discardIdle(&x)
    discardIdle(&y)
}

/// Both moved the same element: the newer takes it from where the older has put it.
private func goOn(newer: inout MergeInstruction, older: inout MergeInstruction) {
    newer.index = older.destination
    older.discard()
    discardIdle(&newer)
}

/// M-71
func eraseAndMove(erase: inout MergeInstruction, move: inout MergeInstruction) throws(MergeError) {
    guard erase.isSameContainer(as: move) else { return }
    try requireSameSize(erase, move, rule: "M-71")
    try requireElement(erase, rule: "M-71")
    try requireElement(move, rule: "M-71")
    move.priorSize -= 1
    if erase.index == move.index {
        erase.index = move.destination
        move.discard()
        return
    }
    if erase.index > move.index { erase.index -= 1 } else { move.index -= 1 }
    if erase.index >= move.destination { erase.index += 1 } else { move.destination -= 1 }
    discardIdle(&move)
}

/// A move to where the element is already has no instruction (C-55).
private func discardIdle(_ move: inout MergeInstruction) {
    if move.index == move.destination { move.discard() }
}

private func requireMove(_ move: MergeInstruction, rule: String) throws(MergeError) {
    try requireElement(move, rule: rule)
    try require(
        move.destination < move.priorSize, rule: rule, "a move to \(move.destination) in a list of \(move.priorSize)")
}
