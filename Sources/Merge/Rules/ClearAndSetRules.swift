// Clear, and insertions into and removals from sets (M-73 … M-76).

/// M-73
func clearAndClear(_ x: inout MergeInstruction, _ y: inout MergeInstruction) throws(MergeError) {
    if x.isSamePath(as: y) { try discardOlder(&x, &y) }
}

/// M-74: clearing wins, whichever is newer.
func clearAndSet(clear: MergeInstruction, set: inout MergeInstruction) {
    if clear.isSamePath(as: set) { set.discard() }
}

/// M-75, M-76: whether an element is in the set is decided by the newer.
func setAndSet(_ x: inout MergeInstruction, _ y: inout MergeInstruction) throws(MergeError) {
    if x.isSamePath(as: y), x.isSameElement(as: y) { try discardOlder(&x, &y) }
}
