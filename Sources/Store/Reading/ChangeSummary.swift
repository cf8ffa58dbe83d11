/// What a commit, or several in a row, did to a realm: which objects came, went and changed, and in which properties.
package struct ChangeSummary: Hashable, Sendable {
    /// Whether classes or properties came, went or changed.
    package var schemaChanged = false
    /// Tables in which something changed.
    package var tables: [TableId: TableChanges] = [:]

    package init() {}

    package var isEmpty: Bool { !schemaChanged && tables.values.allSatisfy(\.isEmpty) }

    /// Adds what happened afterwards.
    package mutating func merge(_ later: ChangeSummary) {
        schemaChanged = schemaChanged || later.schemaChanged
        for (id, changes) in later.tables { tables[id, default: TableChanges()].merge(changes) }
    }
}

/// What happened to the objects of a table.
package struct TableChanges: Hashable, Sendable {
    /// Objects that weren't there before.
    package private(set) var insertions = KeyRuns()
    /// Objects that were there before. One that came back under its key is in both.
    package private(set) var deletions = KeyRuns()
    /// Objects that were and are there, with the properties that were assigned or whose elements changed.
    package private(set) var modifications: [ObjectKey: ColumnSet] = [:]

    package init() {}

    package var isEmpty: Bool { insertions.isEmpty && deletions.isEmpty && modifications.isEmpty }

    package mutating func insert(_ key: ObjectKey) {
        insertions.insert(key)
    }

    package mutating func insert(_ run: ClosedRange<Int64>) {
        insertions.insert(run)
    }

    package mutating func delete(_ key: ObjectKey) {
        modifications[key] = nil
        // Whoever saw the state before never saw an object that came and went, unless it was there before that.
        if !insertions.remove(key) { deletions.insert(key) }
    }

    mutating func insertDeletion(_ run: ClosedRange<Int64>) {
        deletions.insert(run)
    }

    package mutating func modify(_ key: ObjectKey, _ column: ColumnId) {
        guard insertions.isEmpty || !insertions.contains(key) else { return }
        modifications[key, default: ColumnSet()].insert(column)
    }

    package mutating func modify(_ key: ObjectKey, _ columns: ColumnSet) {
        guard insertions.isEmpty || !insertions.contains(key) else { return }
        modifications[key, default: ColumnSet()].formUnion(columns)
    }

    mutating func merge(_ later: TableChanges) {
        for run in later.deletions.runs { for raw in run { delete(ObjectKey(raw)) } }
        for run in later.insertions.runs { insertions.insert(run) }
        for (key, columns) in later.modifications { modify(key, columns) }
    }
}
