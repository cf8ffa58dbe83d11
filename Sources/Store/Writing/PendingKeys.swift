import Foundation

/// Primary keys that a transaction gave to objects or took from them, before they go into `keys`.
///
/// Keys mostly ascend: as long as they do, whether the next one is here is told by comparing it with the last, and no
/// table is made.
struct PendingKeys {
    enum State: UInt8 {
        case present
        /// Known, but without an object (C-13).
        case tombstone
        case absent
    }

    struct Entry {
        fileprivate var offset: Int
        fileprivate var count: Int
        var object: Int64
        var state: State
    }

    private var arena: ContiguousArray<UInt8> = []
    private(set) var entries: ContiguousArray<Entry> = []
    /// Open addressing: place of an entry + 1, or 0.
    private var slots: ContiguousArray<UInt32> = []
    /// How many entries `slots` knows; the others have not been looked for yet.
    private var indexed = 0
    /// Whether the entries came in ascending order of their keys.
    private var isAscending = true

    var isEmpty: Bool { entries.isEmpty }

    mutating func find(_ key: UnsafeRawBufferPointer) -> Entry? {
        isBeyond(key) ? nil : place(of: key).map { entries[$0] }
    }

    mutating func set(_ key: UnsafeRawBufferPointer, object: Int64, _ state: State) {
        if !isBeyond(key) {
            if let place = place(of: key) {
                entries[place].object = object
                entries[place].state = state
                return
            }
            isAscending = false
        }
        entries.append(Entry(offset: arena.count, count: key.count, object: object, state: state))
        arena.append(contentsOf: key)
    }

    /// Whether a key comes after all that are here, as far as that is known without searching.
    @inline(__always)
    private func isBeyond(_ key: UnsafeRawBufferPointer) -> Bool {
        guard let last = entries.last else { return true }
        return isAscending
            && arena.withUnsafeBytes {
                PendingKeys.isLess(
                    UnsafeRawBufferPointer(rebasing: $0[last.offset..<(last.offset + last.count)]), key)
            }
    }

    /// Calls `body` with each key in ascending order.
    func forEachAscending(_ body: (UnsafeRawBufferPointer, Entry) throws -> Void) rethrows {
        try arena.withUnsafeBytes { arena in
            func bytes(_ entry: Entry) -> UnsafeRawBufferPointer {
                UnsafeRawBufferPointer(rebasing: arena[entry.offset..<(entry.offset + entry.count)])
            }
            if isAscending {
                for entry in entries { try body(bytes(entry), entry) }
            } else {
                for entry in entries.sorted(by: { PendingKeys.isLess(bytes($0), bytes($1)) }) {
                    try body(bytes(entry), entry)
                }
            }
        }
    }

    mutating func removeAll() {
        arena.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        if indexed > 0 { for slot in slots.indices { slots[slot] = 0 } }
        indexed = 0
        isAscending = true
    }

    private mutating func place(of key: UnsafeRawBufferPointer) -> Int? {
        indexEntries()
        let mask = slots.count - 1
        var slot = PendingKeys.hash(key) & mask
        return arena.withUnsafeBytes { arena in
            while slots[slot] != 0 {
                let place = Int(slots[slot]) - 1
                let entry = entries[place]
                if entry.count == key.count, let mine = arena.baseAddress, let theirs = key.baseAddress,
                    memcmp(mine + entry.offset, theirs, key.count) == 0
                {
                    return place
                }
                slot = (slot + 1) & mask
            }
            return nil
        }
    }

    /// Brings the entries that came since the last search into the table, which is kept at most half full.
    private mutating func indexEntries() {
        if entries.count * 2 > slots.count {
            var size = max(64, slots.count)
            while entries.count * 2 > size { size *= 4 }
            slots = ContiguousArray(repeating: 0, count: size)
            indexed = 0
        }
        let mask = slots.count - 1
        while indexed < entries.count {
            let entry = entries[indexed]
            let hash = arena.withUnsafeBytes {
                PendingKeys.hash(UnsafeRawBufferPointer(rebasing: $0[entry.offset..<(entry.offset + entry.count)]))
            }
            var slot = hash & mask
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            indexed += 1
            slots[slot] = UInt32(indexed)
        }
    }

    private static func hash(_ key: UnsafeRawBufferPointer) -> Int {
        var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
        var at = 0
        while at + 8 <= key.count {
            hash = (hash ^ key.loadUnaligned(fromByteOffset: at, as: UInt64.self)) &* 0xFF51_AFD7_ED55_8CCD
            hash ^= hash >> 32
            at += 8
        }
        var rest: UInt64 = 0
        while at < key.count {
            rest = rest << 8 | UInt64(key[at])
            at += 1
        }
        hash = (hash ^ rest) &* 0xC4CE_B9FE_1A85_EC53
        return Int(truncatingIfNeeded: (hash ^ hash >> 29) & UInt64(Int.max))
    }

    /// Order of record keys.
    static func isLess(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
        guard let left = a.baseAddress, let right = b.baseAddress else { return a.count < b.count }
        let order = memcmp(left, right, min(a.count, b.count))
        return order != 0 ? order < 0 : a.count < b.count
    }
}
