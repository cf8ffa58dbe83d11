import Model

/// A property that keeps its values under another name.
package struct PropertyRename: Hashable, Sendable {
    package var className: String
    package var from: String
    package var to: String

    package init(className: String, from: String, to: String) {
        self.className = className
        self.from = from
        self.to = to
    }
}

extension StoredTable {
    /// While a migration is under way: the column that becomes a property of the new class. It is the one of that name,
    /// unless that has another type and goes.
    package func columnDuringMigration(_ wanted: ClassSchema, at position: Int) -> StoredColumn? {
        column(named: StoredTable.interimName(position)) ?? column(named: wanted.properties[position].name)
    }

    /// While a migration is under way: where objects that keep their primary key's property get another key. Null: theirs
    /// stays.
    package var interimKey: StoredColumn? { column(named: StoredTable.interimKeyName) }

    static let interimKeyName = "__migrating_key"

    /// Name of a new property as long as one of another type has its own.
    static func interimName(_ position: Int) -> String { "__migrating_\(position)" }
}

/// A migration in which an app takes part. First the new classes and properties are put beside the old ones; then the
/// app's block reads the former version and changes this one by ordinary instructions; at last only what the app wants
/// is left. All of it is one transaction.
extension WriteTransaction {
    /// Adds what `wanted` has and the file lacks. Nothing that is there is changed, so that objects can be found by the
    /// keys that they have.
    ///
    /// - Returns: the schema by which the base version can be read as if it were this transaction's.
    package func beginMigration(_ wanted: RealmSchema, schemaVersion: UInt64) throws -> StoredSchema {
        try running {
            try checkVersion(wanted, schemaVersion)
            var outcome = SchemaOutcome()
            try createMissing(wanted, &outcome)
            for wanted in wanted.classes {
                guard let table = schema.table(named: wanted.name) else { continue }
                try addForMigration(table, SchemaDifference(table, wanted), wanted)
            }
            let readable = schema
            // Values that may become null, may do so at once.
            for wanted in wanted.classes {
                guard let table = schema.table(named: wanted.name) else { continue }
                let optional = SchemaDifference(table, wanted).madeOptional.map(\.0).filter {
                    $0.id != table.primaryKey?.id
                }
                try makeOptional(optional, of: table)
            }
            noteSchemaChange()
            skipJournal()
            try dropWriters()
            return readable
        }
    }

    /// Leaves what `wanted` has. Properties that were renamed keep their values, `removed` classes go unless others link
    /// to them, objects that become embedded are given to their owners.
    ///
    /// Throws `schemaMismatch` for primary keys that occur twice.
    package func endMigration(
        _ wanted: RealmSchema, schemaVersion: UInt64, renames: [PropertyRename], removed: [String]
    ) throws {
        try running {
            try checkVersion(wanted, schemaVersion)
            try dropWriters()
            for wanted in wanted.classes {
                guard let table = schema.table(named: wanted.name) else {
                    throw bad("C-128", "the migration of class '\(wanted.name)' was never begun")
                }
                try contract(table, wanted, renames.filter { $0.className == wanted.name })
            }
            try convertKinds(wanted)
            for name in removed where wanted.classSchema(name) == nil {
                guard let table = schema.table(named: name), !isLinked(table) else { continue }
                try dropWriters()
                try dropTable(table)
            }
            try adoptIndexes(wanted)
            schema = SchemaEdit.with(schema, version: schemaVersion)
            noteSchemaChange()
            skipJournal()
            try dropWriters()
        }
    }

    private func checkVersion(_ wanted: RealmSchema, _ schemaVersion: UInt64) throws {
        for table in wanted.classes {
            guard table.kind != .asymmetric else { throw unsupported("asymmetric class '\(table.name)'") }
        }
        try checkEmbedded(wanted)
        guard schemaVersion > schema.version else {
            throw StoreError(
                .schemaVersionTooLow,
                "Provided schema version \(schemaVersion) is not higher than last set version \(schema.version).",
                path: file.path)
        }
    }

    private func isLinked(_ table: StoredTable) -> Bool {
        schema.tables.contains { other in
            other.id != table.id && other.columns.contains { $0.property.target == table.name }
        }
    }

    // MARK: Beginning

