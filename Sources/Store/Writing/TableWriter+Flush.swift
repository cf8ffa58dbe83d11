import Foundation
import Model

extension TableWriter {
    /// Writes everything that was changed. `version`: the one that the transaction is about to make.
    func flush(version: UInt64) throws {
        var lowest: Int64?
        var shrunken: [Int64] = []
        var hasNewCluster = false
        for cluster in buffers where cluster.isDirty {
            if cluster.keysAreDirty {
                lowest = min(lowest ?? cluster.base, cluster.base)
                if cluster.removedCount > 0 { shrunken.append(cluster.base) }
                if !cluster.isStored { hasNewCluster = true }
            }
            try collectIndexed(cluster)
            try write(cluster)
        }
        try flushIndexes()
        try flushKeys()
        forgetBuffers()
        if hasNewCluster, let merged = try mergeSmallTail() { lowest = min(lowest ?? merged, merged) }
        for base in shrunken {
            if let merged = try mergeSparse(base) { lowest = min(lowest ?? merged, merged) }
        }
        if let lowest {
            record.noteStructureChange(version: version, lowestBase: lowest)
            recordIsDirty = true
        }
        if recordIsDirty {
            try store.put(store.databases.meta, .meta(stored.id), record.encoded())
            recordIsDirty = false
        }
    }

