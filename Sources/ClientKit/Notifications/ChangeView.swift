import Model
import Store

/// What changed between two versions, as an observer asks about it.
final class ChangeView {
    let old: Snapshot
    let new: Snapshot
    /// nil when the file doesn't remember that far back: then everything may have changed.
    let summary: ChangeSummary?
    /// Whether the realm that observes made the new version itself.
    let isOwn: Bool
    private let core: RealmCore
    private var seen: [Visit: Bool] = [:]
    private var leading: [TableId: Bool] = [:]
    private lazy var reach = summary.flatMap { ChangeReach($0, in: new) }

    private struct Visit: Hashable {
        let table: TableId
        let key: ObjectKey
        let depth: Int
    }

    init(core: RealmCore, old: Snapshot, isOwn: Bool) {
        self.core = core
        self.old = old
        new = core.snapshot
        summary = new.version == old.version ? ChangeSummary() : new.changes(after: old.version)
        self.isOwn = isOwn
    }

    func changes(_ table: TableId) -> TableChanges? {
        summary?.tables[table]
    }

    /// Whether objects of a class, or those that their links lead to, may have changed.
    func concerns(_ info: ClassInfo) -> Bool {
        guard let summary else { return true }
        if summary.tables[info.table.id] != nil { return true }
        // Queries may also look through backlinks; only a class without any link is by itself.
        let isAlone =
            !info.table.columns.contains { $0.property.type == .link }
            && !new.schema.tables.contains { $0.columns.contains { $0.property.target == info.name } }
        return !isAlone && !summary.tables.isEmpty
    }

    /// Whether links of objects of a class lead to objects of a class that has changes: if not, no object of it counts
    /// as modified by what others are.
    func leadsToChanges(_ info: ClassInfo) -> Bool {
        guard let summary else { return true }
        if let known = leading[info.table.id] { return known }
        var result = false
        var met: Set<TableId> = []
        var next = [info]
        while !result, let info = next.popLast() {
            for column in info.table.columns where column.property.type == .link {
                let target = info.target(of: column)
                if summary.tables[target.table.id] != nil { result = true }
                if met.insert(target.table.id).inserted { next.append(target) }
            }
        }
        leading[info.table.id] = result
        return result
    }

    /// The objects of a class that were written, or whose links lead to written ones; nil if there are so many that it is
    /// better asked of each.
    func reached(_ info: ClassInfo) -> Set<ObjectKey>? {
        if leadsToChanges(info) { return reach.map { $0.keys[info.table.id] ?? [] } }
        return changes(info.table.id)?.writtenKeys ?? []
    }

    private func isWritten(_ info: ClassInfo, _ key: ObjectKey) -> Bool {
        changes(info.table.id)?.isWritten(key) == true
    }

    /// Columns of the object itself that were written.
    func columns(_ info: ClassInfo, _ key: ObjectKey) -> ColumnSet? {
        guard summary != nil else { return ColumnSet(info.table.columns.map(\.id)) }
        return changes(info.table.id)?.modifications[key]
    }

    /// Whether an object that stayed has changed as far as the filter looks.
    func isModified(_ info: ClassInfo, _ key: ObjectKey, _ filter: PathFilter) -> Bool {
        guard summary != nil else { return true }
        if filter.isAny {
            if isWritten(info, key) { return true }
            guard leadsToChanges(info) else { return false }
            if let reach { return reach.keys[info.table.id]?.contains(key) == true }
            return isModifiedDeeply(info, key, PathFilter.anyDepth)
        }
        if changes(info.table.id)?.insertions.contains(key) == true { return true }
        let written = changes(info.table.id)?.modifications[key]
        for (column, child) in filter.children ?? [:] {
            if written?.contains(column) == true { return true }
            if isChildModified(info, key, column, child) { return true }
        }
        return filter.origins.contains { isInverseModified(info, key, $0.key, $0.value) }
    }

    /// Whether a deeper part of a path has changed.
    func isChildModified(_ info: ClassInfo, _ key: ObjectKey, _ id: ColumnId, _ child: PathFilter) -> Bool {
        guard !child.isLeaf, let column = info.table.columns.first(where: { $0.id == id }) else {
            return false
        }
        let target = info.target(of: column)
        return links(info, key, column).contains { isModified(target, $0, child) }
    }

    /// Whether objects have begun or ceased to link to one, or those that do have changed as far as the path goes on.
    func isInverseModified(_ info: ClassInfo, _ key: ObjectKey, _ origin: InverseLink, _ child: PathFilter) -> Bool {
        guard let summary else { return true }
        let now = info.reader.backlinks(to: key, from: origin.table, origin.column)
        if summary.tables[origin.table] != nil {
            let before = old.table(info.table.id).backlinks(to: key, from: origin.table, origin.column)
            if now != before { return true }
        }
        guard !child.isLeaf, let source = core.storedInfo(origin.table) else { return false }
        return now.contains { isModified(source, $0, child) }
    }

    private func isModifiedDeeply(_ info: ClassInfo, _ key: ObjectKey, _ depth: Int) -> Bool {
        let visit = Visit(table: info.table.id, key: key, depth: depth)
        if let known = seen[visit] { return known }
        // A cycle back to here finds nothing new.
        seen[visit] = false
        let result =
            isWritten(info, key)
            || (depth > 0
                && info.table.columns.contains { column in
                    guard column.property.type == .link else { return false }
                    let target = info.target(of: column)
                    return links(info, key, column).contains { isModifiedDeeply(target, $0, depth - 1) }
                })
        seen[visit] = result
        return result
    }

    private func links(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn) -> [ObjectKey] {
        if column.property.collection != .single { return info.reader.list(key, column).linkKeys }
        return info.reader.linkKey(key, column).map { [$0] } ?? []
    }
}
