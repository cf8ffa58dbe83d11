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
        let rawKey: RawKey
        let isNew: Bool
        var isDeleted = false
    }

    let info: ClassInfo
    /// Interned name of the class.
    let target: UInt32
    /// Interned names of the properties by slot, where they have been needed.
    @exclusivity(unchecked) private var properties: [UInt32?]
    /// The same, with the types of the values.
    private let fields: UnsafeMutableBufferPointer<EncodedField>
    let primarySlot: Int?
    /// Keys from here on are given to new objects in order (the agent counts the same way).
    @exclusivity(unchecked) private(set) var firstNewKey: Int64
    @exclusivity(unchecked) private(set) var newKeyCount = 0
    /// What objects were called that were created before the write lock was had, one row each from the first on. Such
    /// keys find their rows until the transaction ends.
    @exclusivity(unchecked) private var provisional = 0..<Int64(0)
    private let firstGlobalKey: UInt64
    private var globalKeyCount: UInt64 = 0
    let cells: UnsafeOverlayCells
    @exclusivity(unchecked) private(set) var rows = UnsafePooledArray<Row>(capacity: 16)
    /// Rows of new objects, by distance from `firstNewKey`.
    @exclusivity(unchecked) private var newRows = UnsafePooledArray<Int32>(capacity: 16)
    /// Rows of changed objects, and of those that took the place of a tombstone.
    @exclusivity(unchecked) private var otherRows: [ObjectKey: Int32] = [:]
    var lists: [ListSlot: [ListElement]] = [:]
    /// Keys of dictionaries whose values are in `lists`, in the order of their bytes.
    var mapKeys: [ListSlot: [String]] = [:]
    /// Mixed properties as they are now.
    var mixed: [ListSlot: ListElement] = [:]
    /// Whether the objects are parts of others, which have their keys.
    let isEmbedded: Bool
    /// What new embedded objects are part of.
    var holders: [ObjectKey: ChangeRecorder.LinkOrigin] = [:]
    @exclusivity(unchecked) var newKeys = NewPrimaryKeys()
    @exclusivity(unchecked) private var greatestStoredKey: PrimaryKey??
    /// Whether the file keeps keys of objects that aren't there.
    @exclusivity(unchecked) private(set) var hasTombstones: Bool
    /// Objects of the file that are deleted, and new ones that are not.
    private(set) var deletedCount = 0
    @exclusivity(unchecked) private(set) var createdCount = 0

    /// In a version of the table; nil while the transaction doesn't have the write lock: keys are provisional then.
    init(info: ClassInfo, target: UInt32, in table: Table?) {
        self.info = info
        self.target = target
        isEmbedded = info.schema.kind == .embedded
        properties = Array(repeating: nil, count: info.table.columns.count)
        primarySlot = info.table.primaryKey?.slot
        firstNewKey = table?.nextKey.raw ?? ProvisionalKeys.begin()
        // Objects without primary key aren't created before the lock is had.
        firstGlobalKey = table?.nextGlobalKey ?? 0
        hasTombstones = table.map { $0.record.tombstones > 0 } ?? false
        fields = .allocate(capacity: max(1, info.table.columns.count))
        fields.initialize(repeating: EncodedField())
        cells = UnsafeOverlayCells(width: max(1, info.table.columns.count))
    }

    deinit {
        fields.deallocate()
    }

    /// Interned name of a property.
    @inline(__always)
    func property(_ slot: Int, _ writer: inout ChangesetWriter) -> UInt32 {
        if let index = properties[slot] { return index }
        let index = writer.intern(info.table.columns[slot].property.name)
        properties[slot] = index
        return index
    }

    /// Class and key of an object as they stand in each instruction.
    @inline(__always)
    func encoded(_ row: Int) -> EncodedObject {
        EncodedObject(target: target, key: rows[row].rawKey)
    }

    /// Where the values of a new object go.
    @inline(__always)
    func newRow(_ row: Int) -> UnsafeNewRow {
        UnsafeNewRow(encoded(row), fields: fields, cells: cells.row(row))
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
        // The agent refuses the first key that has none after it.
        return .global(high: 0, low: firstGlobalKey &+ globalKeyCount &- 1)
    }

    /// A row for a new object. `reserved`: the key that the file keeps for it since links to it were met before it.
    func addNew(_ rawKey: RawKey, reserved: ObjectKey?) -> Int {
        let key = reserved ?? ObjectKey(firstNewKey + Int64(newKeyCount))
        let row = rows.count
        cells.addRow()
        rows.append(Row(key: key, rawKey: rawKey, isNew: true))
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
        let row = rows.count
        cells.addRow()
        rows.append(Row(key: key, rawKey: rawKey, isNew: false))
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
        rows.indices.lazy.map { self.rows[$0] }.filter { $0.isNew && !$0.isDeleted }.map(\.key).sorted()
    }

    /// The greatest primary key that the file has in the version of `table`.
    @inline(__always)
    func greatestStoredKey(in table: @autoclosure () -> Table) -> PrimaryKey? {
        if let greatestStoredKey { return greatestStoredKey }
        let greatest = table().greatestPrimaryKey
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

    /// The new object that has a primary key.
    @inline(__always)
    func newObject(_ key: PrimaryKey) -> ObjectKey? {
        newKeys.mayContain(key) ? findNewObject(key) : nil
    }

    @inline(never)
    private func findNewObject(_ key: PrimaryKey) -> ObjectKey? {
        newKeys.find(key, among: rows.count) { row in
            rows[row].isNew && !rows[row].isDeleted ? newPrimaryKey(row) : nil
        }.map { rows[$0].key }
    }

    /// Primary key of a new object of a class that has them.
    func newPrimaryKey(_ row: Int) -> PrimaryKey {
        guard let primary = info.table.primaryKey, cells.state(row, primary.slot) == .value else { return .null }
        return cells.value(row, primary.slot, primary.property.type).primaryKey ?? .null
    }

    /// The write lock is had: gives the objects created so far the keys that the agent will give them.
    func settle(in table: Table) {
        provisional = firstNewKey..<(firstNewKey + Int64(rows.count))
        firstNewKey = table.nextKey.raw
        newKeyCount = 0
        newRows.removeAll()
        newKeys = NewPrimaryKeys()
        greatestStoredKey = nil
        hasTombstones = table.record.tombstones > 0
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
            newKeys.insert(primary)
        }
    }
}
