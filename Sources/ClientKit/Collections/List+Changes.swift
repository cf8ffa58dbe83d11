import Foundation
import Model
import Store

extension List {
    /// Adds an element at the end. An unmanaged object becomes part of the list's realm.
    public func append(_ object: Element) {
        insert(object, at: count)
    }

    /// Adds elements at the end.
    public func append<S: Sequence>(objectsIn objects: S) where S.Element == Element {
        var position = count
        for object in Array(objects) {
            insert(object, at: position)
            position += 1
        }
    }

    /// Inserts an element before a position; at `count` it is appended.
    public func insert(_ object: Element, at index: Int) {
        let here = writable("insert into a list")
        let count = count
        if index < 0 || index > count { fail(.indexOutOfBounds(index, count + 1)) }
        guard let here else { return contents.insert(object, at: index) }
        if here.embeds(object, .insert(at: index)) { return }
        here.insert(here.element(object), at: index)
    }

    /// Inserts elements in their order.
    public func insert<C: Collection>(contentsOf objects: C, at index: Int) where C.Element == Element {
        var position = index
        for object in Array(objects) {
            insert(object, at: position)
            position += 1
        }
    }

    /// Removes the entry at a position; the object that it links to stays.
    public func remove(at index: Int) {
        let here = writable("remove from a list")
        checkIndex(index, below: count)
        guard let here else {
            contents.remove(at: index)
            return
        }
        here.erase(at: index)
    }

    /// Removes all entries.
    public func removeAll() {
        guard let here = writable("clear a list") else { return contents.removeAll() }
        if here.count > 0 { here.clear() }
    }

    public func removeFirst(_ number: Int = 1) {
        checkRemoval(of: number)
        for _ in 0..<number { remove(at: 0) }
    }

    public func removeLast(_ number: Int = 1) {
        checkRemoval(of: number)
        for _ in 0..<number { remove(at: count - 1) }
    }

    private func checkRemoval(of number: Int) {
        if number < 0 { fail(.indexOutOfBounds(number, count)) }
        if number > count {
            fail(Mistake("It is not possible to remove more objects (\(number)) from a list than it has (\(count))."))
        }
    }

    public func removeSubrange<R: RangeExpression>(_ range: R) where R.Bound == Int {
        let bounds = checkedBounds(range)
        for index in bounds.reversed() { remove(at: index) }
    }

    /// Puts elements in the place of a range of the list.
    public func replaceSubrange<C: Collection, R: RangeExpression>(_ range: R, with objects: C)
    where C.Element == Element, R.Bound == Int {
        let bounds = checkedBounds(range)
        // `objects` may be a part of this list.
        let replacement = Array(objects)
        for index in bounds.reversed() { remove(at: index) }
        insert(contentsOf: replacement, at: bounds.lowerBound)
    }

    private func checkedBounds<R: RangeExpression>(_ range: R) -> Range<Int> where R.Bound == Int {
        let count = count
        let bounds = range.relative(to: 0..<count)
        if bounds.lowerBound < 0 { fail(.indexOutOfBounds(bounds.lowerBound, count)) }
        if bounds.upperBound > count { fail(.indexOutOfBounds(bounds.upperBound, count + 1)) }
        return bounds
    }

    /// Assigns the element at a position.
    public func replace(index: Int, object: Element) {
        self[index] = object
    }

    /// Moves an element; `to` is its position afterwards.
    public func move(from: Int, to: Int) {
        let here = writable("move in a list")
        let count = count
        checkIndex(from, below: count)
        checkIndex(to, below: count)
        if from == to { return }
        guard let here else { return contents.insert(contents.remove(at: from), at: to) }
        here.move(from: from, to: to)
    }

    public func swapAt(_ index1: Int, _ index2: Int) {
        let here = writable("swap in a list")
        let count = count
        checkIndex(index1, below: count)
        checkIndex(index2, below: count)
        guard index1 != index2 else { return }
        guard here != nil else { return contents.swapAt(index1, index2) }
        let (low, high) = (Swift.min(index1, index2), Swift.max(index1, index2))
        // In this order, which is what a genuine client records: merging is not the same for the other one.
        move(from: high, to: low)
        if high - low > 1 { move(from: low + 1, to: high) }
    }

    /// Removes the entries at some positions.
    public func remove(atOffsets offsets: IndexSet) {
        for index in offsets.reversed() { remove(at: index) }
    }

    /// Moves entries, in their order, before the position that `toOffset` is now.
    public func move(fromOffsets offsets: IndexSet, toOffset destination: Int) {
        for index in offsets { checkIndex(index, below: count) }
        if destination < 0 || destination > count { fail(.indexOutOfBounds(destination, count + 1)) }
        var before = 0
        for index in offsets.filter({ $0 < destination }).reversed() {
            move(from: index, to: destination - before - 1)
            before += 1
        }
        var position = destination
        for index in offsets where index >= destination {
            move(from: index, to: position)
            position += 1
        }
    }
}

extension List: Encodable where Element: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
    }
}

extension List: Decodable where Element: Decodable {
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd { contents.append(try container.decode(Element.self)) }
    }
}
