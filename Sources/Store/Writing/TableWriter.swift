import Model

/// One table in a write transaction: its counters, the clusters that were touched, its changes of keys and indexes.
/// Nothing reaches the file before `flush`.
final class TableWriter {
    let stored: StoredTable
    let plans: [ColumnPlan]
    let store: UnsafeRecordStore
    /// Whether objects of this table can have incoming links.
    let isLinkTarget: Bool
    /// Type of the primary key; nil for global keys.
    let keyType: ValueType?
    @exclusivity(unchecked) var record: TableRecord
    @exclusivity(unchecked) var recordIsDirty = false
    /// Clusters in memory, by base.
    @exclusivity(unchecked) var buffers: ContiguousArray<ClusterBuffer> = []
    /// The cluster used last.
    @exclusivity(unchecked) private var recent: ClusterBuffer?
    /// The cluster that new objects are appended to, once known.
    @exclusivity(unchecked) private var tail: ClusterBuffer?
    @exclusivity(unchecked) var pendingKeys = PendingKeys()
    /// Objects from this key on were created since the last seal.
    @exclusivity(unchecked) var createdFrom: Int64
    @exclusivity(unchecked) var changes = TableChanges()
    /// By slot of an indexed column: what the index holds of the rows that were changed (nil: nothing).
    @exclusivity(unchecked) var indexedBefore: [Int: [Int64: RecordKey?]] = [:]
    /// Where a key was looked for in vain: the next greater key in the file. None between the two exists.
    @exclusivity(unchecked) var keyGap: KeyGap?

    struct KeyGap {
        var low: [UInt8]
        /// Nil: the table has no greater key.
        var high: [UInt8]?
    }

    init(_ stored: StoredTable, _ schema: StoredSchema, _ store: UnsafeRecordStore) throws {
        self.stored = stored
        self.store = store
        plans = stored.columns.map { ColumnPlan($0, of: stored, schema) }
        keyType = stored.primaryKey?.property.type
        isLinkTarget = schema.tables.contains { table in
            table.columns.contains { column in
                column.property.type == .mixed
                    || column.property.type == .link && column.property.target == stored.name
            }
        }
        if let bytes = store.get(store.databases.meta, .meta(stored.id)) {
            guard let record = TableRecord(bytes) else {
                throw StoreError(.corrupt, "the counters of \(stored.name) can't be read", path: store.path)
            }
            self.record = record
        } else {
            record = TableRecord()
        }
        createdFrom = record.nextKey
    }

    var hasGlobalKeys: Bool { keyType == nil && stored.kind != .embedded }

    // MARK: Finding rows

    /// The cluster and row of an object that exists.
    @inline(__always)
    func locate(_ key: Int64) throws -> (cluster: ClusterBuffer, row: Int)? {
        if let recent, let row = recent.row(of: key) {
            return recent.removedCount > 0 && recent.removed[row] ? nil : (recent, row)
        }
        guard let (cluster, row) = try locateAny(key), !cluster.removed[row] else { return nil }
        return (cluster, row)
    }

    /// The cluster and row of an object, erased in this transaction or not.
    func locateAny(_ key: Int64) throws -> (cluster: ClusterBuffer, row: Int)? {
        guard let cluster = try cluster(for: key), let row = cluster.row(of: key) else { return nil }
        recent = cluster
        return (cluster, row)
    }

    /// The cluster whose range `key` falls into: the one with the greatest base not above it.
    func cluster(for key: Int64) throws -> ClusterBuffer? {
        let place = firstBuffer(above: key)
        let buffered = place > 0 ? buffers[place - 1] : nil
        if let buffered, buffered.row(of: key) != nil { return buffered }
        guard let base = try storedBase(notAbove: key) else { return buffered }
        if let buffered, buffered.base >= base { return buffered }
        return try load(base)
    }

