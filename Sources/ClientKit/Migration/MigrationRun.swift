import Foundation
import Model
import Store
import Wire

/// A file that is brought to the app's schema version with the app's block.
struct MigrationRun {
    let coordinator: RealmCoordinator
    let configuration: Realm.Configuration
    let classes: ClassSet
    let block: MigrationBlock

    /// Migrates the file if it has a lower version than the configuration. A file that isn't there is made, without the
    /// block.
    ///
    /// - Returns: what keeps the file open, so that whoever opens it next needn't wait until it is closed.
    static func perform(
        _ configuration: Realm.Configuration, _ settings: RealmCoordinator.Settings, _ classes: ClassSet
    ) throws -> RealmCoordinator? {
        guard let block = configuration.migrationBlock, !settings.isReadOnly,
            !configuration.deleteRealmIfMigrationNeeded
        else { return nil }
        let opening = RealmCoordinator.Opening(
            settings: settings, schema: classes.schema, schemaVersion: configuration.schemaVersion, migrates: true)
        let (coordinator, isNeeded) = try RealmCoordinator.toMigrate(opening)
        let run = MigrationRun(
            coordinator: coordinator, configuration: configuration, classes: classes, block: block)
        if isNeeded { try run.perform() }
        return coordinator
    }

    private func perform() throws {
        let grant = try WriteGrant.wait(coordinator)
        var transaction: OpenTransaction?
        do {
            let (snapshot, used) = try coordinator.snapshot(grant.granted)
            // Another process may have been first.
            guard snapshot.schema.version < configuration.schemaVersion else { return grant.giveBack() }
            let old = try core(snapshot, used, .none)
            for info in old.infos.values { MigratingClasses(wanted: classes).presentFormer(info) }
            let new = try core(try begin(grant, used, snapshot.version), used, .current)
            let begun = OpenTransaction(grant, firstGeneration: new.access.pointee.generation)
            transaction = begun
            new.transaction = begun
            new.migrationSource = old
            defer { new.endMigration() }
            let migration = Migration(old: old, new: new, classes: MigratingClasses(wanted: classes))
            for info in new.infos.values { migration.classes.present(info) }
            block(migration, snapshot.schema.version)
            try commit(migration, begun, grant)
            begun.end()
        } catch {
            if let transaction { transaction.cancel() } else { grant.giveBack() }
            throw error
        }
    }

    /// Has the agent put the new classes beside the old ones. The state that the block finds, which is the old one still,
    /// by that schema.
    private func begin(_ grant: WriteGrant, _ used: RealmCoordinator.Grant, _ version: UInt64) throws -> Snapshot {
        let reply = try grant.handle.link.call(
            WriteMigrate(
                realm: grant.handle.realm, transaction: grant.reply.transaction, schema: classes.schema,
                schemaVersion: configuration.schemaVersion))
        let schema = try reply.schema.array.withUnsafeBytes { try StoredSchema(decoding: $0) }
        let snapshot = try coordinator.snapshot(used, presenting: schema)
        guard snapshot.version == version else {
            throw WireError(.badReply, "the file changed while it was locked for a migration")
        }
        return snapshot
    }

    private func core(
        _ snapshot: Snapshot, _ grant: RealmCoordinator.Grant, _ confinement: Confinement
    ) throws -> RealmCore {
        try RealmCore(
            coordinator: coordinator, configuration: configuration, confinement: confinement,
            classes: ClassSet(described: snapshot.schema.realmSchema), snapshot: snapshot, grant: grant)
    }

    private func commit(_ migration: Migration, _ transaction: OpenTransaction, _ grant: WriteGrant) throws {
        transaction.append()
        if let failure = transaction.failure { throw failure }
        let (link, realm) = (grant.handle.link, grant.handle.realm)
        _ = try link.call(
            WriteMigrated(
                realm: realm, transaction: grant.reply.transaction, schema: classes.schema,
                schemaVersion: configuration.schemaVersion,
                renames: migration.renames.map { .init(className: $0.className, from: $0.from, to: $0.to) },
                removed: migration.removed.sorted()))
        let reply = try link.call(
            WriteCommit(
                realm: realm, transaction: grant.reply.transaction, changes: Bytes([]), uid: transaction.uid))
        // Nobody reads by this handle any more.
        _ = Pin(reply.pin, realm: realm, link: link)
    }
}

extension RealmCore {
    /// The block is over: what it has of the new objects is of no use any more.
    fileprivate func endMigration() {
        transaction = nil
        dropSnapshot()
    }
}

extension Realm {
    /// Migrates a file as opening it would, and opens nothing. Traps if the realm is open in this process.
    ///
    /// - Throws: what opening throws.
    public static func performMigration(for configuration: Configuration = .defaultConfiguration) throws {
        let settings = configuration.settings()
        if RealmCoordinator.find(settings.path) != nil {
            fail(Mistake("Cannot migrate Realms that are already open: '\(settings.path)'."))
        }
        _ = try configuration.prepare()
    }
}

/// The schema version of a file.
///
/// - Throws: `Realm.Error.fileNotFound` if there is none, `.invalidDatabase` if it is no realm, or one that nobody has
///   given classes yet.
public func schemaVersionAtURL(_ fileURL: URL, encryptionKey: Data? = nil) throws -> UInt64 {
    var configuration = Realm.Configuration(fileURL: fileURL, encryptionKey: encryptionKey)
    configuration.readOnly = true
    let settings = configuration.settings()
    do {
        let schema = try RealmCoordinator.storedSchema(settings)
        guard !schema.tables.isEmpty || schema.version > 0 else {
            throw Realm.Error(
                .invalidDatabase, "The Realm at '\(settings.path)' has not been initialized: it has no classes yet.",
                path: settings.path)
        }
        return schema.version
    } catch {
        throw Realm.Error(error, path: settings.path)
    }
}
