import Testing

@testable import ClientKit

@Suite("Arrays in pooled memory")
struct UnsafePooledArrayTests {
    @Test("elements stay what they are while the array grows")
    func grows() {
        var array = UnsafePooledArray<Int64>(capacity: 0)
        for number in 0..<100_000 { array.append(Int64(number)) }
        #expect(array.count == 100_000)
        #expect(array.indices.allSatisfy { array[$0] == Int64($0) })
        array[7] = -1
        #expect(array.start[7] == -1)
        array.removeAll()
        let added = array.extend(by: 3)
        added.update(repeating: 5, count: 3)
        #expect(array.count == 3)
        #expect(array.indices.map { array[$0] } == [5, 5, 5])
    }
}
