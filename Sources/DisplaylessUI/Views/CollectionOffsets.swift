import Foundation

extension RangeReplaceableCollection where Self: MutableCollection, Index == Int {
    /// Removes the elements at some positions.
    public mutating func remove(atOffsets offsets: IndexSet) {
        for offset in offsets.reversed() { remove(at: index(startIndex, offsetBy: offset)) }
    }
}

extension MutableCollection where Self: RangeReplaceableCollection, Index == Int {
    /// Moves the elements at some positions to before another.
    public mutating func move(fromOffsets source: IndexSet, toOffset destination: Int) {
        let moved = source.map { self[index(startIndex, offsetBy: $0)] }
        let target = destination - source.count { $0 < destination }
        remove(atOffsets: source)
        insert(contentsOf: moved, at: index(startIndex, offsetBy: target))
    }
}