    /// The base of the file's cluster with the greatest base not above `key`.
    private func storedBase(notAbove key: Int64) throws -> Int64? {
        let cursor = try store.cursor(store.databases.objects)
        let after: RecordKey =
            key == Int64.max
            ? .objects(TableId(stored.id.raw + 1), base: 0, .objectKeys)
            : .objects(stored.id, base: key + 1, .objectKeys)
        guard try cursor.seek(before: after), let found = ObjectsKey(cursor.key), found.table == stored.id else {
            return nil
        }
        return found.base
    }

    private func firstBuffer(above key: Int64) -> Int {
        var low = 0
        var high = buffers.count
        while low < high {
            let middle = (low + high) / 2
            if buffers[middle].base <= key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The keys of a cluster in the file.
    func storedKeys(_ base: Int64) throws -> ContiguousArray<Int64> {
        guard let bytes = store.get(store.databases.objects, .objects(stored.id, base: base, .objectKeys)),
            let start = bytes.baseAddress, let header = ChunkHeader(checking: bytes), header.kind == .keys,
            header.count > 0, header.count <= DefaultChunk.capacity
        else { throw damaged("cluster \(base) has no readable keys") }
        let chunk = UnsafeChunk(start)
        let keys = ContiguousArray((0..<chunk.count).map { chunk.key($0, base: base).raw })
        // Rows are found, and cut into pieces, by counting from key to key.
        var isAscending = base >= 0 && (keys.last ?? 0) < Int64(FileFormat.numberLimit)
        var previous = base &- 1
        for key in keys {
            isAscending = isAscending && key > previous
            previous = key
        }
        guard isAscending else { throw damaged("cluster \(base) has keys out of order") }
        return keys
    }

    private func load(_ base: Int64) throws -> ClusterBuffer {
        let cluster = ClusterBuffer(
            base: base, keys: try storedKeys(base), columnCount: plans.count, isStored: true)
        add(cluster)
        return cluster
    }

    private func add(_ cluster: ClusterBuffer) {
        buffers.insert(cluster, at: firstBuffer(above: cluster.base))
    }

    // MARK: Adding rows

    /// Adds the row of an object whose key is greater than all others.
    @inline(__always)
    func appendRow(_ key: Int64) throws -> (cluster: ClusterBuffer, row: Int) {
        let cluster: ClusterBuffer
        if let tail, tail.keys.count < FileFormat.clusterCapacity { cluster = tail } else { cluster = try newTail(key) }
        cluster.keys.append(key)
        cluster.keysAreDirty = true
        recent = cluster
        return (cluster, cluster.keys.count - 1)
    }

    private func newTail(_ key: Int64) throws -> ClusterBuffer {
        if tail == nil, let last = try cluster(for: Int64.max) {
            guard (last.keys.last ?? -1) < key else { throw damaged("the next key, \(key), isn't above all others") }
            if last.keys.count < FileFormat.tailCapacity {
                tail = last
                return last
            }
        }
        let cluster = ClusterBuffer(base: key, keys: [], columnCount: plans.count, isStored: false)
        add(cluster)
        tail = cluster
        return cluster
    }

    /// Adds the row of an object that comes back under a key that others may be greater than.
    func insertRow(_ key: Int64) throws -> (cluster: ClusterBuffer, row: Int) {
        guard let cluster = try cluster(for: key) else {
            let cluster = ClusterBuffer(base: key, keys: [], columnCount: plans.count, isStored: false)
            add(cluster)
            cluster.keys.append(key)
            cluster.keysAreDirty = true
            return (cluster, 0)
        }
        let row = cluster.firstRow(notBelow: key)
        for plan in plans where plan.collection == .single {
            guard let column = try self.column(cluster, plan) else { continue }
            column.pad(to: cluster.keys.count, nullable: plan.isNullable)
            let single = ColumnBuffer(ChunkBuilder(column.builder.kind))
            single.pad(to: 1, nullable: plan.isNullable)
            column.builder.insert(single.builder, at: row)
            column.isDirty = true
        }
        if hasGlobalKeys {
            for slot in [plans.count, plans.count + 1] {
                let column = try hiddenColumn(cluster, slot)
                column.pad(to: cluster.keys.count, nullable: false)
                var single = ChunkBuilder(.int)
                single.append(int: 0)
                column.builder.insert(single, at: row)
                column.isDirty = true
            }
        }
        cluster.removed.insert(false, at: row, count: cluster.keys.count)
        cluster.keys.insert(key, at: row)
        cluster.keysAreDirty = true
        // The new row isn't indexed though rows after it may be.
        if row < cluster.firstUnindexedRow {
            cluster.firstUnindexedRow += 1
            for plan in plans where plan.isIndexed { indexedBefore[plan.slot, default: [:]][key] = .some(nil) }
        }
        recent = cluster
        return (cluster, row)
    }

    // MARK: Columns

    /// The column of a cluster, loaded if need be; nil for collections.
    @inline(__always)
    func column(_ cluster: ClusterBuffer, _ plan: ColumnPlan) throws -> ColumnBuffer? {
        if let column = cluster.columns[plan.slot] { return column }
        guard plan.collection == .single else { return nil }
        let column = try loadColumn(cluster, plan.id, plan.kind, nullable: plan.isNullable)
        cluster.columns[plan.slot] = column
        return column
    }

    /// The low or high words of the global keys in a cluster.
    func hiddenColumn(_ cluster: ClusterBuffer, _ slot: Int) throws -> ColumnBuffer {
        if let column = cluster.columns[slot] { return column }
        let id = hiddenColumnId(slot)
        let column = try loadColumn(cluster, id, .int, nullable: false)
        cluster.columns[slot] = column
        return column
    }

    func hiddenColumnId(_ slot: Int) -> ColumnId { slot == plans.count ? .globalKeyLow : .globalKeyHigh }

    private func loadColumn(
        _ cluster: ClusterBuffer, _ id: ColumnId, _ kind: ChunkKind, nullable: Bool
    ) throws -> ColumnBuffer {
        guard cluster.isStored else { return ColumnBuffer(ChunkBuilder(kind, capacity: 64)) }
        if let chunk = try storedChunk(cluster.base, id, kind) {
            guard chunk.count == cluster.storedCount else {
                throw damaged("column \(id.raw) of cluster \(cluster.base) has another number of rows")
            }
            return ColumnBuffer(ChunkBuilder(chunk, rows: 0..<chunk.count))
        }
        let column = ColumnBuffer(ChunkBuilder(kind, capacity: cluster.keys.count))
        column.pad(to: cluster.keys.count, nullable: nullable)
        return column
    }

    /// A column of a cluster in the file; nil when it shows the default. Valid until the next write.
    func storedChunk(_ base: Int64, _ id: ColumnId, _ kind: ChunkKind) throws -> UnsafeChunk? {
        guard let bytes = store.get(store.databases.objects, .objects(stored.id, base: base, id)) else { return nil }
        guard let start = bytes.baseAddress, let header = ChunkHeader(checking: bytes), header.kind == kind else {
            throw damaged("column \(id.raw) of cluster \(base) can't be read")
        }
        return UnsafeChunk(start)
    }

    func damaged(_ what: String) -> StoreError {
        StoreError(.corrupt, "class \(stored.name): \(what)", path: store.path)
    }

    /// Forgets the clusters in memory; they must be written.
    func forgetBuffers() {
        buffers.removeAll(keepingCapacity: true)
        recent = nil
        tail = nil
        indexedBefore = [:]
        keyGap = nil
    }
}

extension TableWriter {
    /// Begins to collect the changes of the next version.
    func beginPart() {
        changes = TableChanges()
        createdFrom = record.nextKey
    }

    /// Notes the change of a property.
    @inline(__always)
    func noteModified(_ key: Int64, _ column: ColumnId) {
        // An object that is new to the readers is so as a whole.
        if key < createdFrom { changes.modify(ObjectKey(key), column) }
    }
}
