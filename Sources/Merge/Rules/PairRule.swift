/// The transformation of two concurrent instructions (M-27): afterwards `x` fits where `y` has been applied, and `y`
/// where `x` has. Which of them is local doesn't matter (M-28, M-103).
///
/// The result is an instruction to be put directly before the EraseTable among the two (M-29).
func transform(_ x: inout MergeInstruction, _ y: inout MergeInstruction) throws(MergeError) -> MergeInstruction? {
    let depths = (x.depth, y.depth)
    if depths.0 < depths.1 {
        try transformNested(outer: &x, inner: &y)
    } else if depths.0 > depths.1 {
        try transformNested(outer: &y, inner: &x)
    }
    if x.isDiscarded || y.isDiscarded { return nil }
    return x.kind <= y.kind ? try transformOrdered(&x, &y) : try transformOrdered(&y, &x)
}

/// The matrix of M-38; the kind of `x` is not after that of `y` there. Pairs that it doesn't name are independent.
private func transformOrdered(
    _ x: inout MergeInstruction, _ y: inout MergeInstruction
) throws(MergeError) -> MergeInstruction? {
    switch (x.kind, y.kind) {
    case (.addTable, .addTable): try tableAndTable(&x, &y)
    case (.addTable, .eraseTable): tableAndErasure(table: &x, erasure: y)
    case (.eraseTable, .eraseTable): erasedTwice(&x, &y)
    case (.eraseTable, .addColumn): return columnOfErasedTarget(erasure: x, column: &y)

    case (.createObject, .eraseObject): creationAndErasure(creation: &x, erasure: y)
    case (.eraseObject, .eraseObject): try objectErasedTwice(&x, &y)

    case (.update, .update): try updateAndUpdate(&x, &y)
    case (.update, .addInteger): try incrementAndUpdate(increment: &y, update: &x)
    case (.update, .clear): try clearAndUpdate(clear: &y, update: &x)
    case (.addInteger, .clear): clearAndIncrement(clear: y, increment: &x)

    case (.addColumn, .addColumn): try columnAndColumn(&x, &y)
    case (.addColumn, .eraseColumn): columnAndErasure(column: &x, erasure: y)
    case (.eraseColumn, .eraseColumn): columnErasedTwice(&x, &y)
    case (.update, .eraseColumn), (.addInteger, .eraseColumn): erasedColumn(erasure: y, inside: &x)
    case (.eraseColumn, .arrayInsert), (.eraseColumn, .arrayMove), (.eraseColumn, .arrayErase),
        (.eraseColumn, .clear), (.eraseColumn, .setInsert), (.eraseColumn, .setErase):
        erasedColumn(erasure: x, inside: &y)

    case (.update, .arrayInsert): try insertAndUpdate(insert: y, update: &x)
    case (.update, .arrayMove): try moveAndUpdate(move: y, update: &x)
    case (.update, .arrayErase): try eraseAndUpdate(erase: y, update: &x)
    case (.arrayInsert, .arrayInsert): try insertAndInsert(&x, &y)
    case (.arrayInsert, .arrayMove): try moveAndInsert(move: &y, insert: &x)
    case (.arrayInsert, .arrayErase): try eraseAndInsert(erase: &y, insert: &x)
    case (.arrayMove, .arrayMove): try moveAndMove(&x, &y)
    case (.arrayMove, .arrayErase): try eraseAndMove(erase: &y, move: &x)
    case (.arrayErase, .arrayErase): try eraseAndErase(&x, &y)

    case (.arrayInsert, .clear), (.arrayMove, .clear), (.arrayErase, .clear): clearOfElement(list: x, clear: &y)
    case (.clear, .clear): try clearAndClear(&x, &y)
    case (.clear, .setInsert), (.clear, .setErase): clearAndSet(clear: x, set: &y)
    case (.setInsert, .setInsert), (.setInsert, .setErase), (.setErase, .setErase): try setAndSet(&x, &y)
    default: break
    }
    return nil
}
