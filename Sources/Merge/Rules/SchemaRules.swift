import Model

// Tables and columns (M-43 … M-46, M-60 … M-63). Equal declarations of both sides vanish; different ones end the merge.

/// M-43
func tableAndTable(_ x: inout MergeInstruction, _ y: inout MergeInstruction) throws(MergeError) {
    guard x.isSameClass(as: y) else { return }
    try SchemaAgreement.check(tables: x.declaration, y.declaration)
    x.discard()
    y.discard()
}

/// M-44
func tableAndErasure(table: inout MergeInstruction, erasure: MergeInstruction) {
    if table.isSameClass(as: erasure) { table.discard() }
}

/// M-45
func erasedTwice(_ x: inout MergeInstruction, _ y: inout MergeInstruction) {
    guard x.isSameClass(as: y) else { return }
    x.discard()
    y.discard()
}

/// M-46: a new link to a class that the other side erases. Whoever has the column already must erase it first.
func columnOfErasedTarget(erasure: MergeInstruction, column: inout MergeInstruction) -> MergeInstruction? {
    guard case .column(_, let target)? = column.declaration, target == erasure.className else { return nil }
    column.discard()
    return MergeInstruction(
        .eraseColumn, rank: erasure.rank, className: column.className, property: column.property)
}

/// M-60
func columnAndColumn(_ x: inout MergeInstruction, _ y: inout MergeInstruction) throws(MergeError) {
    guard x.isSameColumn(as: y) else { return }
    try SchemaAgreement.check(columns: x.declaration, y.declaration)
    x.discard()
    y.discard()
}

/// M-61
func columnAndErasure(column: inout MergeInstruction, erasure: MergeInstruction) {
    if column.isSameColumn(as: erasure) { column.discard() }
}

/// M-61
func columnErasedTwice(_ x: inout MergeInstruction, _ y: inout MergeInstruction) {
    guard x.isSameColumn(as: y) else { return }
    x.discard()
    y.discard()
}

/// M-62 and, beyond the reference, M-63: whatever acts in the column goes.
func erasedColumn(erasure: MergeInstruction, inside: inout MergeInstruction) {
    if inside.isSameColumn(as: erasure) { inside.discard() }
}
