import Merge
import Model
import Store
import Sync

/// Puts the objects of an app's partitions together in the one realm of an app of flexible sync: each with the partition it
/// comes from in a property (F-93).
///
/// The realm is made anew. It has the objects and no history of them: clients get there by bootstraps. Until `finish` has
/// returned the file is of no use.
package final class PartitionUnion {
    private let realm: ServerRealm
    private let field: PartitionField
    package private(set) var objects = 0
    /// Objects that named another partition than the one that they were in.
    package private(set) var corrected = 0
    private var conflicts: [String] = []
    private var conflictCount = 0
    private var undurable = 0

    /// So many objects are written at a time: they may be large.
    private static let batch = 64
    /// Instructions after which what was written is brought to disk, so that the journal doesn't grow for ever.
    private static let durableBatch = 100_000

    package init(path: String, file: RealmFileOptions, options: HistoryOptions, field: PartitionField) throws {
        try DataFile.remove(path)
        realm = try ServerRealm(path: path, file: file, options: options)
        self.field = field
    }

    /// Adds the objects of a partition. Objects whose key is taken are noted, for `finish` to refuse.
    /// `progress` hears how many objects there are by now.
    package func add(
        _ partition: Snapshot, _ value: PartitionValue, progress: (Int) -> Void
    ) throws {
        try write(try schemaAdditions(partition, value))
        let taken = try realm.snapshot()
        for stored in partition.schema.tables where stored.kind == .topLevel {
            let table = partition.table(stored.id)
            let others = taken.table(named: stored.name)
            let column = stored.column(named: field.property)
            var keys: [ObjectKey] = []
            for index in 0..<table.count {
                let key = table.key(at: index)
                guard let primaryKey = table.primaryKey(of: key) else { continue }
                guard others?.find(primaryKey) == nil else {
                    note(conflict: ObjectName(stored.name, primaryKey), value)
                    continue
                }
                if let column {
                    let present = table.value(key, column)
                    if present != value.value, !field.isUnset(present) { corrected += 1 }
                }
                keys.append(key)
                guard keys.count == PartitionUnion.batch else { continue }
                try write(creating: keys, of: table, partition, value)
                keys = []
                progress(objects)
            }
            try write(creating: keys, of: table, partition, value)
            progress(objects)
        }
    }

    /// Completes the realm, durably, and closes it.
    package func finish() throws {
        guard conflictCount == 0 else {
            throw MigrationFailure(
                "objects of several partitions have the same primary key, which can't be in one app of flexible sync: "
                    + MigrationFailure.list(conflicts, of: conflictCount)
                    + ". Delete them in all partitions but one, or give them other keys, and migrate then")
        }
        var next = realm.state
        // Clients are given versions after this one (F-35).
        next.version = 1
        next.versionSalt = realm.versionSalt
        try realm.change(to: next) { transaction in
            let entry = EntryRecord(
                rank: Rank(originTimestamp: realm.options.now(), originFileIdent: ClientHistory.server),
                remoteVersion: 0, salt: realm.versionSalt)
            try transaction.putSync(HistoryKey.entry(1), entry.head)
        }
        try realm.close()
    }

    /// Ends without a result.
    package func abandon() {
        let path = realm.file.path
        try? realm.close()
        try? DataFile.remove(path)
    }

    private func note(conflict name: ObjectName, _ value: PartitionValue) {
        conflictCount += 1
        guard conflicts.count < MigrationFailure.namedObjects else { return }
        conflicts.append("\(name.className) \(name.text) (again in partition \(value.text))")
    }

    // MARK: Writing

    private func write(
        creating keys: [ObjectKey], of table: Table, _ partition: Snapshot, _ value: PartitionValue
    ) throws {
        guard !keys.isEmpty else { return }
        var instructions = partition.instructions(creating: keys, of: table) { $0 != field.property }
        for key in keys {
            guard let primaryKey = table.primaryKey(of: key) else { continue }
            let path = InstructionPath(table.stored.name, primaryKey, field.property)
            instructions.append(.update(path, .value(value.value), isDefault: false))
        }
        try write(instructions)
        objects += keys.count
    }

    private func write(_ instructions: [Instruction]) throws {
        guard !instructions.isEmpty else { return }
        let bytes = try Changeset.encode(instructions)
        undurable += instructions.count
        let isDurable = undurable >= PartitionUnion.durableBatch
        if isDurable { undurable = 0 }
        try realm.change(to: realm.state, isDurable: isDurable) { transaction in
            try bytes.withUnsafeBytes { try transaction.apply($0) }
        }
    }

    // MARK: The schema

    /// What a partition's classes add to those that are there.
    private func schemaAdditions(_ partition: Snapshot, _ value: PartitionValue) throws -> [Instruction] {
        let known = try realm.snapshot().schema
        var tables: [Instruction] = []
        var columns: [Instruction] = []
        func refuse(_ what: String) -> MigrationFailure { MigrationFailure("partition \(value.text): \(what)") }
        for stored in partition.schema.tables {
            let name = stored.name
            guard stored.kind == .embedded || stored.keyColumn?.name == "_id" else {
                throw refuse("class '\(name)' has no primary key '_id', which flexible sync demands")
            }
            let other = known.table(named: name)
            if let other {
                guard other.kind == stored.kind, other.keyColumn == stored.keyColumn else {
                    throw refuse("class '\(name)' is of another kind, or has another primary key, in other partitions")
                }
            } else {
                tables.append(.addTable(className: name, kind: stored.kind, key: stored.keyColumn))
            }
            for column in stored.columns where column.id != stored.primaryKey?.id {
                let property = column.property
                if stored.kind == .topLevel, property.name == field.property, !field.isServed(by: property) {
                    throw refuse(
                        "property '\(name).\(property.name)' isn't of the type that the app's partition key has")
                }
                if let present = other?.column(named: property.name)?.property {
                    guard property.isCompatible(with: present) || isField(property, of: stored) else {
                        throw refuse("property '\(name).\(property.name)' has another type in other partitions")
                    }
                } else {
                    columns.append(
                        .addColumn(className: name, property: property.name, ColumnDeclaration(of: property)))
                }
            }
            if stored.kind == .topLevel, stored.column(named: field.property) == nil,
                other?.column(named: field.property) == nil
            {
                columns.append(.addColumn(className: name, property: field.property, field.declaration))
            }
        }
        return tables + columns
    }

    /// It may be nullable in one partition and not in another: it is given a value anyway.
    private func isField(_ property: PropertySchema, of stored: StoredTable) -> Bool {
        stored.kind == .topLevel && property.name == field.property
    }
}

extension ColumnDeclaration {
    /// As AddColumn declares a stored property (C-53).
    init(of property: PropertySchema) {
        self.init(
            type: property.type.rawValue, isNullable: property.isNullable, collection: property.collection,
            target: property.target, keyType: property.collection == .dictionary ? ValueType.string.rawValue : nil)
    }
}
