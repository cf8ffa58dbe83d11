// Objects (M-48, M-49). Creations are independent of each other: the objects are the same one (M-47).

/// M-48: erasing wins, whichever is newer.
func creationAndErasure(creation: inout MergeInstruction, erasure: MergeInstruction) {
    if creation.isSameObject(as: erasure) { creation.discard() }
}

/// M-49: the newer one stays, because it protects a re-creation that follows it.
func objectErasedTwice(_ x: inout MergeInstruction, _ y: inout MergeInstruction) throws(MergeError) {
    if x.isSameObject(as: y) { try discardOlder(&x, &y) }
}
