import Model

/// A growing array of plain values in pooled memory. Unsafe: indices aren't checked, and `Element` must be bytes that
/// can be copied and forgotten.
struct UnsafePooledArray<Element>: ~Copyable {
    private(set) var count = 0
    private var elements: UnsafeMutablePointer<Element>
    private var memory: UnsafeMutableRawBufferPointer
    private var capacity: Int

    init(capacity: Int) {
        memory = UnsafePooledMemory.allocate(max(1, capacity) * MemoryLayout<Element>.stride)
        self.capacity = memory.count / MemoryLayout<Element>.stride
        elements = memory.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: Element.self)
    }

    deinit {
        UnsafePooledMemory.deallocate(memory)
    }

    /// Where the elements lie; valid until one is appended.
    @inline(__always)
    var start: UnsafeMutablePointer<Element> { elements }

    subscript(index: Int) -> Element {
        @inline(__always) get { elements[index] }
        @inline(__always) nonmutating set { elements[index] = newValue }
    }

    var indices: Range<Int> { 0..<count }

    /// Keeps the memory.
    mutating func removeAll() {
        count = 0
    }

    @inline(__always)
    mutating func append(_ element: Element) {
        extend(by: 1).initialize(to: element)
    }

    /// Room for so many more elements, to be filled in.
    @inline(__always)
    mutating func extend(by more: Int) -> UnsafeMutablePointer<Element> {
        if count + more > capacity { grow(more) }
        defer { count += more }
        return elements + count
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        var larger = UnsafePooledArray(capacity: max(capacity * 2, count + more))
        larger.elements.update(from: elements, count: count)
        larger.count = count
        swap(&self, &larger)
    }
}
