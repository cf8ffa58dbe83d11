import Foundation
import Model
import Wire

extension Realm.Configuration {
    /// Absolute path without symbolic links, or the name of a realm in memory: what makes two openings the same.
    func settings() -> RealmCoordinator.Settings {
        var settings = settingsWithoutKey()
        settings.key = encryptionKey.flatMap { EncryptionKey($0) }
        settings.sync = syncConfiguration.map { sync in
            SyncTarget(
                app: sync.user.app.appId, server: sync.user.app.configuration.baseURL, user: sync.user.id,
                partition: sync.partitionText)
        }
        return settings
    }

    private func settingsWithoutKey() -> RealmCoordinator.Settings {
        switch place {
        case .none: fail(.noPath)
        case .memory(let identifier):
            return RealmCoordinator.Settings(path: identifier, isInMemory: true, isReadOnly: readOnly)
        case .file(let url):
            // The folder of a user's realms is made with the first of them.
            if syncConfiguration != nil { Self.makeParent(of: url) }
            return RealmCoordinator.Settings(path: Self.canonical(url.path), isReadOnly: readOnly)
        case .standard:
            let url = Self.standardURL
            Self.makeParent(of: url)
            return RealmCoordinator.Settings(path: Self.canonical(url.path), isReadOnly: readOnly)
        }
    }

    private static func makeParent(of url: URL) {
        try? FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    }

    /// The path as the agent names the file: its directory resolved, since the file itself may not be there yet.
    static func canonical(_ path: String) -> String {
        let absolute = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        let directory = (absolute as NSString).deletingLastPathComponent
        guard let resolved = realpath(directory, nil) else { return absolute }
        defer { free(resolved) }
        let prefix = String(cString: resolved)
        return (prefix == "/" ? "" : prefix) + "/" + (absolute as NSString).lastPathComponent
    }

    /// Opens the file for the process, in the order of RE-03, to be used in a place, if that is known.
    func prepare(for confinement: Confinement? = nil) throws -> (RealmCoordinator, ClassSet) {
        SchemaDiscovery.refuseRecursion()
        let settings = self.settings()
        do {
            prepareStandardDirectory(settings)
            let seed = try plantSeed(settings)
            defer { if let seed { unlink(seed) } }
            let classes = try self.classes()
            let known = RealmCoordinator.find(settings.path)
            // Before the file is changed for classes that the instance can't have.
            try known?.core(confinement?.identity)?.require(classes)
            // Classes and properties of a synced realm are only added to.
            let migrates = known == nil && settings.sync == nil
            var migrated = migrates ? try MigrationRun.perform(self, settings, classes) : nil
            let coordinator = try RealmCoordinator.open(
                RealmCoordinator.Opening(
                    settings: settings, schema: classes.schema, schemaVersion: schemaVersion,
                    deleteIfMigrationNeeded: deleteRealmIfMigrationNeeded, syncConfiguration: syncConfiguration,
                    seed: seed))
            withExtendedLifetime(migrated) {}
            migrated = nil
            if known == nil { try askForCompaction(coordinator) }
            try subscribe(coordinator, classes, isFirst: known == nil)
            return (coordinator, classes)
        } catch {
            throw Realm.Error(error, path: settings.path)
        }
    }

    /// Opens the realm for a confinement.
    func open(_ confinement: Confinement) throws -> RealmCore {
        let (coordinator, classes) = try prepare(for: confinement)
        if let core = coordinator.core(confinement.identity) {
            core.check()
            return core
        }
        do {
            return try RealmCore.live(coordinator, filled(coordinator.settings), confinement, classes)
        } catch {
            throw Realm.Error(error, path: coordinator.settings.path)
        }
    }

    /// What the realm says it was opened with.
    private func filled(_ settings: RealmCoordinator.Settings) -> Realm.Configuration {
        var copy = self
        if !settings.isInMemory { copy.place = .file(URL(fileURLWithPath: settings.path)) }
        return copy
    }

    /// The samples of Realm write straight into the documents directory, which exists on every Apple machine: it is
    /// made when it is the parent.
    private func prepareStandardDirectory(_ settings: RealmCoordinator.Settings) {
        guard !settings.isInMemory, !settings.isReadOnly else { return }
        let parent = (settings.path as NSString).deletingLastPathComponent
        for directory: FileManager.SearchPathDirectory in [.documentDirectory, .applicationSupportDirectory]
        where FileManager.default.urls(for: directory, in: .userDomainMask).first?.path == parent {
            try? FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        }
    }

    /// Copies the seed to where no file is. Two processes may do so at once: one copy wins, whole. The one of a synced realm
    /// is the agent's business; what is returned is a copy for it.
    private func plantSeed(_ settings: RealmCoordinator.Settings) throws -> String? {
        guard let seedFilePath, !settings.isInMemory, access(settings.path, F_OK) != 0 else { return nil }
        if settings.sync != nil {
            return try FileCopy.draft(of: seedFilePath.path, for: settings.path, named: "seed")
        }
        do {
            try FileCopy.make(of: seedFilePath.path, at: settings.path)
        } catch Realm.Error.fileExists {
            // Another process has been here meanwhile.
        }
        return nil
    }

    private func askForCompaction(_ coordinator: RealmCoordinator) throws {
        guard let shouldCompactOnLaunch else { return }
        let handle = try coordinator.handle()
        let info = try handle.link.call(RealmInfo(target: .handle(handle.realm)))
        // Somebody else has it open: their snapshots would keep the old file anyway.
        guard info.handles <= 1, shouldCompactOnLaunch(Int(info.fileSize), Int(info.usedSize)) else { return }
        _ = try handle.link.call(RealmCompact(target: .handle(handle.realm)))
        _ = try coordinator.pinNewest()
    }
}
