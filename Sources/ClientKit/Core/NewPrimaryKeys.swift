import Foundation
import Model
import Store

/// Which primary keys the open transaction has given to new objects.
///
/// Keys mostly rise: as long as they do, a list is enough, and the question whether the next one exists costs one
/// comparison. The dictionary is made when a key is asked for that might be there.
struct NewPrimaryKeys {
    private var entries: [(key: PrimaryKey, object: ObjectKey)] = []
    private var isRising = true
    private var table: [PrimaryKey: ObjectKey] = [:]
    private var indexed = 0

    @inline(__always)
    mutating func insert(_ key: PrimaryKey, _ object: ObjectKey) {
        if isRising, let last = entries.last, !last.key.precedes(key) { isRising = false }
        entries.append((key, object))
    }

    @inline(__always)
    mutating func find(_ key: PrimaryKey) -> ObjectKey? {
        guard let last = entries.last else { return nil }
        if isRising, last.key.precedes(key) { return nil }
        return lookUp(key)
    }

    @inline(never)
    private mutating func lookUp(_ key: PrimaryKey) -> ObjectKey? {
        while indexed < entries.count {
            table[entries[indexed].key] = entries[indexed].object
            indexed += 1
        }
        return table[key]
    }

    /// The object was deleted; its key may be given out again.
    mutating func remove(_ key: PrimaryKey) {
        guard find(key) != nil else { return }
        table[key] = nil
    }
}

extension PrimaryKey {
    /// Whether the key comes before another of its type; false when in doubt.
    func precedes(_ other: PrimaryKey) -> Bool {
        switch (self, other) {
        case (.int(let a), .int(let b)): a < b
        case (.objectId(let a), .objectId(let b)): a < b
        case (.string(let a), .string(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
        case (.uuid(let a), .uuid(let b)):
            withUnsafeBytes(of: a.uuid) { a in withUnsafeBytes(of: b.uuid) { b in a.lexicographicallyPrecedes(b) } }
        default: false
        }
    }
}
