import Foundation
import Model

/// Walks over everything that a snapshot holds and compares what must agree: clusters, keys, indexes, links, lists,
/// long values and counters.
struct InvariantWalk {
    private static let findingLimit = 200

    let snapshot: Snapshot
    private(set) var findings: [String] = []
    private(set) var tables: [VerifyReport.Table] = []
    /// What `backlinks` must hold.
    var links: [RecordKey: UInt32] = [:]
    /// What `blobs` must have records of.
    var blobs: Set<RecordKey> = []

    /// Collections that Mixed slots hold, and those that there are records of.
    var nested: [CollectionAddress: CollectionKind] = [:]
    var nestedRecords: Set<CollectionAddress> = []

    init(_ snapshot: Snapshot) {
        self.snapshot = snapshot
    }

    var transaction: ReadTransaction { snapshot.transaction }
    var databases: Databases { transaction.environment.databases }

    mutating func note(_ finding: String) {
        if findings.count < InvariantWalk.findingLimit { findings.append(finding) }
    }

    mutating func run() {
        do {
            for stored in snapshot.schema.tables { try check(stored) }
            checkNested()
            try checkLinks()
            try checkBlobs()
            try checkStrays()
            try checkChanges()
        } catch {
            note("the walk ended early: \(error)")
        }
    }

    // MARK: A table

    private mutating func check(_ stored: StoredTable) throws {
        let bytes = transaction.get(databases.meta, .meta(stored.id))
        let record = bytes.flatMap { TableRecord($0) } ?? TableRecord()
        if bytes != nil, bytes.flatMap({ TableRecord($0) }) == nil { note("\(stored.name): unreadable counters") }
        var state = TableWalk(stored: stored, record: record)
        let bases = try clusterBases(stored)
        var previous: Int64 = -1
        for base in bases {
            if base <= previous { note("\(stored.name): cluster \(base) begins within the one before") }
            previous = try checkCluster(base, &state) ?? previous
        }
        if state.rows != Int(record.count) {
            note("\(stored.name): \(state.rows) objects where the counter says \(record.count)")
        }
        if previous >= record.nextKey { note("\(stored.name): object \(previous) isn't below the next key") }
        if stored.kind == .embedded { try checkParents(state) } else { try checkKeys(state) }
        for column in stored.columns where column.property.isIndexed && IndexCoding.supports(column.property) {
            try checkIndex(column, state)
        }
        for column in stored.columns where column.property.collection != .single || column.property.type == .mixed {
            try checkCollections(column, state)
        }
        tables.append(VerifyReport.Table(name: stored.name, objects: state.rows, clusters: bases.count))
    }

    private func clusterBases(_ stored: StoredTable) throws -> [Int64] {
        try transaction.withCursor(databases.objects) { cursor in
            var bases: [Int64] = []
            var prefix = RecordKey()
            prefix.append(stored.id.raw)
            var isThere = cursor.seek(prefix)
            while isThere, let key = ObjectsKey(cursor.key), key.table == stored.id {
                if bases.last != key.base { bases.append(key.base) }
                isThere = cursor.next()
            }
            return bases
        }
    }

    /// - Returns: the cluster's last key.
    private mutating func checkCluster(_ base: Int64, _ state: inout TableWalk) throws -> Int64? {
        let stored = state.stored
        let place = "\(stored.name): cluster \(base)"
        guard let bytes = transaction.get(databases.objects, .objects(stored.id, base: base, .objectKeys)),
            let start = bytes.baseAddress, let header = ChunkHeader(checking: bytes), header.kind == .keys
        else {
            note("\(place) has no readable keys")
            return nil
        }
        let keys = UnsafeChunk(start)
        if keys.count == 0 || keys.count > FileFormat.clusterCapacity { note("\(place) has \(keys.count) rows") }
        let objects = (0..<keys.count).map { keys.key($0, base: base) }
        if let first = objects.first, first.raw < base { note("\(place) holds key \(first.raw)") }
        for (one, next) in zip(objects, objects.dropFirst()) where next <= one { note("\(place): keys out of order") }
        state.rows += objects.count
        let table = snapshot.table(stored.id)
        guard let cluster = objects.first.flatMap({ table.locate($0)?.cluster }), cluster.base == base else {
            note("\(place) isn't found by its keys")
            return objects.last?.raw
        }
        for column in stored.columns where column.property.collection == .single {
            let record = transaction.get(databases.objects, .objects(stored.id, base: base, column.id))
            if let record {
                let header = ChunkHeader(checking: record)
                if header == nil || header?.kind != ChunkKind(column.property.type)
                    || Int(header?.count ?? 0) != keys.count
                {
                    note("\(place): column '\(column.property.name)' can't be read")
                    continue
                }
            }
            guard let chunk = cluster.chunk(column.slot) else { continue }
            check(chunk, column, objects, &state, place)
        }
        for (row, object) in objects.enumerated() {
            if stored.kind != .embedded {
                state.keys[table.primaryKey(cluster, row), default: []].append(object)
            }
            state.objects.insert(object)
        }
        return objects.last?.raw
    }

    private mutating func check(
        _ chunk: UnsafeChunk, _ column: StoredColumn, _ objects: [ObjectKey], _ state: inout TableWalk,
        _ place: String
    ) {
        let stored = state.stored
        let isIndexed = column.property.isIndexed && IndexCoding.supports(column.property)
        let table = snapshot.table(stored.id)
        let target = column.property.target.flatMap { snapshot.schema.table(named: $0) }
        for (row, object) in objects.enumerated() {
            if chunk.kind == .mixed, !chunk.isNull(row) {
                let bytes = chunk.isExternal(row) ? table.blob(object, column) : chunk.bytes(row)
                checkCell(bytes, CollectionAddress(stored.id, column.id, object), place)
            }
            if chunk.isNull(row), !column.property.isNullable, chunk.kind != .mixed {
                note("\(place): null in required column '\(column.property.name)'")
            }
            if chunk.isExternal(row) { blobs.insert(.blobs(stored.id, column.id, object)) }
            if chunk.kind == .link, let target, let key = chunk.link(row) {
                links[.backlinks(to: target.id, key, from: stored.id, column.id, object), default: 0] += 1
            }
            if chunk.kind == .string, !chunk.isExternal(row),
                String(validating: chunk.bytes(row), as: UTF8.self) == nil
            {
                note("\(place): column '\(column.property.name)' holds a string that isn't UTF-8")
            }
            if isIndexed {
                var key = RecordKey.index(stored.id, column.id)
                if IndexCoding.append(table.value(object, column), to: &key) {
                    key.append(UInt64(bitPattern: object.raw))
                    state.indexes[column.id, default: []].insert(key)
                }
            }
        }
    }
}

/// What was seen of a table.
struct TableWalk {
    let stored: StoredTable
    let record: TableRecord
    var rows = 0
    var objects: Set<ObjectKey> = []
    var keys: [PrimaryKey: [ObjectKey]] = [:]
    var indexes: [ColumnId: Set<RecordKey>] = [:]
}
