import CPlatform
import Foundation
import Model
import Query
import Store
import Synchronization

/// What `Realm` values share: one per file and thread, queue or actor; one more per frozen version.
///
/// Everything read from it belongs to the confinement that it was opened for; `check()` enforces that. Calls that
/// take an object (class, key) expect a live one unless they say otherwise.
///
/// It is `Sendable` since other threads may carry it: what they may call without being in the confinement (`wake`,
/// `perform`, what is constant) goes by locks. Frozen instances change nothing after `init`.
@usableFromInline
package final class RealmCore: @unchecked Sendable {
    /// Read by inlined accessors; valid as long as the core.
    package let access: UnsafeMutablePointer<RealmAccess>
    let coordinator: RealmCoordinator
    let confinement: Confinement
    /// What the realm was opened with.
    let configuration: Realm.Configuration
    package let isFrozen: Bool
    /// The classes as the app declared them.
    let classes: ClassSet
    /// The classes that the app sees, by stored name.
    private(set) var infos: [String: ClassInfo] = [:]
    /// All classes that were needed, also those that only the file knows.
    private var storedInfos: [TableId: ClassInfo] = [:]
    var hasWarnedOfMigration = false
    /// A class of the schema that these fit, as it was read.
    private var fittingTable: StoredTable?

    /// nil after `invalidate()`, until the next read, and while a transaction is blind.
    private var currentSnapshot: Snapshot?
    /// The version that is held, 0 for none: other threads count it.
    let heldVersion = Atomic<UInt64>(0)
    /// The version that a blind transaction began on, kept out of the way of reads.
    private(set) var aside: Snapshot?
    private(set) var grant: RealmCoordinator.Grant
    /// Counts the snapshots that this instance has had.
    private(set) var snapshotSerial: UInt64 = 1
    /// The open write transaction.
    @exclusivity(unchecked) var transaction: OpenTransaction?
    /// The class of the object that was added last.
    @exclusivity(unchecked) var recentModel: ManagedClass?
    /// In a migration: the realm as it was, whose objects have the keys that they have here.
    var migrationSource: RealmCore?
    /// The commit of `transaction` that is on its way to the disk.
    @exclusivity(unchecked) var commitUnderWay: CommitUnderWay?
    /// Of the last transaction of this instance that has changed something.
    var receipt: CommitReceipt?
    /// Transactions that were cancelled, by what was attached while they were open.
    var cancelled = CancelledTransactions()
    /// Everything attached before this generation was invalidated.
    var validFrom: UInt64 = 0
    var autorefresh = true
    let notifiers = NotifierRegistry()
    /// Other threads wake the realm.
    private let schedulerCell = Lock<Scheduler?>(nil)
    var scheduler: Scheduler? { schedulerCell.withLock { $0 } }
    let wakeFlag = Lock(false)
    /// Asynchronous writes that wait or run.
    let asyncWrites = AsyncWriteQueue()
    var pendingGrants: [PendingGrant] = []
    /// Waits for write locks on behalf of asynchronous writes: one after the other, so that the first one pending is the
    /// first to have its turn.
    private(set) lazy var waiters = DispatchQueue(label: "reeve.async-writes")
    let scheduledWork = Lock<[@Sendable () -> Void]>([])

    /// Whether other threads may be reading this instance.
    private(set) var isShared = false

    init(
        coordinator: RealmCoordinator, configuration: Realm.Configuration, confinement: Confinement,
        classes: ClassSet, snapshot: Snapshot, grant: RealmCoordinator.Grant
    ) throws {
        self.coordinator = coordinator
        self.configuration = configuration
        self.confinement = confinement
        self.classes = classes
        self.grant = grant
        grant.pin?.isInUse()
        currentSnapshot = snapshot
        heldVersion.store(snapshot.version, ordering: .relaxed)
        if case .none = confinement { isFrozen = true } else { isFrozen = false }
        access = .allocate(capacity: 1)
        access.initialize(to: RealmAccess(thread: confinement.thread, generation: Self.nextGeneration()))
        for schema in classes.schema.classes { infos[schema.name] = try makeInfo(schema) }
        // Properties lead to other classes: all must be there first.
        for (name, persisted) in classes.types { if let info = infos[name] { ManagedClass.make(info, persisted) } }
        if isFrozen {
            // Several threads will ask: nothing is made on demand.
            for table in snapshot.schema.tables { _ = storedInfo(table.id)?.reader }
        }
        ensureScheduler()
        isShared = isFrozen
        coordinator.add(self)
    }

    deinit {
        if let transaction {
            warn("Realm at '\(coordinator.settings.path)' was released inside a write transaction, which is cancelled.")
            // The last reference may have gone on the thread that reads the socket.
            transaction.cancelLater()
        }
        access.deallocate()
    }

    /// A run loop may have begun to run since the realm was opened.
    func ensureScheduler() {
        schedulerCell.withLock { cell in
            if cell == nil { cell = Scheduler(confinement) { [weak self] in self?.woken() } }
        }
    }

    // MARK: Classes

    private func makeInfo(_ schema: ClassSchema) throws -> ClassInfo {
        guard let table = snapshot.schema.table(named: schema.name) else {
            throw Realm.Error(
                .schemaMismatch, "Class '\(schema.name)' is not in the file.", path: coordinator.settings.path)
        }
        guard table.kind == schema.kind, table.primaryKey?.property.name == schema.primaryKey else {
            throw Realm.Error(
                .schemaMismatch, "Class '\(schema.name)' has another kind or primary key in the file.",
                path: coordinator.settings.path)
        }
        let columns = try schema.properties.map { property in
            guard let column = table.column(named: property.name) else {
                throw Realm.Error(
                    .schemaMismatch, "Property '\(schema.name).\(property.name)' is not in the file.",
                    path: coordinator.settings.path)
            }
            guard column.property.holds(property) else {
                throw Realm.Error(
                    .schemaMismatch,
                    "Property '\(schema.name).\(property.name)' is \(column.property) in the file, not \(property).",
                    path: coordinator.settings.path)
            }
            return column
        }
        let info = ClassInfo(core: self, schema: schema, table: table, columns: columns)
        storedInfos[table.id] = info
        return info
    }

    /// The class by its stored name; nil if the realm's schema doesn't have it.
    package func info(className: String) -> ClassInfo? {
        infos[className]
    }

    /// Any class of the file, whether the app knows it or not.
    func storedInfo(_ id: TableId) -> ClassInfo? {
        if let info = storedInfos[id] { return info }
        guard let table = snapshot.schema[id] else { return nil }
        let schema = ClassSchema(
            table.name, kind: table.kind, primaryKey: table.primaryKey?.property.name, table.columns.map(\.property))
        let info = ClassInfo(core: self, schema: schema, table: table, columns: table.columns)
        storedInfos[id] = info
        return info
    }

    func storedInfo(named name: String) -> ClassInfo? {
        infos[name] ?? snapshot.schema.table(named: name).flatMap { storedInfo($0.id) }
    }

    /// Begins a snapshot that the classes fit.
    ///
    /// Throws `schemaMismatch` if the file was migrated since this instance was opened. Accessors know where properties
    /// were: the instance stays at the version that it has, and doesn't write any more.
    func fittingSnapshot(_ target: RealmCoordinator.Grant) throws -> (Snapshot, RealmCoordinator.Grant) {
        let (snapshot, grant) = try coordinator.snapshot(target)
        // A schema that was read anew consists of other objects, whether it differs or not.
        let first = snapshot.schema.tables.first
        if first != nil, first === fittingTable { return (snapshot, grant) }
        let misfits = infos.values.filter { !$0.fits(snapshot.schema) }.map { "'\($0.name)'" }.sorted()
        guard misfits.isEmpty else {
            throw Realm.Error(
                .schemaMismatch,
                "The file of the Realm at '\(coordinator.settings.path)' was migrated while it was open: "
                    + "\(misfits.joined(separator: ", ")) changed. Release the Realm and open it again.",
                path: coordinator.settings.path)
        }
        storedInfos = storedInfos.filter { $0.value.fits(snapshot.schema) }
        fittingTable = first
        return (snapshot, grant)
    }

    // MARK: Snapshot

    /// The version that reads see, without what an open transaction changed.
    var snapshot: Snapshot {
        if let currentSnapshot { return currentSnapshot }
        // Whoever reads wants to know the newest state.
        settle()
        if let currentSnapshot { return currentSnapshot }
        do {
            let (snapshot, grant) = try fittingSnapshot(coordinator.newest)
            currentSnapshot = snapshot
            heldVersion.store(snapshot.version, ordering: .relaxed)
            self.grant = grant
            grant.pin?.isInUse()
            return snapshot
        } catch {
            fail(Mistake("The Realm at '\(coordinator.settings.path)' can't be read any more: \(error)"))
        }
    }

    package var version: UInt64 { snapshot.version }

    /// Goes over to another snapshot. Accessors find their objects anew.
    func move(to snapshot: Snapshot, _ grant: RealmCoordinator.Grant) {
        currentSnapshot = snapshot
        heldVersion.store(snapshot.version, ordering: .relaxed)
        aside = nil
        self.grant = grant
        grant.pin?.isInUse()
        snapshotSerial += 1
        bumpGeneration()
    }

    /// Sees to it that every read, also of what was read before, comes by `snapshot`.
    func setSnapshotAside() {
        aside = snapshot
        currentSnapshot = nil
        snapshotSerial += 1
        bumpGeneration()
    }

    /// Ends that: the version counts again.
    func takeSnapshotBack() {
        guard let aside else { return }
        move(to: aside, grant)
    }

    /// Lets the version go. Reads begin a new one.
    func dropSnapshot() {
        currentSnapshot = nil
        heldVersion.store(0, ordering: .relaxed)
        aside = nil
        snapshotSerial += 1
        bumpGeneration()
        validFrom = access.pointee.generation
    }

    private static let generations = Lock<UInt64>(0)

    private static func nextGeneration() -> UInt64 {
        generations.withLock { generation in
            generation += 1
            return generation
        }
    }

    func bumpGeneration() {
        access.pointee.generation = Self.nextGeneration()
    }

    /// An object of the file is being changed for the first time in this transaction: its accessors must not read
    /// the file directly any more.
    func objectLeavesFile() {
        bumpGeneration()
    }

    // MARK: State

    /// Traps unless the caller is where this realm may be used (MK-01 … MK-03).
    @inline(__always)
    package func check() {
        if access.pointee.thread != UInt(reeve_thread_identity()) { confinement.check() }
    }

    package var isReadOnly: Bool { coordinator.settings.isReadOnly }
    package var isInWrite: Bool { transaction != nil && commitUnderWay == nil }

    /// Grows with each recorded change. Results evaluated at another (generation, changeCount) are stale.
    package var changeCount: UInt64 { transaction?.recorder.changeCount ?? 0 }

    /// `check()`, and traps unless a write transaction is open; `doing` completes "Cannot …" (MK-04, MK-07, MK-08).
    @inline(__always)
    package func checkWrite(_ doing: @autoclosure () -> String) {
        check()
        if !isInWrite { refuseWrite(doing()) }
    }

    private func refuseWrite(_ doing: String) -> Never {
        if isFrozen { fail(.frozen(doing)) }
        if isReadOnly { fail(.readOnly(doing)) }
        fail(.notInWriteTransaction(doing))
    }

    /// Whether something attached at a generation is still valid: no invalidation since.
    package func isValid(generation: UInt64) -> Bool {
        generation >= validFrom
    }
}

extension PropertySchema {
    /// Whether values that are stored as this property can be read as another: all but the index is the same.
    func holds(_ other: PropertySchema) -> Bool {
        var other = other
        other.isIndexed = isIndexed
        // Single links can be null and those in lists can't, whatever they are declared as.
        if type == .link { other.isNullable = isNullable }
        return other == self
    }
}

/// Where an object is.
package enum Location {
    /// Unchanged in the open transaction: its chunks may be read directly while `access.generation` stays.
    case row(chunks: UnsafeChunkSlots, row: Int)
    /// Created or changed by the open write transaction: ask the core for every value.
    case overlay
    /// Deleted, or created by a transaction that was cancelled.
    case missing
}
