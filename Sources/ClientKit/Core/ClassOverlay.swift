import Model
import Store

/// What the open write transaction has done to one class.
final class ClassOverlay {
    /// A list property of a changed or new object.
    struct ListSlot: Hashable {
        let row: Int32
        let slot: Int32
    }

    struct Row {
        fileprivate(set) var key: ObjectKey
        /// Class and key as they stand in each instruction.
        let encoded: EncodedObject
        let rawKey: RawKey
        let isNew: Bool
        var isDeleted = false
    }

    let info: ClassInfo
    /// Interned name of the class.
    let target: UInt32
    /// Interned names of the properties by slot, where they have been needed.
    private var properties: [UInt32?]
    /// Keys from here on are given to new objects in order (the agent counts the same way).
    private(set) var firstNewKey: Int64
    private(set) var newKeyCount = 0
    /// What objects were called that were created before the write lock was had, one row each from the first on. Such
    /// keys find their rows until the transaction ends.
    private var provisional = 0..<Int64(0)
    private let firstGlobalKey: UInt64
    private var globalKeyCount: UInt64 = 0
    let cells: UnsafeOverlayCells
    private(set) var rows: ContiguousArray<Row> = []
    /// Rows of new objects, by distance from `firstNewKey`.
    private var newRows: ContiguousArray<Int32> = []
    /// Rows of changed objects, and of those that took the place of a tombstone.
    private var otherRows: [ObjectKey: Int32] = [:]
    var lists: [ListSlot: [ListElement]] = [:]
    var newKeys = NewPrimaryKeys()
    private var greatestStoredKey: PrimaryKey??
    /// Objects of the file that are deleted, and new ones that are not.
    private(set) var deletedCount = 0
    private(set) var createdCount = 0

    /// `nextKey` is provisional while the transaction doesn't have the write lock.
    init(info: ClassInfo, target: UInt32, nextKey: ObjectKey, nextGlobalKey: UInt64) {
        self.info = info
        self.target = target
        properties = Array(repeating: nil, count: info.table.columns.count)
        firstNewKey = nextKey.raw
        firstGlobalKey = nextGlobalKey
        cells = UnsafeOverlayCells(width: max(1, info.table.columns.count))
    }

    /// Interned name of a property.
    @inline(__always)
    func property(_ column: StoredColumn, _ writer: inout ChangesetWriter) -> UInt32 {
        if let index = properties[column.slot] { return index }
        let index = writer.intern(column.property.name)
        properties[column.slot] = index
        return index
    }

    /// The row of an object that is changed, new or deleted.
    @inline(__always)
    func row(of key: ObjectKey) -> Int? {
        let distance = Int(key.raw &- firstNewKey)
        if distance >= 0, distance < newRows.count { return Int(newRows[distance]) }
        if key.isProvisional { return provisional.contains(key.raw) ? Int(key.raw - provisional.lowerBound) : nil }
        if otherRows.isEmpty { return nil }
        return otherRows[key].map(Int.init)
    }

    func nextGlobalKey() -> PrimaryKey {
        globalKeyCount += 1
        return .global(high: 0, low: firstGlobalKey + globalKeyCount - 1)
    }

    /// A row for a new object. `reserved`: the key that the file keeps for it since links to it were met before it.
    func addNew(_ rawKey: RawKey, reserved: ObjectKey?) -> Int {
        let key = reserved ?? ObjectKey(firstNewKey + Int64(newKeyCount))
        let row = cells.addRow()
        rows.append(
            Row(key: key, encoded: EncodedObject(target: target, key: rawKey), rawKey: rawKey, isNew: true))
        if reserved == nil {
            newKeyCount += 1
            newRows.append(Int32(row))
        } else {
            otherRows[key] = Int32(row)
        }
        createdCount += 1
        return row
    }

    /// A row for an object of the file.
    func addChanged(_ key: ObjectKey, _ rawKey: RawKey) -> Int {
        let row = cells.addRow()
        rows.append(
            Row(key: key, encoded: EncodedObject(target: target, key: rawKey), rawKey: rawKey, isNew: false))
        otherRows[key] = Int32(row)
        return row
    }

    func markDeleted(_ row: Int) {
        rows[row].isDeleted = true
        if rows[row].isNew {
            createdCount -= 1
        } else {
            deletedCount += 1
        }
    }

    /// Keys of new objects that live, ascending.
    var createdKeys: [ObjectKey] {
        rows.lazy.filter { $0.isNew && !$0.isDeleted }.map(\.key).sorted()
    }

    /// The greatest primary key that the file has in the version of `table`.
    func greatestStoredKey(in table: Table) -> PrimaryKey? {
        if let greatestStoredKey { return greatestStoredKey }
        let greatest = table.greatestPrimaryKey
        greatestStoredKey = .some(greatest)
        return greatest
    }

    /// Whether new objects get provisional keys.
    var isProvisional: Bool { firstNewKey >= ProvisionalKeys.first }

    /// The key by which the file will know, or knows, the object.
    func settled(_ key: ObjectKey) -> ObjectKey {
        guard key.isProvisional, let row = row(of: key) else { return key }
        return rows[row].key
    }

    /// Primary key of a new object of a class that has them.
    func newPrimaryKey(_ row: Int) -> PrimaryKey {
        guard let primary = info.table.primaryKey, cells.state(row, primary.slot) == .value else { return .null }
        return PrimaryKey(cells.value(row, primary.slot, primary.property.type))
    }

    /// The write lock is had: gives the objects created so far the keys that the agent will give them.
    func settle(in table: Table) {
        provisional = firstNewKey..<(firstNewKey + Int64(rows.count))
        firstNewKey = table.nextKey.raw
        newKeyCount = 0
        newRows.removeAll(keepingCapacity: true)
        newKeys = NewPrimaryKeys()
        greatestStoredKey = nil
        for row in rows.indices {
            let primary = newPrimaryKey(row)
            if let reserved = table.reservedKey(for: primary) {
                rows[row].key = reserved
                otherRows[reserved] = Int32(row)
            } else {
                rows[row].key = ObjectKey(firstNewKey + Int64(newKeyCount))
                newRows.append(Int32(row))
                newKeyCount += 1
            }
            newKeys.insert(primary, rows[row].key)
        }
    }
}
