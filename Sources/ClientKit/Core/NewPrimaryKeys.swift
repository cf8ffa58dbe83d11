import Foundation
import Model
import Store

/// Which primary keys the open transaction has given to new objects, and in which rows of the overlay these are.
///
/// Keys mostly rise: as long as they do, the question whether the next one exists costs one comparison. The dictionary is
/// made when a key is asked for that might be there.
struct NewPrimaryKeys {
    private var last: PrimaryKey?
    private var isRising = true
    private var rows: [PrimaryKey: Int] = [:]
    /// Rows that the dictionary has been made for.
    private var indexed = 0

    /// A row is added with a key that is new.
    @inline(__always)
    mutating func insert(_ key: PrimaryKey) {
        if isRising, let last, !last.precedes(key) { isRising = false }
        last = key
    }

    /// False: it isn't there.
    @inline(__always)
    func mayContain(_ key: PrimaryKey) -> Bool {
        guard let last else { return false }
        return !isRising || !last.precedes(key)
    }

    /// The row with a key. `key` gives the primary key of a row's object, nil if it isn't new or was deleted.
    mutating func find(_ wanted: PrimaryKey, among count: Int, _ key: (Int) -> PrimaryKey?) -> Int? {
        while indexed < count {
            if let key = key(indexed) { rows[key] = indexed }
            indexed += 1
        }
        return rows[wanted]
    }

    /// The object was deleted; its key may be given out again.
    mutating func remove(_ key: PrimaryKey) {
        rows[key] = nil
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
