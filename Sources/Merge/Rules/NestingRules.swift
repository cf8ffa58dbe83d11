// An instruction against one that acts inside what it erases, overwrites or moves (section 6). Rank plays no part here
// (M-86), and prior sizes stay: the inner one belongs to another list (M-85).

/// M-39
func transformNested(outer: inout MergeInstruction, inner: inout MergeInstruction) throws(MergeError) {
    switch outer.kind {
    case .eraseTable: if outer.isSameClass(as: inner) { inner.discard() }
    case .eraseObject: if inner.hasPath, outer.isSameObject(as: inner) { inner.discard() }
    case .update: overwrite(outer: &outer, inner: &inner)
    case .addInteger: if outer.isPrefix(of: inner) { inner.discard() }
    case .clear: empty(outer: &outer, inner: &inner)
    case .arrayInsert, .arrayMove, .arrayErase: try shift(outer: outer, inner: &inner)
    case .addTable, .createObject, .addColumn, .eraseColumn, .setInsert, .setErase: break
    }
}

/// M-79: what was in a slot is gone when something else is assigned. An embedded object or a collection of the same
/// kind stays what it is, and content of both sides comes together in it. Leaves the mark of M-138.
private func overwrite(outer: inout MergeInstruction, inner: inout MergeInstruction) {
    if case .embeddedObject = outer.payload { return }
    guard outer.isPrefix(of: inner) else { return }
    let below: Hidden = inner.path[outer.path.count].index != nil ? .list : .dictionary
    outer.hidden = below
    if outer.announcement != below { inner.discard() }
}

/// M-84. Leaves a mark, as an Update does, where the content is of another kind than the collection that the Clear makes:
/// should the other side's next announcement of that kind win over the Clear, the mark says what is to be emptied there.
private func empty(outer: inout MergeInstruction, inner: inout MergeInstruction) {
    guard outer.isPrefix(of: inner) else { return }
    let below: Hidden = inner.path[outer.path.count].index != nil ? .list : .dictionary
    if outer.collection != .single, outer.collection != below.collection { outer.hidden = below }
    inner.discard()
}

/// M-81 … M-83: the inner path leads through an element of the list.
private func shift(outer: MergeInstruction, inner: inout MergeInstruction) throws(MergeError) {
    guard outer.isContainerPrefix(of: inner) else { return }
    let place = outer.path.count - 1
    guard let index = inner.path[place].index else {
        throw MergeError(
            .inconsistentHistory, rule: "M-36", "a list on one side is a dictionary or an object on the other")
    }
    switch outer.kind {
    case .arrayInsert where index >= outer.index: inner.path[place] = .index(index + 1)
    case .arrayMove:
        let place = (at: place, index: moved(index, by: outer))
        if place.index != index { inner.path[place.at] = .index(place.index) }
    case .arrayErase where index == outer.index: inner.discard()
    case .arrayErase where index > outer.index: inner.path[place] = .index(index - 1)
    default: break
    }
}
