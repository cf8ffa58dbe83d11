import Foundation
import RealmSwift
import Testing

/// Lists that belong to no realm (api.md section 11.1).
struct ListUnmanagedTests {
    private func list(_ values: Int...) -> List<Int> {
        let list = List<Int>()
        list.append(objectsIn: values)
        return list
    }

    @Test func appendsAndInserts() {
        let list = list(1, 2)
        list.append(4)
        list.insert(3, at: 2)
        list.insert(0, at: 0)
        list.insert(5, at: 5)
        #expect(Array(list) == [0, 1, 2, 3, 4, 5])
        list.insert(contentsOf: [7, 8], at: 1)
        #expect(Array(list) == [0, 7, 8, 1, 2, 3, 4, 5])
    }

    @Test func removes() {
        let list = list(0, 1, 2, 3, 4, 5, 6)
        list.remove(at: 1)
        list.removeFirst()
        list.removeLast(2)
        #expect(Array(list) == [2, 3, 4])
        list.removeSubrange(1...)
        #expect(Array(list) == [2])
        list.removeAll()
        #expect(list.isEmpty)
        #expect(list.first == nil)
        #expect(list.last == nil)
    }

    @Test func replacesARangeByAnotherLength() {
        let list = list(0, 1, 2, 3)
        list.replaceSubrange(1..<3, with: [9, 9, 9])
        #expect(Array(list) == [0, 9, 9, 9, 3])
        list[0..<2] = self.list(7)[0..<1]
        #expect(Array(list) == [7, 9, 9, 3])
    }

    @Test func movesAndSwaps() {
        let list = list(0, 1, 2, 3)
        list.move(from: 0, to: 3)
        #expect(Array(list) == [1, 2, 3, 0])
        list.swapAt(0, 3)
        #expect(Array(list) == [0, 2, 3, 1])
        list[1] = 8
        list.replace(index: 0, object: 4)
        #expect(Array(list) == [4, 8, 3, 1])
    }

    /// LI-18: the destination counts in the list before the move.
    @Test(arguments: 0...6)
    func movesOffsetsAsAnArrayWould(destination: Int) {
        let list = list(0, 1, 2, 3, 4, 5)
        list.move(fromOffsets: [1, 4], toOffset: destination)
        let rest = [0, 2, 3, 5]
        let before = destination - [1, 4].count { $0 < destination }
        #expect(Array(list) == Array(rest[..<before]) + [1, 4] + Array(rest[before...]))
    }

    @Test func removesOffsets() {
        let list = list(0, 1, 2, 3)
        list.remove(atOffsets: [0, 3])
        #expect(Array(list) == [1, 2])
    }

    @Test func isARandomAccessCollection() {
        let list = list(3, 1, 2)
        #expect(list.sorted() == [1, 2, 3])
        #expect(list.index(of: 2) == 2)
        #expect(list.objects(at: [0, 2]) == [3, 2])
        #expect(list.realm == nil)
        #expect(!list.isInvalidated)
        #expect(list.min() == 1)
        #expect(list.max() == 3)
        #expect(list.sum() == 6)
        #expect(list.average() == 2.0)
    }

    @Test func equalsOnlyItself() {
        let a = list(1)
        #expect(a == a)
        #expect(a != list(1))
    }

    @Test func codesAsAnArray() throws {
        let data = try JSONEncoder().encode(list(1, 2))
        #expect(String(decoding: data, as: UTF8.self) == "[1,2]")
        #expect(Array(try JSONDecoder().decode(List<Int>.self, from: data)) == [1, 2])
    }

    /// LI-21
    @Test func assigningAPropertyCopies() {
        let hound = Hound(1, "Rex")
        let tricks = List<String>()
        tricks.append("sit")
        hound.tricks = tricks
        #expect(Array(hound.tricks) == ["sit"])
        hound.tricks = hound.tricks
        #expect(Array(hound.tricks) == ["sit"])
        #expect(hound.packs.isEmpty)
    }
}
