import CLMDB
import Model

extension WriteTransaction {
    /// Makes the file's schema hold what an app declares. Nothing of it is journaled: it becomes durable with a
    /// checkpoint, which `makeDurable` takes.
    ///
    /// Throws `schemaMismatch` with one line of `details` for each difference that `mode` doesn't let pass,
    /// `schemaVersionTooLow` when the file's version is higher.
    package func ensureSchema(
        _ wanted: RealmSchema, schemaVersion: UInt64, mode: SchemaMode = .automatic
    ) throws -> SchemaOutcome {
        try running {
            // Where classes are only added, whoever owns the file has seen to it that they may be (F-64).
            for table in wanted.classes where table.kind == .asymmetric && mode != .additive {
                throw StoreError(
                    .unsupportedChange, "Asymmetric class '\(table.name)' is not allowed in a local Realm.",
                    path: file.path)
            }
            try checkEmbedded(wanted)
            var outcome = SchemaOutcome()
            let isNew = schema.tables.isEmpty && schema.version == 0
            outcome.oldVersion = isNew ? nil : schema.version
            if !isNew, mode != .additive, schemaVersion < schema.version {
                throw StoreError(
                    .schemaVersionTooLow,
                    "Provided schema version \(schemaVersion) is less than last set version \(schema.version).",
                    path: file.path)
            }
            let differences = wanted.classes.compactMap { wanted in
                schema.table(named: wanted.name).map { ($0, SchemaDifference($0, wanted)) }
            }
            let isHigher = schemaVersion > schema.version
            let needsMigration = differences.contains { $0.1.needsMigration }
            if mode == .deleteIfMigrationNeeded, !isNew, needsMigration || isHigher {
                try wipe()
                outcome.isWiped = true
                outcome.isChanged = true
                try createMissing(wanted, &outcome)
            } else {
                try checkAllowed(differences.map(\.1), mode, isHigher: isHigher || isNew)
                if mode == .additive {
                    for (table, difference) in differences { try addProperties(table.id, difference, &outcome) }
                } else if needsMigration {
                    outcome.isMigrated = true
                    outcome.isChanged = true
                    // Classes that links lead to must be there first.
                    try createMissing(wanted, &outcome)
                    for wanted in wanted.classes {
                        if let table = schema.table(named: wanted.name) { try migrate(table, to: wanted) }
                    }
                    try convertKinds(wanted)
                }
                try createMissing(wanted, &outcome)
                for (table, difference) in differences {
                    for (column, property) in difference.indexes {
                        try setIndex(table.id, column.id, property.isIndexed)
                        outcome.isChanged = true
                    }
                }
            }
            if schemaVersion != schema.version, mode != .additive || schemaVersion > schema.version {
                schema = SchemaEdit.with(schema, version: schemaVersion)
                outcome.isChanged = true
            }
            if outcome.isChanged {
                noteSchemaChange()
                skipJournal()
                try dropWriters()
            }
            return outcome
        }
    }

    /// Throws for embedded classes that can't be: in cycles, in sets, or with primary keys.
    func checkEmbedded(_ wanted: RealmSchema) throws {
        let kept = schema.tables.map(\.classSchema).filter { wanted.classSchema($0.name) == nil }
        let faults = RealmSchema(wanted.classes + kept).faults().filter {
            [.embeddedCycle, .setOfEmbedded, .primaryKeyOfEmbedded].contains($0.code)
        }
        guard faults.isEmpty else {
            var error = StoreError(
                .schemaMismatch, "The schema can't be stored:" + faults.map { "\n- \($0.message)" }.joined(),
                path: file.path)
            error.details = faults.map(\.message)
            throw error
        }
    }

    private func checkAllowed(_ differences: [SchemaDifference], _ mode: SchemaMode, isHigher: Bool) throws {
        var lines: [String] = []
        for difference in differences {
            if mode == .additive {
                // What the file has and the app doesn't list stays; what the app adds is added.
                guard
                    difference.keyIsChanged || difference.kindIsChanged || !difference.retyped.isEmpty
                        || !difference.madeOptional.isEmpty || !difference.madeRequired.isEmpty
                else { continue }
                lines += difference.lines.filter { !$0.hasSuffix("been added.") && !$0.hasSuffix("been removed.") }
            } else if !isHigher {
                lines += difference.lines
            }
        }
        guard lines.isEmpty else {
            var error = StoreError(
                .schemaMismatch,
                "Migration is required due to the following errors:" + lines.map { "\n- " + $0 }.joined(),
                path: file.path)
            error.details = lines
            throw error
        }
    }

    /// Makes the classes that aren't there: all of them before their properties, which may link to any.
    func createMissing(_ wanted: RealmSchema, _ outcome: inout SchemaOutcome) throws {
        let missing = wanted.classes.filter { schema.table(named: $0.name) == nil }
        guard !missing.isEmpty else { return }
        outcome.isChanged = true
        try dropWriters()
        for table in missing {
            schema = try SchemaEdit.adding(
                schema, table.name, table.kind, key: table.primaryKey.flatMap { table.property($0) })
        }
        for wanted in missing {
            guard let table = schema.table(named: wanted.name) else { continue }
            let key = table.primaryKey
            // In declaration order; the key has its number already.
            let columns = wanted.properties.map { property in
                (id: property.name == key?.property.name ? key?.id ?? ColumnId(0) : ColumnId(0), property: property)
            }
            schema = try SchemaEdit.changing(schema, table.id, primaryKey: wanted.primaryKey, columns)
        }
    }

    private func addProperties(
        _ table: TableId, _ difference: SchemaDifference, _ outcome: inout SchemaOutcome
    ) throws {
        guard !difference.added.isEmpty, let stored = schema[table] else { return }
        try dropWriters()
        schema = try SchemaEdit.changing(
            schema, table, primaryKey: stored.primaryKey?.property.name,
            stored.numberedProperties + difference.added.map { (ColumnId(0), $0) })
        outcome.isChanged = true
    }

    /// Removes all classes and objects.
    private func wipe() throws {
        try dropWriters()
        let databases = store.databases
        for table in schema.tables {
            try store.delete(databases.meta, .meta(table.id))
            droppedChanges[table.id] = nil
        }
        store.closeCursors()
        for database in [
            databases.objects, databases.keys, databases.index, databases.backlinks, databases.lists, databases.blobs
        ] {
            let code = mdb_drop(store.transaction, database, 0)
            guard code == 0 else { throw StoreError(lmdb: code, "removing all objects", path: file.path) }
        }
        // Table numbers aren't used again, so that nobody takes a new class for an old one.
        schema = StoredSchema(
            stamp: schema.stamp &+ 1, version: schema.version, tables: [], nextTableId: schema.nextTableId)
    }
}
