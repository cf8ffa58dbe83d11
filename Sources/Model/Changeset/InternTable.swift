import Foundation

/// The interned strings of one instruction stream, by index and by bytes (C-27). Not for several threads at once.
public final class InternTable {
    private var arena = UnsafeByteBuffer(capacity: 1024)
    /// Where each string ends in the arena; it begins where the one before ends.
    private var ends: [Int] = []
    /// Open addressing: 32 bits of hash, then index + 1; 0 is free. A power of two, at most three quarters full.
    private var slots: [UInt64] = Array(repeating: 0, count: 64)

    public init() {}

    /// How many strings there are; indices run from 0.
    public var count: Int { ends.count }

    /// The bytes of a string, valid until the next one is interned.
    public func bytes(_ index: UInt32) -> UnsafeRawBufferPointer {
        let index = Int(index)
        let from = index == 0 ? 0 : ends[index - 1]
        return UnsafeRawBufferPointer(rebasing: arena.bytes[from..<ends[index]])
    }

    /// The string, or nil if its bytes are not UTF-8.
    public func string(_ index: UInt32) -> String? {
        String(validating: bytes(index), as: UTF8.self)
    }

    /// The index of a string, new or not.
    public func intern(_ bytes: UnsafeRawBufferPointer) -> (index: UInt32, isNew: Bool) {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        let hash = UInt64(truncatingIfNeeded: hasher.finalize()) << 32
        if ends.count * 4 >= slots.count * 3 { rehash() }
        let mask = slots.count - 1
        var slot = Self.home(hash, mask)
        while slots[slot] != 0 {
            let index = UInt32(truncatingIfNeeded: slots[slot]) - 1
            if slots[slot] & Self.hashMask == hash, Self.areEqual(self.bytes(index), bytes) { return (index, false) }
            slot = (slot + 1) & mask
        }
        arena.append(bytes)
        ends.append(arena.count)
        slots[slot] = hash | UInt64(ends.count)
        return (UInt32(ends.count - 1), true)
    }

    private static let hashMask: UInt64 = 0xffff_ffff_0000_0000

    private static func home(_ entry: UInt64, _ mask: Int) -> Int {
        Int(truncatingIfNeeded: entry >> 32) & mask
    }

    private static func areEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
        guard a.count == b.count else { return false }
        guard let left = a.baseAddress, let right = b.baseAddress else { return true }
        return memcmp(left, right, a.count) == 0
    }

    public func removeAll() {
        arena.removeAll(keeping: 1 << 16)
        ends.removeAll()
        slots = Array(repeating: 0, count: 64)
    }

    private func rehash() {
        var larger = [UInt64](repeating: 0, count: slots.count * 2)
        let mask = larger.count - 1
        for entry in slots where entry != 0 {
            var slot = Self.home(entry, mask)
            while larger[slot] != 0 { slot = (slot + 1) & mask }
            larger[slot] = entry
        }
        slots = larger
    }
}
