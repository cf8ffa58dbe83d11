import Foundation
import Model

/// One class at one snapshot. Keeps what it found, so that later lookups are cheap; use it only while the snapshot
/// lives.
package final class Table: @unchecked Sendable {
    package let stored: StoredTable
    package unowned let snapshot: Snapshot
    package let record: TableRecord
    let transaction: ReadTransaction
    private let state = Lock(State())

    /// So many objects are looked up one by one before the cluster directory is made.
    private static let lookupsWithoutDirectory = 8

    private struct State {
        var directory: ClusterDirectory?
        /// Clusters by position in the directory, once there is one.
        var clusters: [Cluster?] = []
        /// Clusters by base, before.
        var loose: [Int64: Cluster] = [:]
        var lookups = 0
    }

    init(stored: StoredTable, snapshot: Snapshot, transaction: ReadTransaction) {
        self.stored = stored
        self.snapshot = snapshot
        self.transaction = transaction
        let bytes = transaction.get(transaction.environment.databases.meta, .meta(stored.id))
        record = bytes.flatMap { TableRecord($0) } ?? TableRecord()
    }

    /// Number of objects.
    package var count: Int { Int(record.count) }

    /// The key that the next object gets.
    package var nextKey: ObjectKey { ObjectKey(record.nextKey) }

    /// Low word of the global key that the next object gets, in a class without primary key.
    package var nextGlobalKey: UInt64 { record.nextGlobalKey }

    // MARK: Clusters

    /// Number of clusters.
    package var clusterCount: Int {
        state.withLock { directory(&$0).count }
    }

    /// The cluster at a position; clusters are ordered by key.
    package func cluster(at position: Int) -> Cluster {
        state.withLock { state in
            let directory = directory(&state)
            return cluster(at: position, directory, &state)
        }
    }

    /// The cluster and row of an object; nil if there is no such object.
    package func locate(_ key: ObjectKey) -> (cluster: Cluster, row: Int)? {
        guard key.raw >= 0 else { return nil }
        let cluster = state.withLock { state in
            if state.directory == nil {
                state.lookups += 1
                if state.lookups <= Table.lookupsWithoutDirectory { return looseCluster(for: key, &state) }
            }
            let directory = directory(&state)
            return directory.position(of: key).map { self.cluster(at: $0, directory, &state) }
        }
        guard let cluster, let row = cluster.row(of: key) else { return nil }
        return (cluster, row)
    }

    /// As `locate(_:)`, looking into `hint` first: for runs of keys that lie near each other.
    package func locate(_ key: ObjectKey, near hint: Cluster?) -> (cluster: Cluster, row: Int)? {
        if let hint, let row = hint.row(of: key) { return (hint, row) }
        return locate(key)
    }

    package func contains(_ key: ObjectKey) -> Bool {
        locate(key) != nil
    }

    /// The key of the object at a position in key order.
    package func key(at index: Int) -> ObjectKey {
        guard let (cluster, row) = locate(index: index) else {
            preconditionFailure("index \(index) out of range: \(stored.name) has \(count) objects")
        }
        return cluster.key(at: row)
    }

    /// The cluster and row at a position in key order.
    package func locate(index: Int) -> (cluster: Cluster, row: Int)? {
        state.withLock { state in
            let directory = directory(&state)
            return directory.position(ofIndex: index).map { position in
                (cluster(at: position, directory, &state), index - directory.firstIndexes[position])
            }
        }
    }

    func firstIndex(ofBase base: Int64) -> Int {
        state.withLock { state in
            let directory = directory(&state)
            return directory.firstIndexes[min(directory.position(notBelow: base), directory.count)]
        }
    }

    private func directory(_ state: inout State) -> ClusterDirectory {
        if let directory = state.directory { return directory }
        let directory = snapshot.directory(of: self)
        state.directory = directory
        state.clusters = Array(repeating: nil, count: directory.count)
        for (base, cluster) in state.loose {
            let position = directory.position(notBelow: base)
            if position < directory.count, directory.bases[position] == base { state.clusters[position] = cluster }
        }
        return directory
    }

    private func cluster(at position: Int, _ directory: ClusterDirectory, _ state: inout State) -> Cluster {
        if let cluster = state.clusters[position] { return cluster }
        let cluster = makeCluster(directory.bases[position], firstIndex: directory.firstIndexes[position])
        state.clusters[position] = cluster
        return cluster
    }

    /// The cluster that holds `key` if any does, found in the tree.
    private func looseCluster(for key: ObjectKey, _ state: inout State) -> Cluster? {
        let objects = transaction.environment.databases.objects
        let found = try? transaction.withCursor(objects) { cursor -> Int64? in
            let after: RecordKey =
                key.raw == Int64.max
                ? .objects(TableId(stored.id.raw &+ 1), base: 0, .objectKeys)
                : .objects(stored.id, base: key.raw + 1, .objectKeys)
            guard cursor.seek(before: after), let found = ObjectsKey(cursor.key), found.table == stored.id else {
                return nil
            }
            return found.base
        }
        guard let base = found ?? nil else { return nil }
        if let cluster = state.loose[base] { return cluster }
        let cluster = makeCluster(base, firstIndex: nil)
        state.loose[base] = cluster
        return cluster
    }

    private func makeCluster(_ base: Int64, firstIndex: Int?) -> Cluster {
        let objects = transaction.environment.databases.objects
        let key = RecordKey.objects(stored.id, base: base, .objectKeys)
        guard let bytes = transaction.get(objects, key), let start = bytes.baseAddress,
            let header = ChunkHeader(checking: bytes), header.kind == .keys, header.count <= DefaultChunk.capacity
        else {
            snapshot.note(fault: "cluster \(base) of \(stored.name) has no readable keys")
            return Cluster(table: self, base: base, keys: UnsafeChunk(DefaultChunk.noKeys), firstIndex: firstIndex)
        }
        return Cluster(table: self, base: base, keys: UnsafeChunk(start), firstIndex: firstIndex)
    }

    // MARK: Columns

    func loadChunk(_ cluster: Cluster, _ slot: Int) -> UnsafeRawPointer? {
        let columns = stored.columns
        let id: ColumnId
        let kind: ChunkKind
        let nullable: Bool
        if slot < columns.count {
            let column = columns[slot]
            guard column.property.collection == .single else { return nil }
            id = column.id
            kind = ChunkKind(column.property.type)
            nullable = column.property.isNullable || kind == .mixed
        } else {
            id = slot == columns.count ? .globalKeyLow : .globalKeyHigh
            kind = .int
            nullable = false
        }
        let objects = transaction.environment.databases.objects
        var chunk = DefaultChunk.chunk(kind, nullable: nullable)
        if let bytes = transaction.get(objects, .objects(stored.id, base: cluster.base, id)) {
            if let header = ChunkHeader(checking: bytes), header.kind == kind, Int(header.count) == cluster.count,
                let start = bytes.baseAddress
            {
                chunk = start
            } else {
                snapshot.note(fault: "column \(id.raw) of cluster \(cluster.base) of \(stored.name) can't be read")
            }
        }
        cluster.chunks[slot] = chunk
        return chunk
    }
}
