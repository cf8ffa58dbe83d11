import Dispatch
import Model
import Query
import Store

// The contract with the object model. Bodies follow slice by slice; until then a call traps.
extension RealmCore {
    // MARK: State

    /// Traps unless the caller is where this realm may be used (MK-01 … MK-03).
    package func check() { pending() }
    /// `check()`, and traps unless a write transaction is open; `doing` completes "Cannot …" (MK-04, MK-07, MK-08).
    package func checkWrite(_ doing: String) { pending() }
    package var isFrozen: Bool { pending() }
    package var isReadOnly: Bool { pending() }
    package var isInWrite: Bool { pending() }
    /// Grows with each recorded change. Results evaluated at another (generation, changeCount) are stale.
    package var changeCount: UInt64 { pending() }
    /// The class by its stored name; nil if the realm's schema doesn't have it.
    package func info(className: String) -> ClassInfo? { pending() }

    // MARK: Objects

    /// Finds the object. `generation` is that of the accessor's last successful location (0 for a new accessor):
    /// what a cancelled transaction created stays missing although its keys are given out again.
    package func locate(_ info: ClassInfo, _ key: ObjectKey, generation: UInt64 = 0) -> Location { pending() }
    package func find(_ info: ClassInfo, _ key: PrimaryKey) -> ObjectKey? { pending() }
    package func primaryKey(of key: ObjectKey, _ info: ClassInfo) -> PrimaryKey? { pending() }
    /// A single property that is no link, with the open transaction's changes (slow path).
    package func value(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn) -> Value { pending() }
    package func linkKey(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn) -> ObjectKey? { pending() }

    /// Creates an object; its properties are null, zero or empty, except the key. `key` is nil for classes without
    /// primary key. It must not exist: see `find`.
    package func create(_ info: ClassInfo, _ key: PrimaryKey?) -> ObjectKey { pending() }
    package func delete(_ info: ClassInfo, _ key: ObjectKey) { pending() }
    package func deleteAll(_ info: ClassInfo) { pending() }
    /// `isDefault`: the app supplied nothing and this is the declared default (C-76).
    package func set(
        _ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, _ value: Value, isDefault: Bool = false
    ) { pending() }
    package func setLink(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, _ target: ObjectKey?) {
        pending()
    }
    package func addInteger(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, _ amount: Int64) { pending() }

    // MARK: Lists

    package func listCount(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn) -> Int { pending() }
    package func listValue(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, at index: Int) -> Value {
        pending()
    }
    package func listLinkKey(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, at index: Int) -> ObjectKey? {
        pending()
    }
    package func listInsert(
        _ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, at index: Int, _ element: ListElement
    ) { pending() }
    package func listSet(
        _ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, at index: Int, _ element: ListElement
    ) { pending() }
    package func listErase(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, at index: Int) { pending() }
    package func listMove(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, from: Int, to: Int) { pending() }
    package func listClear(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn) { pending() }

    // MARK: Queries, all with the open transaction's changes

    package func evaluate(_ query: CollectionQuery) throws -> KeySource { pending() }
    package func count(_ query: CollectionQuery) throws -> Int { pending() }
    /// The key at a position of `KeySource.table`.
    package func key(_ info: ClassInfo, at index: Int) -> ObjectKey { pending() }
    /// `path` is relative to the query's class. Null when there is nothing to aggregate (sum: 0).
    package func aggregate(_ function: AggregateFunction, _ path: PropertyPath, over query: CollectionQuery) throws
        -> Value
    { pending() }
    /// Objects of `origin` whose property links to the object, once per link.
    package func backlinks(to info: ClassInfo, _ key: ObjectKey, from origin: ClassInfo, _ column: StoredColumn)
        -> [ObjectKey]
    { pending() }

    // MARK: Observation. The block runs where it is to be delivered, with the realm instance of that place.

    /// `keyPaths`: nil or empty for no filter, else stored names.
    package func observe(
        _ source: ObservedSource, keyPaths: [[String]]?, on queue: DispatchQueue?,
        _ block: @escaping (RealmCore, ObservedSource, CollectionNotice) -> Void
    ) -> NotificationToken { pending() }
    package func observeObject(
        _ info: ClassInfo, _ key: ObjectKey, keyPaths: [[String]]?, on queue: DispatchQueue?,
        _ block: @escaping (RealmCore, ObjectNotice) -> Void
    ) -> NotificationToken { pending() }

    // MARK: Frozen values

    /// The frozen instance of the current version; itself if frozen.
    package func frozen() -> RealmCore { pending() }
    /// The live instance of the caller's thread or queue; itself if live.
    package func thawed() -> RealmCore { pending() }
}

/// Where an object is.
package enum Location {
    /// Unchanged in the open transaction: its chunks may be read directly while `access.generation` stays.
    case row(chunks: UnsafeMutablePointer<UnsafeRawPointer?>, row: Int)
    /// Created or changed by the open write transaction: ask the core for every value.
    case overlay
    /// Deleted, or created by a transaction that was cancelled.
    case missing
}

private func pending() -> Never {
    fail(Mistake("not built yet"))
}
