import Foundation
import Model

extension TableWriter {
    /// Remembers what the index holds of a row, before the row's value is replaced for the first time.
    func noteIndexed(_ cluster: ClusterBuffer, _ row: Int, _ plan: ColumnPlan) throws {
        guard row < cluster.firstUnindexedRow else { return }
        let key = cluster.keys[row]
        guard indexedBefore[plan.slot]?[key] == nil else { return }
        let before = try indexKey(cluster, row, plan)
        indexedBefore[plan.slot, default: [:]][key] = .some(before)
    }

    /// The record of `index` that a row's value has; nil for values that aren't indexed.
    func indexKey(_ cluster: ClusterBuffer, _ row: Int, _ plan: ColumnPlan) throws -> RecordKey? {
        guard let column = try column(cluster, plan) else { return nil }
        column.pad(to: row + 1, nullable: plan.isNullable)
        let object = ObjectKey(cluster.keys[row])
        var key = RecordKey.index(stored.id, plan.id)
        guard IndexCoding.append(try value(cluster, row, plan), to: &key) else { return nil }
        key.append(UInt64(bitPattern: object.raw))
        return key
    }

    /// The value in a row of a column that isn't a link.
    func value(_ cluster: ClusterBuffer, _ row: Int, _ plan: ColumnPlan) throws -> Value {
        guard let column = try column(cluster, plan) else { return .null }
        column.pad(to: row + 1, nullable: plan.isNullable)
        guard column.builder.isExternal(row) else { return column.builder.value(row) }
        let object = ObjectKey(cluster.keys[row])
        guard let bytes = store.get(store.databases.blobs, .blobs(stored.id, plan.id, object)) else {
            throw damaged("a long value of object \(object.raw) is missing")
        }
        return plan.kind == .string ? .string(String(decoding: bytes, as: UTF8.self)) : .binary(Data(bytes))
    }

    /// Notes the rows that the indexes don't know yet.
    func collectIndexed(_ cluster: ClusterBuffer) throws {
        for plan in plans where plan.isIndexed {
            for row in cluster.firstUnindexedRow..<max(cluster.keys.count, cluster.firstUnindexedRow)
            where !cluster.removed[row] {
                indexedBefore[plan.slot, default: [:]][cluster.keys[row]] = .some(nil)
            }
        }
    }

    /// Replaces what the indexes held of the changed rows by what the rows hold now.
    func flushIndexes() throws {
        let database = store.databases.index
        for plan in plans where plan.isIndexed {
            guard let rows = indexedBefore[plan.slot], !rows.isEmpty else { continue }
            var gone: [RecordKey] = []
            var new: [RecordKey] = []
            for (key, before) in rows {
                let now = try locate(key).flatMap { try indexKey($0.cluster, $0.row, plan) }
                guard now != before else { continue }
                if let before { gone.append(before) }
                if let now { new.append(now) }
            }
            for key in gone { try store.delete(database, key) }
            let cursor = try store.cursor(database)
            for key in new.sorted(by: RecordKey.isLess) {
                try key.withUnsafeBytes {
                    try cursor.put($0, UnsafeRawBufferPointer(start: nil, count: 0), appending: false)
                }
            }
        }
        indexedBefore = [:]
    }
}

extension RecordKey {
    /// LMDB's order.
    static func isLess(_ a: RecordKey, _ b: RecordKey) -> Bool {
        a.withUnsafeBytes { a in b.withUnsafeBytes { PendingKeys.isLess(a, $0) } }
    }
}
