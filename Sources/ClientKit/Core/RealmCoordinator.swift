import Foundation
import Model
import Store
import Wire

/// One realm file in this process: the handle at the agent, the mapping, what is pinned, who reads.
final class RealmCoordinator: @unchecked Sendable {
    // Everything that changes is in `state`; the readers and snapshots in it may be used by several threads.
    /// What identifies the file, and how it was opened first; later openings must agree (RE-12).
    struct Settings: Hashable, Sendable {
        var path: String
        var isInMemory = false
        var isReadOnly = false
        /// Of an encrypted realm.
        var key: EncryptionKey?
        /// Of a synced realm.
        var sync: SyncTarget?

        /// By the path's bytes: strings that look alike are equal to Swift, but are names of different files.
        static func == (a: Settings, b: Settings) -> Bool {
            a.path.utf8.elementsEqual(b.path.utf8) && a.isInMemory == b.isInMemory && a.isReadOnly == b.isReadOnly
                && a.key == b.key && a.sync == b.sync
        }

        /// As the store takes it.
        var realmKey: RealmKey? { key.flatMap { $0.withUnsafeBytes { RealmKey($0) } } }
    }

    /// A snapshot that may be begun: the pin holds it, or a later one.
    struct Grant: Sendable {
        let version: UInt64
        let generation: Int64
        /// nil for files that nobody writes.
        let pin: Pin?
    }

    /// The handle on one link.
    struct Handle: Sendable {
        let link: AgentLink
        let realm: Int32
        /// Names the realm in receipts.
        var identity: UUID?

        init(_ reply: RealmOpenReply, on link: AgentLink) {
            self.link = link
            realm = reply.realm
            identity = reply.identity?.uuid
        }
    }

    let settings: Settings
    let writeTurn = WriteTurn()
    /// What this process wants of a synced realm (SY-06).
    let wantsSync = Lock(true)
    private let session = Lock<SyncSession?>(nil)
    /// What is known of the subscriptions of a realm of flexible sync.
    let subscriptions = SubscriptionState()
    /// Whether there are such.
    let isFlexible: Bool
    /// As the realm was opened first.
    let syncConfiguration: SyncConfiguration?
    /// The instances that the blocks of a client reset get, between the two. Only used on the queue of resets.
    let resetting = Lock<(before: RealmCore, live: RealmCore)?>(nil)
    private let state: Lock<State>

    private struct State {
        var handle: Handle?
        var reader: FileReader
        var generation: Int64
        /// The newest version known here.
        var newest: Grant
        var cores: [WeakCore] = []
        var schema: RealmSchema
        var schemaVersion: UInt64
    }

    private struct WeakCore {
        weak var core: RealmCore?
    }

    private init(settings: Settings, syncConfiguration: SyncConfiguration? = nil, state: State) {
        self.settings = settings
        isFlexible = settings.sync.map { $0.partition == nil } ?? false
        self.syncConfiguration = syncConfiguration
        self.state = Lock(state)
        AgentConnection.shared.add(self)
    }

    deinit {
        AgentConnection.shared.remove(self)
        guard let handle = state.withLock(\.handle), !handle.link.isLost else { return }
        handle.link.sendSoon(RealmClose(realm: handle.realm))
    }

    // MARK: Opening

    private struct WeakCoordinator {
        weak var coordinator: RealmCoordinator?
    }

    private static let registry = Lock<(fork: UInt32, open: [String: WeakCoordinator])>((ForkGuard.stamp, [:]))

    /// Those of all realms that the process has open.
    static var all: [RealmCoordinator] {
        registry.withLock { registry in
            registry.fork == ForkGuard.stamp ? registry.open.values.compactMap(\.coordinator) : []
        }
    }

    /// The coordinator of a file that is open here.
    static func find(_ path: String) -> RealmCoordinator? {
        registry.withLock { registry in
            guard registry.fork == ForkGuard.stamp else { return nil }
            return registry.open[path]?.coordinator
        }
    }

