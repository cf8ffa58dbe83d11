import Model
import Store

/// The objects whose links lead to written ones, found by following links back from these: what counts as modified for
/// an observer of any depth (NO-06).
struct ChangeReach {
    /// With more objects than this it is quicker to look at each observed object.
    private static let limit = 10_000

    /// Those written, and those that lead there, by class.
    private(set) var keys: [TableId: Set<ObjectKey>] = [:]

    /// - Returns: nil if there are too many.
    init?(_ summary: ChangeSummary, in snapshot: Snapshot) {
        let written = summary.tables.values.reduce(0) { $0 + $1.modifications.count + $1.insertions.count }
        guard written <= Self.limit else { return nil }
        keys = summary.tables.mapValues(\.writtenKeys)
        var known = written
        var latest = keys
        for _ in 0..<PathFilter.anyDepth {
            var next: [TableId: Set<ObjectKey>] = [:]
            for (table, targets) in latest {
                guard let name = snapshot.schema[table]?.name else { continue }
                let reader = snapshot.table(table)
                for origin in snapshot.schema.tables {
                    for column in origin.columns where column.property.type == .link && column.property.target == name {
                        for target in targets {
                            next[origin.id, default: []].formUnion(
                                reader.backlinks(to: target, from: origin.id, column.id))
                        }
                    }
                }
            }
            latest = [:]
            for (table, found) in next {
                let new = found.subtracting(keys[table] ?? [])
                guard !new.isEmpty else { continue }
                latest[table] = new
                keys[table, default: []].formUnion(new)
                known += new.count
            }
            if known > Self.limit { return nil }
        }
    }
}

extension TableChanges {
    /// The objects that are there and were written. Among the new ones are some that came back, and with them the links
    /// that others still had to them.
    var writtenKeys: Set<ObjectKey> { Set(modifications.keys).union(insertions.keys) }

    func isWritten(_ key: ObjectKey) -> Bool { modifications[key] != nil || insertions.contains(key) }
}
