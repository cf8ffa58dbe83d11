/// The first few of many elements, sorted, without sorting them all.
enum FirstElements {
    static func of<T>(_ elements: [T], count: Int, by precedes: (T, T) -> Bool) -> [T] {
        guard count > 0 else { return [] }
        // The best so far as a heap with the last of them on top.
        var heap = Array(elements.prefix(count))
        for position in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(&heap, position, precedes) }
        for element in elements.dropFirst(count) where precedes(element, heap[0]) {
            heap[0] = element
            sink(&heap, 0, precedes)
        }
        return heap.sorted(by: precedes)
    }

    private static func sink<T>(_ heap: inout [T], _ start: Int, _ precedes: (T, T) -> Bool) {
        var position = start
        while true {
            var last = position
            for child in [2 * position + 1, 2 * position + 2]
            where child < heap.count && precedes(heap[last], heap[child]) {
                last = child
            }
            if last == position { return }
            heap.swapAt(last, position)
            position = last
        }
    }
}
