import Model

/// The realm a request is about: a handle of this connection, or a file's path.
package enum RealmTarget: Hashable, Sendable {
    case handle(Int32)
    /// With the key of an encrypted one.
    case path(String, key: EncryptionKey? = nil)

    init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        if let handle = try view.find("realm", as: Int32.self) {
            self = .handle(handle)
        } else if let path = try view.find("path", as: String.self) {
            self = .path(path, key: try view.find("key"))
        } else {
            throw WireDecodingError(field: "realm", expected: "a handle, or a field \"path\"", found: nil)
        }
    }

    func write(to writer: BSONWriter) {
        switch self {
        case .handle(let handle): writer.put("realm", handle)
        case .path(let path, let key):
            writer.put("path", path)
            writer.put("key", key)
        }
    }
}

/// Opens a realm for this connection, creating the file or extending its schema if asked to.
package struct RealmOpen: WireRequest {
    package typealias Reply = RealmOpenReply
    package static let method = Method.realmOpen

    /// Absolute path; of a realm in memory, its identifier.
    package var path: String
    /// Classes that the client uses; missing ones are added. Nil: open as it is.
    package var schema: RealmSchema?
    /// Version of `schema`; nil is 0.
    package var schemaVersion: UInt64?
    /// Whether the file may be created.
    package var create: Bool
    /// Whether the realm lives only while it is open somewhere.
    package var inMemory: Bool
    /// Whether the data may be dropped when the schema doesn't fit.
    package var deleteIfMigrationNeeded: Bool
    /// Whether `realm.changed` is wanted for this handle.
    package var events: Bool
    /// Of an encrypted realm; a file that is created is encrypted with it. Needs the feature `encryption`.
    package var key: EncryptionKey?
    /// Whether the client migrates a file of a lower version by itself: then the file is opened as it is.
    package var migrates: Bool
    /// Of a synced realm. Needs the feature `sync`.
    package var sync: SyncTarget?
    /// What is to become of a synced realm that can't go on with its server; nil: `recoverUnsyncedChanges`.
    package var resetMode: SyncResetMode?
    /// Whether a client reset waits until this client has looked at the realm as it was: see `SyncResetting`.
    package var resetBlocks: Bool
    /// With `sync`: the directory for a copy of the realm, if it is to be reset by hand. Nil: one beside its app's realms.
    package var recovery: String?
    /// With `sync`: a copy of a bundle in the same directory, which becomes the realm if there is none yet, and is gone
    /// afterwards in any case. Needs the feature `bundles`.
    package var seed: String?

    package init(
        path: String, schema: RealmSchema? = nil, schemaVersion: UInt64? = nil, create: Bool = false,
        inMemory: Bool = false, deleteIfMigrationNeeded: Bool = false, events: Bool = false,
        key: EncryptionKey? = nil, migrates: Bool = false, sync: SyncTarget? = nil, resetMode: SyncResetMode? = nil,
        resetBlocks: Bool = false, recovery: String? = nil, seed: String? = nil
    ) {
        self.recovery = recovery
        self.path = path
        self.key = key
        self.schema = schema
        self.schemaVersion = schemaVersion
        self.create = create
        self.inMemory = inMemory
        self.deleteIfMigrationNeeded = deleteIfMigrationNeeded
        self.events = events
        self.migrates = migrates
        self.sync = sync
        self.resetMode = resetMode
        self.resetBlocks = resetBlocks
        self.seed = seed
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            path: try view.get("path"), schema: try view.find("schema"), schemaVersion: try view.find("schemaVersion"),
            create: try view.find("create") ?? false, inMemory: try view.find("inMemory") ?? false,
            deleteIfMigrationNeeded: try view.find("deleteIfMigrationNeeded") ?? false,
            events: try view.find("events") ?? false, key: try view.find("key"),
            migrates: try view.find("migrates") ?? false, sync: try view.find("sync"),
            resetMode: try view.find("resetMode"), resetBlocks: try view.find("resetBlocks") ?? false,
            recovery: try view.find("recovery"), seed: try view.find("seed"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("path", path)
        writer.put("schema", schema)
        writer.put("schemaVersion", schemaVersion)
        if create { writer.put("create", true) }
        if inMemory { writer.put("inMemory", true) }
        if deleteIfMigrationNeeded { writer.put("deleteIfMigrationNeeded", true) }
        if events { writer.put("events", true) }
        writer.put("key", key)
        if migrates { writer.put("migrates", true) }
        writer.put("sync", sync)
        writer.put("resetMode", resetMode)
        if resetBlocks { writer.put("resetBlocks", true) }
        writer.put("recovery", recovery)
        writer.put("seed", seed)
    }
}

/// A handle and a pinned snapshot. With `descriptor` the file comes along with the reply's first byte.
package struct RealmOpenReply: WirePayload {
    /// Handle on this connection, never used twice.
    package var realm: Int32
    package var version: UInt64
    /// Pin that holds the snapshot `version`.
    package var pin: Int64
    /// Which incarnation of the file; compaction begins a new one.
    package var generation: Int64
    /// Whether the file was created just now.
    package var created: Bool
    /// Whether a read-only descriptor of the file accompanies this reply.
    package var descriptor: Bool
    /// With `migrates`: the file's schema version, if the file was left as it is because that is lower.
    package var migratesFrom: UInt64?
    /// Names the realm in receipts; nil for one in memory, which has none.
    package var identity: UniqueId?

    package init(
        realm: Int32, version: UInt64, pin: Int64, generation: Int64, created: Bool = false, descriptor: Bool = false,
        migratesFrom: UInt64? = nil, identity: UniqueId? = nil
    ) {
        self.realm = realm
        self.version = version
        self.pin = pin
        self.generation = generation
        self.created = created
        self.descriptor = descriptor
        self.migratesFrom = migratesFrom
        self.identity = identity
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            realm: try view.get("realm"), version: try view.get("version"), pin: try view.get("pin"),
            generation: try view.get("generation"), created: try view.find("created") ?? false,
            descriptor: try view.find("descriptor") ?? false, migratesFrom: try view.find("migratesFrom"),
            identity: try view.find("identity"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("version", version)
        writer.put("pin", pin)
        writer.put("generation", generation)
        if created { writer.put("created", true) }
        if descriptor { writer.put("descriptor", true) }
        writer.put("migratesFrom", migratesFrom)
        writer.put("identity", identity)
    }
}

/// The current generation of the file and a pin on its newest snapshot.
package struct RealmReopen: WireRequest {
    package typealias Reply = RealmReopenReply
    package static let method = Method.realmReopen

    package var realm: Int32

    package init(realm: Int32) {
        self.realm = realm
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(realm: try view.get("realm"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
    }
}

/// As for opening.
package struct RealmReopenReply: WirePayload {
    package var version: UInt64
    package var pin: Int64
    package var generation: Int64
    package var descriptor: Bool

    package init(version: UInt64, pin: Int64, generation: Int64, descriptor: Bool = false) {
        self.version = version
        self.pin = pin
        self.generation = generation
        self.descriptor = descriptor
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            version: try view.get("version"), pin: try view.get("pin"), generation: try view.get("generation"),
            descriptor: try view.find("descriptor") ?? false)
    }

    package func write(to writer: BSONWriter) {
        writer.put("version", version)
        writer.put("pin", pin)
        writer.put("generation", generation)
        if descriptor { writer.put("descriptor", true) }
    }
}

/// Gives up a handle with its pins, cursors and subscriptions; an open transaction of it is rolled back.
package struct RealmClose: WireRequest {
    package typealias Reply = Acknowledgement
    package static let method = Method.realmClose

    package var realm: Int32

    package init(realm: Int32) {
        self.realm = realm
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(realm: try view.get("realm"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
    }
}
