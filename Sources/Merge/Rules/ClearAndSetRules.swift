// Clear, and insertions into and removals from sets (M-73 … M-76).

/// M-73. Nothing that is hidden from the newer is left after the older.
func clearAndClear(_ x: inout MergeInstruction, _ y: inout MergeInstruction) throws(MergeError) {
    guard x.isSamePath(as: y) else { return }
    try discardOlder(&x, &y)
    if x.hidden != nil { x.hidden = nil }
    if y.hidden != nil { y.hidden = nil }
}

/// M-74: clearing wins, whichever is newer.
func clearAndSet(clear: MergeInstruction, set: inout MergeInstruction) {
    if clear.isSamePath(as: set) { set.discard() }
}

/// M-75, M-76: whether an element is in the set is decided by the newer.
func setAndSet(_ x: inout MergeInstruction, _ y: inout MergeInstruction) throws(MergeError) {
    if x.isSamePath(as: y), x.isSameElement(as: y) { try discardOlder(&x, &y) }
}