    /// How a file is to be opened.
    struct Opening {
        var settings: Settings
        var schema: RealmSchema?
        var schemaVersion: UInt64 = 0
        var deleteIfMigrationNeeded = false
        /// Whether a file of a lower version is left as it is.
        var migrates = false
        /// Of a synced realm.
        var syncConfiguration: SyncConfiguration?
        /// A copy of a bundle, which the agent makes the file of if there is none.
        var seed: String?
    }

    /// Opens the file, or joins those who have it open in this process. Classes that the file lacks are added.
    static func open(_ opening: Opening) throws -> RealmCoordinator {
        try registry.withLock { registry in
            if registry.fork != ForkGuard.stamp { registry = (ForkGuard.stamp, [:]) }
            if let open = registry.open[opening.settings.path]?.coordinator {
                try open.join(opening)
                return open
            }
            let coordinator = RealmCoordinator(
                settings: opening.settings, syncConfiguration: opening.syncConfiguration, state: try connect(opening))
            registry.open[opening.settings.path] = WeakCoordinator(coordinator: coordinator)
            return coordinator
        }
    }

    /// A file that the app is to migrate, by itself: nobody else uses this. If there is nothing to migrate, the file has
    /// the classes.
    static func toMigrate(_ opening: Opening) throws -> (coordinator: RealmCoordinator, isNeeded: Bool) {
        let link = try AgentConnection.shared.connected()
        let (reply, reader) = try open(opening, on: link)
        let grant = Grant(
            version: reply.version, generation: reply.generation, pin: Pin(reply.pin, realm: reply.realm, link: link))
        // Without classes: whatever happens to the connection, they aren't added behind the block's back.
        let coordinator = RealmCoordinator(
            settings: opening.settings,
            state: State(
                handle: Handle(reply, on: link), reader: reader, generation: reply.generation,
                newest: grant, schema: RealmSchema([]), schemaVersion: 0))
        return (coordinator, reply.migratesFrom != nil)
    }

    /// The classes that a file has, which isn't changed.
    static func storedSchema(_ settings: Settings) throws -> StoredSchema {
        let state = try connect(Opening(settings: settings))
        defer { if let handle = state.handle { handle.link.sendSoon(RealmClose(realm: handle.realm)) } }
        return try state.reader.snapshot().schema
    }

    private static func connect(_ opening: Opening) throws -> State {
        let settings = opening.settings
        if settings.isReadOnly, Foundation.access(settings.path, W_OK) != 0, Foundation.access(settings.path, R_OK) == 0
        {
            // Nobody can write it (a resource, a read-only medium): no agent is needed.
            let reader = try FileReader(path: settings.path, key: settings.realmKey)
            let version = try reader.snapshot().version
            return State(
                handle: nil, reader: reader, generation: 0,
                newest: Grant(version: version, generation: 0, pin: nil), schema: RealmSchema([]), schemaVersion: 0)
        }
        let link = try AgentConnection.shared.connected()
        let (reply, reader) = try Self.open(opening, on: link)
        return State(
            handle: Handle(reply, on: link), reader: reader, generation: reply.generation,
            newest: Grant(
                version: reply.version, generation: reply.generation,
                pin: Pin(reply.pin, realm: reply.realm, link: link)),
            schema: opening.schema ?? RealmSchema([]), schemaVersion: opening.schemaVersion)
    }

    private static func open(_ opening: Opening, on link: AgentLink) throws -> (RealmOpenReply, FileReader) {
        let settings = opening.settings
        // An agent that doesn't know of keys would make a plain file.
        if settings.key != nil { try link.agent.require(.encryption) }
        if let sync = settings.sync { try link.agent.require(sync.partition == nil ? .flexible : .sync) }
        if opening.seed != nil { try link.agent.require(.bundles) }
        let (reply, descriptor) = try link.callForDescriptor(
            RealmOpen(
                path: settings.path, schema: settings.isReadOnly ? nil : opening.schema,
                schemaVersion: opening.schemaVersion, create: !settings.isReadOnly, inMemory: settings.isInMemory,
                deleteIfMigrationNeeded: opening.deleteIfMigrationNeeded,
                events: !settings.isReadOnly && !opening.migrates, key: settings.key, migrates: opening.migrates,
                sync: settings.sync, resetMode: opening.syncConfiguration?.clientResetMode.name,
                resetBlocks: opening.syncConfiguration?.clientResetMode.hasBlocks ?? false,
                recovery: opening.syncConfiguration?.recoveryDirectory, seed: opening.seed))
        return (reply, try Self.reader(descriptor))
    }

