import Synchronization

/// Where the chunks of a cluster begin, by slot; nil where nobody has looked yet.
///
/// The cluster's snapshot may be read by several threads: each that finds none looks it up, and all put in the same. The
/// memory is the cluster's, and gone with it.
@frozen
public struct UnsafeChunkSlots {
    @usableFromInline let slots: UnsafeMutablePointer<Atomic<UnsafeRawPointer?>>

    init(count: Int) {
        slots = .allocate(capacity: count)
        for slot in 0..<count { (slots + slot).initialize(to: Atomic(nil)) }
    }

    func deallocate() {
        slots.deallocate()
    }

    @inlinable
    public subscript(slot: Int) -> UnsafeRawPointer? {
        @inline(__always) get { slots[slot].load(ordering: .acquiring) }
        nonmutating set { slots[slot].store(newValue, ordering: .releasing) }
    }
}
