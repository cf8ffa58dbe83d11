/// The interned strings of one instruction stream, by index and by bytes (C-27). Not for several threads at once.
package final class InternTable {
    private var arena = UnsafeByteBuffer(capacity: 1024)
    /// Where each string ends in the arena; it begins where the one before ends.
    private var ends: [Int] = []
    private var hashes: [UInt32] = []
    /// Open addressing, index + 1 or 0; a power of two, at most three quarters full.
    private var slots: [UInt32] = Array(repeating: 0, count: 64)

    package init() {}

    /// How many strings there are; indices run from 0.
    package var count: Int { ends.count }

    /// The bytes of a string, valid until the next one is interned.
    package func bytes(_ index: UInt32) -> UnsafeRawBufferPointer {
        let index = Int(index)
        let from = index == 0 ? 0 : ends[index - 1]
        return UnsafeRawBufferPointer(rebasing: arena.bytes[from..<ends[index]])
    }

    /// The string, or nil if its bytes are not UTF-8.
    package func string(_ index: UInt32) -> String? {
        String(validating: bytes(index), as: UTF8.self)
    }

    /// The index of a string, new or not.
    package func intern(_ bytes: UnsafeRawBufferPointer) -> (index: UInt32, isNew: Bool) {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        let hash = UInt32(truncatingIfNeeded: hasher.finalize())
        if ends.count * 4 >= slots.count * 3 { rehash() }
        var slot = Int(hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let index = slots[slot] - 1
            if hashes[Int(index)] == hash, self.bytes(index).elementsEqual(bytes) { return (index, false) }
            slot = (slot + 1) & (slots.count - 1)
        }
        arena.append(bytes)
        ends.append(arena.count)
        hashes.append(hash)
        slots[slot] = UInt32(ends.count)
        return (UInt32(ends.count - 1), true)
    }

    package func removeAll() {
        arena.removeAll(keeping: 1 << 16)
        ends.removeAll()
        hashes.removeAll()
        slots = Array(repeating: 0, count: 64)
    }

    private func rehash() {
        var larger = [UInt32](repeating: 0, count: slots.count * 2)
        for (index, hash) in hashes.enumerated() {
            var slot = Int(hash) & (larger.count - 1)
            while larger[slot] != 0 { slot = (slot + 1) & (larger.count - 1) }
            larger[slot] = UInt32(index + 1)
        }
        slots = larger
    }
}