    private func addForMigration(_ table: StoredTable, _ difference: SchemaDifference, _ wanted: ClassSchema) throws {
        let retyped = Set(difference.retyped.map(\.1.name))
        let added = Set(difference.added.map(\.name))
        var columns = table.numberedProperties
        for (position, var property) in wanted.properties.enumerated() {
            guard retyped.contains(property.name) || added.contains(property.name) else { continue }
            if retyped.contains(property.name) {
                property.name = StoredTable.interimName(position)
                guard table.column(named: property.name) == nil else {
                    throw bad("C-133", "class '\(table.name)' can't have a property '\(property.name)' in a migration")
                }
            }
            // The index is made when the values are there.
            property.isIndexed = false
            columns.append((ColumnId(0), property))
        }
        if let key = table.primaryKey?.property, wanted.primaryKey != nil, wanted.kind == table.kind {
            columns.append((ColumnId(0), PropertySchema(StoredTable.interimKeyName, key.type, nullable: true)))
        }
        guard columns.count > table.columns.count else { return }
        try dropWriters()
        schema = try SchemaEdit.changing(schema, table.id, primaryKey: table.primaryKey?.property.name, columns)
    }

    private func makeOptional(_ columns: [StoredColumn], of table: StoredTable) throws {
        guard !columns.isEmpty else { return }
        try dropWriters()
        // What the file doesn't hold shows as null from now on: it must be written as what it was.
        for column in columns where column.property.collection == .single {
            try rewrite(column, of: table) { _, _, _ in }
        }
        let ids = Set(columns.map(\.id))
        schema = try SchemaEdit.changing(
            schema, table.id, primaryKey: table.primaryKey?.property.name,
            table.numberedProperties.map { numbered in
                var changed = numbered
                if ids.contains(numbered.id) { changed.property.isNullable = true }
                return changed
            })
    }

    // MARK: Ending

    /// Gives a class the properties of `wanted` under their names, and nothing else.
    private func contract(_ table: StoredTable, _ wanted: ClassSchema, _ renames: [PropertyRename]) throws {
        var kept: [(id: ColumnId, property: PropertySchema)] = []
        for (position, property) in wanted.properties.enumerated() {
            let former = renames.first { $0.to == property.name }?.from
            let column = former.map { table.column(named: $0) } ?? table.columnDuringMigration(wanted, at: position)
            guard let column else {
                throw bad("C-133", "property '\(wanted.name).\(former ?? property.name)' is not in the file")
            }
            var renamed = column.property
            renamed.name = property.name
            kept.append((column.id, renamed))
        }
        guard Set(kept.map(\.id)).count == kept.count else {
            throw bad("C-133", "two properties of '\(wanted.name)' would have the values of one")
        }
        let ids = Set(kept.map(\.id))
        let hasNewKeys = try table.primaryKey.map { try ids.contains($0.id) && takeNewKeys(table) } ?? false
        for column in table.columns where !ids.contains(column.id) { try dropColumn(column, of: table) }
        let key = kept.first { $0.id == table.primaryKey?.id }
        schema = try SchemaEdit.changing(schema, table.id, primaryKey: key?.property.name, kept)
        guard let contracted = schema[table.id] else { return }
        // Keys are found by what the file has as the primary key, which may be gone by now.
        let lostKey = table.primaryKey != nil && key == nil
        try migrate(contracted, to: wanted, rebuildingKeys: lostKey || hasNewKeys)
    }

    /// Gives the objects the primary keys that the block gave them. Their records in `keys` are wrong afterwards.
    ///
    /// - Returns: whether there were any.
    private func takeNewKeys(_ table: StoredTable) throws -> Bool {
        guard let interim = table.interimKey, let key = table.primaryKey else { return false }
        let writer = try TableWriter(table, schema, store)
        let (from, to) = (writer.plans[interim.slot], writer.plans[key.slot])
        var isChanged = false
        for base in try clusterBases(table) {
            guard try writer.storedChunk(base, from.id, from.kind) != nil, let cluster = try writer.cluster(for: base),
                let new = try writer.column(cluster, from), let keys = try writer.column(cluster, to)
            else { continue }
            keys.pad(to: cluster.keys.count, nullable: to.isNullable)
            for row in 0..<new.builder.count where !new.builder.isNull(row) {
                isChanged = true
                keys.isDirty = true
                keys.builder.replace(row, with: new.builder.single(row))
                if new.builder.isExternal(row) {
                    let object = ObjectKey(cluster.keys[row])
                    guard let bytes = store.get(store.databases.blobs, .blobs(table.id, from.id, object)) else {
                        throw writer.damaged("a long value of object \(object.raw) is missing")
                    }
                    try store.put(store.databases.blobs, .blobs(table.id, to.id, object), Array(bytes))
                }
            }
        }
        if isChanged { try writer.flush(version: nextVersion) }
        return isChanged
    }

    private func adoptIndexes(_ wanted: RealmSchema) throws {
        for wanted in wanted.classes {
            guard let table = schema.table(named: wanted.name) else { continue }
            for (column, property) in SchemaDifference(table, wanted).indexes {
                try setIndex(table.id, column.id, property.isIndexed)
            }
        }
    }
}
