import Model
import Store

/// A class of one realm instance: its properties in the app's order, and where each is in the file.
package final class ClassInfo {
    package unowned let core: RealmCore
    package let schema: ClassSchema
    /// The file's table at the time the realm was opened; later columns are appended and don't matter here.
    package let table: StoredTable
    /// By index of the property in `schema.properties`.
    package let columns: [StoredColumn]
    package let primaryKey: Int?
    /// Whatever the object model wants to keep with the class (its Swift type, accessors).
    package var model: AnyObject?
    /// The same for objects that are used without their Swift type, the last one counting. Frozen realms are asked by
    /// several threads.
    let dynamicModels = Lock<[AnyObject]>([])
    private let indices: [String: Int]
    /// The class at the realm's present snapshot, and the generation for which it was looked up.
    private var readerCache: Table?
    private var readerGeneration: UInt64 = 0

    package init(core: RealmCore, schema: ClassSchema, table: StoredTable, columns: [StoredColumn]) {
        self.core = core
        self.schema = schema
        self.table = table
        self.columns = columns
        let indices = Dictionary(uniqueKeysWithValues: schema.properties.enumerated().map { ($1.name, $0) })
        self.indices = indices
        primaryKey = schema.primaryKey.flatMap { indices[$0] }
    }

    package var name: String { schema.name }
    package var properties: [PropertySchema] { schema.properties }

    /// The properties that hold embedded objects, with their classes. Used in write transactions.
    private(set) lazy var embeddedColumns: [(StoredColumn, ClassInfo)] = table.columns.compactMap { column in
        embedded(column).map { (column, $0) }
    }

    /// The class at the realm's present snapshot, without what an open transaction changed.
    package var reader: Table {
        if let readerCache, readerGeneration == core.snapshotSerial { return readerCache }
        let reader = core.snapshot.table(table.id)
        // A frozen realm is read by many threads: it has its readers from the start.
        readerCache = reader
        readerGeneration = core.snapshotSerial
        return reader
    }

    /// Index of a persisted property by its stored name.
    package func index(of property: String) -> Int? {
        indices[property]
    }

    /// The class that a link column points to.
    package func target(of column: StoredColumn) -> ClassInfo {
        guard let name = column.property.target, let info = core.storedInfo(named: name) else {
            preconditionFailure("\(self.name).\(column.property.name) links to no class of this realm")
        }
        return info
    }
}

extension ClassInfo {
    /// Whether a later schema of the file has the class where it was, with all of these properties.
    func fits(_ schema: StoredSchema) -> Bool {
        guard let now = schema[table.id], now.name == table.name, now.kind == table.kind,
            now.primaryKey?.id == table.primaryKey?.id
        else { return false }
        if now === table { return true }
        return columns.allSatisfy { column in
            guard column.slot < now.columns.count else { return false }
            let stored = now.columns[column.slot]
            return stored.id == column.id && stored.property.holds(column.property)
        }
    }
}

extension ClassInfo: Hashable {
    package static func == (a: ClassInfo, b: ClassInfo) -> Bool { a === b }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Table {
    /// The object key that the file keeps for an object that is linked to but not there.
    func reservedKey(for key: PrimaryKey) -> ObjectKey? {
        guard record.tombstones > 0, let record = keyRecord(key) else { return nil }
        return record.isTombstone ? record.object : nil
    }
}