    /// `packed`: if it must be cut, then into full pieces and a rest, not into even ones.
    private func write(_ cluster: ClusterBuffer, packed: Bool = false) throws {
        let objects = store.databases.objects
        let live = cluster.liveCount
        guard live > 0 else {
            if cluster.isStored { try deleteCluster(cluster.base) }
            return
        }
        let isReshaped = cluster.removedCount > 0 || cluster.keys.count > FileFormat.clusterCapacity
        guard isReshaped else {
            if cluster.keysAreDirty {
                try store.put(
                    objects, .objects(stored.id, base: cluster.base, .objectKeys),
                    KeyChunk.encode(cluster.keys, base: cluster.base))
            }
            for slot in cluster.columns.indices {
                guard let plan = chunkPlan(slot) else { continue }
                // More rows than the file's chunk has, and nothing known of it: it must grow all the same.
                if cluster.columns[slot] == nil, cluster.isStored, cluster.keysAreDirty {
                    guard try storedChunk(cluster.base, plan.id, plan.kind) != nil else { continue }
                    _ = try slot < plans.count ? column(cluster, plans[slot]) : hiddenColumn(cluster, slot)
                }
                guard let column = cluster.columns[slot], column.isDirty || cluster.keysAreDirty else { continue }
                column.pad(to: cluster.keys.count, nullable: plan.isNullable)
                try put(column.builder, cluster.base, plan.id)
            }
            return
        }
        // Rows go or the cluster is too large: what remains is cut into pieces of the rows that stay.
        var rows: [Range<Int>] = []
        for row in 0..<cluster.keys.count where !cluster.removed[row] {
            if let last = rows.last, last.upperBound == row {
                rows[rows.count - 1] = last.lowerBound..<(row + 1)
            } else {
                rows.append(row..<(row + 1))
            }
        }
        let pieces = RowPieces.cut(rows, count: live, capacity: FileFormat.clusterCapacity, packed: packed)
        let bases = pieces.enumerated().map { $0.offset == 0 ? cluster.base : cluster.keys[$0.element[0].lowerBound] }
        for (piece, base) in zip(pieces, bases) {
            let keys = ContiguousArray(piece.flatMap { cluster.keys[$0] })
            try store.put(
                objects, .objects(stored.id, base: base, .objectKeys), KeyChunk.encode(keys, base: base))
        }
        for slot in cluster.columns.indices {
            guard let plan = chunkPlan(slot) else { continue }
            if cluster.columns[slot] == nil, cluster.isStored {
                guard try storedChunk(cluster.base, plan.id, plan.kind) != nil else { continue }
                _ = try slot < plans.count ? column(cluster, plans[slot]) : hiddenColumn(cluster, slot)
            }
            guard let column = cluster.columns[slot] else { continue }
            column.pad(to: cluster.keys.count, nullable: plan.isNullable)
            let encoded = column.builder.encoded()
            try encoded.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress else { return }
                let chunk = UnsafeChunk(start)
                for (piece, base) in zip(pieces, bases) {
                    var builder = ChunkBuilder(plan.kind, capacity: live)
                    for range in piece { builder.append(chunk, rows: range) }
                    try put(builder, base, plan.id)
                }
            }
        }
    }

    /// Id, kind and nullability of the chunk in a slot; nil for slots without chunks.
    private func chunkPlan(_ slot: Int) -> (id: ColumnId, kind: ChunkKind, isNullable: Bool)? {
        guard slot < plans.count else {
            return hasGlobalKeys ? (hiddenColumnId(slot), .int, false) : nil
        }
        let plan = plans[slot]
        guard plan.collection == .single else { return nil }
        return (plan.id, plan.kind, plan.isNullable)
    }

    private func put(_ builder: ChunkBuilder, _ base: Int64, _ column: ColumnId) throws {
        let header = builder.header
        guard let size = header.totalSize else { throw damaged("a chunk of \(builder.count) rows") }
        try store.put(store.databases.objects, .objects(stored.id, base: base, column), size: size) {
            builder.write(header, to: $0)
        }
    }

    private func deleteCluster(_ base: Int64) throws {
        var prefix = RecordKey()
        prefix.append(stored.id.raw)
        prefix.append(UInt64(bitPattern: base))
        try store.deleteAll(store.databases.objects, prefix: prefix)
    }

    // MARK: Merging

    /// Clusters of fewer rows are small.
    private static let smallCluster = FileFormat.clusterCapacity / 2
    /// A cluster that lost rows and has fewer than this joins a neighbour.
    private static let sparseCluster = FileFormat.clusterCapacity / 4

    /// Makes full clusters of the small ones at the end of the table once they are enough for one.
    private func mergeSmallTail() throws -> Int64? {
        var run: [Int64] = []
        var sum = 0
        let cursor = try store.cursor(store.databases.objects)
        var at = try cursor.seek(before: .objects(TableId(stored.id.raw + 1), base: 0, .objectKeys))
        while at, let key = ObjectsKey(cursor.key), key.table == stored.id {
            let count = try storedCount(key.base)
            guard count < TableWriter.smallCluster else { break }
            run.insert(key.base, at: 0)
            sum += count
            at = try cursor.seek(before: .objects(stored.id, base: key.base, .objectKeys))
        }
        guard sum >= FileFormat.clusterCapacity, run.count > 1 else { return nil }
        try merge(run)
        return run[0]
    }

    /// Joins a cluster that became sparse with the next or the one before, if both fit into one.
    private func mergeSparse(_ base: Int64) throws -> Int64? {
        let objects = store.databases.objects
        guard store.get(objects, .objects(stored.id, base: base, .objectKeys)) != nil else { return nil }
        let count = try storedCount(base)
        guard count < TableWriter.sparseCluster else { return nil }
        let cursor = try store.cursor(objects)
        if base < Int64.max, try cursor.seek(.objects(stored.id, base: base + 1, .objectKeys)),
            let next = ObjectsKey(cursor.key), next.table == stored.id,
            count + (try storedCount(next.base)) <= FileFormat.clusterCapacity
        {
            try merge([base, next.base])
            return base
        }
        if try cursor.seek(before: .objects(stored.id, base: base, .objectKeys)),
            let previous = ObjectsKey(cursor.key), previous.table == stored.id,
            count + (try storedCount(previous.base)) <= FileFormat.clusterCapacity
        {
            try merge([previous.base, base])
            return previous.base
        }
        return nil
    }

    private func storedCount(_ base: Int64) throws -> Int {
        guard let bytes = store.get(store.databases.objects, .objects(stored.id, base: base, .objectKeys)),
            let header = ChunkHeader(checking: bytes), header.kind == .keys
        else { throw damaged("cluster \(base) has no readable keys") }
        return Int(header.count)
    }

    /// Replaces neighbouring clusters by full ones with the same rows.
    private func merge(_ bases: [Int64]) throws {
        let all = ClusterBuffer(base: bases[0], keys: [], columnCount: plans.count, isStored: false)
        for base in bases {
            let before = all.keys.count
            let keys = try storedKeys(base)
            guard (all.keys.last ?? -1) < (keys.first ?? .max) else {
                throw damaged("cluster \(base) begins within the one before")
            }
            all.keys.append(contentsOf: keys)
            for slot in all.columns.indices {
                guard let plan = chunkPlan(slot), let chunk = try storedChunk(base, plan.id, plan.kind) else {
                    continue
                }
                guard chunk.count == keys.count else {
                    throw damaged("column \(plan.id.raw) of cluster \(base) has another number of rows")
                }
                let column = all.columns[slot] ?? ColumnBuffer(ChunkBuilder(plan.kind))
                column.pad(to: before, nullable: plan.isNullable)
                column.builder.append(chunk, rows: 0..<chunk.count)
                all.columns[slot] = column
            }
        }
        for base in bases { try deleteCluster(base) }
        all.keysAreDirty = true
        try write(all, packed: true)
    }
}

/// Cuts row ranges into pieces.
enum RowPieces {
    /// Pieces of at most `capacity` rows: about equally many in each, or `packed`, all but the last full.
    static func cut(_ ranges: [Range<Int>], count: Int, capacity: Int, packed: Bool) -> [[Range<Int>]] {
        let pieces = (count + capacity - 1) / capacity
        let size = packed ? capacity : (count + pieces - 1) / pieces
        var result: [[Range<Int>]] = [[]]
        var room = size
        for range in ranges {
            var rest = range
            while !rest.isEmpty {
                if room == 0 {
                    result.append([])
                    room = size
                }
                let taken = rest.prefix(room)
                result[result.count - 1].append(taken)
                room -= taken.count
                rest = rest.dropFirst(taken.count)
            }
        }
        return result
    }
}