    private static func reader(_ descriptor: Int32?) throws -> FileReader {
        guard let descriptor else {
            throw WireError(.badReply, "the agent sent no descriptor of the realm file")
        }
        // The reader opens a description of its own (OFD locks belong to descriptions); the one received is done with.
        defer { close(descriptor) }
        return try FileReader(descriptor: descriptor)
    }

    /// A further opening in this process: settings must agree; classes that are new are added to the file.
    private func join(_ opening: Opening) throws {
        if opening.settings.isInMemory != settings.isInMemory {
            fail(.openedDifferently(settings.path, "in-memory setting"))
        }
        if opening.settings.isReadOnly != settings.isReadOnly {
            fail(.openedDifferently(settings.path, "read permissions"))
        }
        if opening.settings.key != settings.key { fail(.openedDifferently(settings.path, "encryption key")) }
        if opening.settings.sync != settings.sync {
            throw Realm.Error(
                .incompatibleSession,
                "Realm at path '\(settings.path)' already opened with another user or partition value.",
                path: settings.path)
        }
        guard !settings.isReadOnly, let schema = opening.schema else { return }
        let (known, version) = state.withLock { ($0.schema, $0.schemaVersion) }
        if opening.schemaVersion != version {
            throw Realm.Error(
                .fail,
                "Realm at path '\(settings.path)' already opened with schema version \(version), "
                    + "not \(opening.schemaVersion).", path: settings.path)
        }
        let added = schema.classes.filter { !known.classes.contains($0) }
        if added.isEmpty { return }
        // A second handle that adds what is missing; the first one goes on.
        let handle = try self.handle()
        let reply = try handle.link.call(
            RealmOpen(
                path: settings.path, schema: schema, schemaVersion: version, create: false,
                inMemory: settings.isInMemory, key: settings.key, sync: settings.sync))
        let replaced = Set(added.map(\.name))
        state.withLock { state in
            state.schema = RealmSchema(state.schema.classes.filter { !replaced.contains($0.name) } + added)
        }
        // Its pins go with it, so the version that has the classes is asked for once more, under the first handle.
        handle.link.sendSoon(RealmClose(realm: reply.realm))
        _ = try pinNewest()
    }

    /// Whether the file is one that nobody can write, and no agent was asked for it.
    var isWithoutAgent: Bool { settings.isReadOnly && state.withLock { $0.handle == nil } }

    /// The handle, on a link that lives: opens again after the agent was restarted.
    func handle() throws -> Handle {
        if let handle = state.withLock(\.handle), !handle.link.isLost { return handle }
        let (schema, version) = state.withLock { ($0.schema, $0.schemaVersion) }
        let link = try AgentConnection.shared.connected()
        // What was open stays as it is: the schema is in the file, and creating it anew would lose nothing silently
        // only if it was in memory, where the data died with the agent.
        let opening = Opening(
            settings: settings, schema: schema, schemaVersion: version, syncConfiguration: syncConfiguration)
        let (reply, reader) = try Self.open(opening, on: link)
        let handle = Handle(reply, on: link)
        let grant = Grant(
            version: reply.version, generation: reply.generation, pin: Pin(reply.pin, realm: reply.realm, link: link))
        if settings.sync != nil, !wantsSync.withLock({ $0 }) {
            _ = try? link.call(SyncControl(target: .handle(reply.realm), wish: .suspend))
        }
        return state.withLock { state in
            // Another thread may have been here meanwhile; its handle is as good, ours is dropped with its link.
            if let other = state.handle, other.link === link {
                link.sendSoon(RealmClose(realm: reply.realm))
                return other
            }
            state.handle = handle
            state.reader = reader
            state.generation = reply.generation
            state.newest = grant
            return handle
        }
    }

    // MARK: Snapshots

    /// Begins a snapshot under a pin, mapping the file's current generation if need be.
    func snapshot(_ grant: Grant) throws -> (Snapshot, Grant) {
        let reader = state.withLock { $0.generation == grant.generation ? $0.reader : nil }
        if let reader { return (try reader.snapshot(), grant) }
        let handle = try self.handle()
        let (reply, descriptor) = try handle.link.callForDescriptor(RealmReopen(realm: handle.realm))
        let fresh = try Self.reader(descriptor)
        let newGrant = Grant(
            version: reply.version, generation: reply.generation,
            pin: Pin(reply.pin, realm: handle.realm, link: handle.link))
        state.withLock { state in
            guard state.handle?.link === handle.link else { return }
            state.reader = fresh
            state.generation = reply.generation
            if reply.version >= state.newest.version { state.newest = newGrant }
        }
        return (try fresh.snapshot(), newGrant)
    }

    /// The version of a grant that was begun, by another schema than the file's.
    func snapshot(_ grant: Grant, presenting schema: StoredSchema) throws -> Snapshot {
        try state.withLock(\.reader).snapshot(presenting: schema)
    }

    /// The newest version that has been announced here.
    var newest: Grant { state.withLock(\.newest) }

    /// Asks the agent for the newest version.
    func pinNewest() throws -> Grant {
        let handle = try self.handle()
        let reply = try handle.link.call(SnapshotPin(realm: handle.realm))
        let grant = Grant(
            version: reply.version, generation: reply.generation,
            pin: Pin(reply.pin, realm: handle.realm, link: handle.link))
        note(grant, on: handle)
        return grant
    }

    /// Remembers a grant if it is newer than what was known. The generation alone may be newer.
    func note(_ grant: Grant, on handle: Handle) {
        state.withLock { state in
            guard state.handle?.link === handle.link, grant.generation >= state.newest.generation,
                grant.version >= state.newest.version
            else { return }
            state.newest = grant
        }
    }

    // MARK: Cores and events

    func add(_ core: RealmCore) {
        state.withLock { state in
            state.cores.removeAll { $0.core == nil }
            state.cores.append(WeakCore(core: core))
        }
    }

    var cores: [RealmCore] {
        state.withLock { $0.cores.compactMap(\.core) }
    }

    /// The instance of a confinement.
    func core(_ identity: AnyHashable?) -> RealmCore? {
        guard let identity else { return nil }
        return cores.first { $0.confinement.identity == identity }
    }

    /// The frozen instance of a version.
    func frozenCore(_ version: UInt64) -> RealmCore? {
        cores.first { $0.isFrozen && $0.snapshot.version == version }
    }

    /// Where the caller is: on a queue that has an instance of this file, or on its thread.
    var callersConfinement: Confinement {
        for core in cores {
            if case .queue(let queue) = core.confinement, Confinement.isOn(queue) { return core.confinement }
        }
        return .current
    }

    var wantsEvents: Bool {
        cores.contains { $0.canBeWoken }
    }

    /// An announcement; false if it is for another file. Runs on the thread that reads the socket: no calls from here.
    func received(_ change: RealmChanged, from link: AgentLink) -> Bool {
        let isMine = state.withLock { state in
            guard let handle = state.handle, handle.link === link, handle.realm == change.realm else { return false }
            let grant = Grant(
                version: change.version, generation: change.generation,
                pin: Pin(change.pin, realm: change.realm, link: link, isAnnounced: true))
            if grant.version >= state.newest.version { state.newest = grant }
            return true
        }
        if isMine { wakeCores() }
        return isMine
    }

    /// The realm's exchange with its server; nil if it isn't synced.
    var syncSession: SyncSession? {
        guard settings.sync != nil else { return nil }
        return session.withLock { session in
            let current = session ?? SyncSession(self)
            session = current
            return current
        }
    }

    /// Whether what an event names is this file. Runs on the thread that reads the socket.
    func isMine(_ realm: Int32, on link: AgentLink) -> Bool {
        state.withLock { state in state.handle.map { $0.link === link && $0.realm == realm } ?? false }
    }

    /// Lets the instances that advance by themselves look for a new version, all but the one that made it.
    func wakeCores(except writer: RealmCore? = nil) {
        for core in cores where core !== writer { core.wake() }
    }

    /// The connection is back after a loss.
    func reconnected() {
        guard (try? handle()) != nil else { return }
        wakeCores()
    }
}
