import Foundation
import Wire

extension Realm {
    /// Whether the realm's file exists. One in memory does while it is open in any process.
    public static func fileExists(for configuration: Configuration) -> Bool {
        let settings = configuration.settings()
        if settings.isInMemory {
            if RealmCoordinator.find(settings.path) != nil { return true }
            guard let link = try? AgentConnection.shared.connected(), let list = try? link.call(RealmList()) else {
                return false
            }
            return list.realms.contains { $0.inMemory && $0.path == "memory:\(settings.path)" }
        }
        return access(settings.path, F_OK) == 0
    }

    /// Deletes the realm's files.
    ///
    /// - Returns: whether there was something to delete.
    /// - Throws: `Realm.Error.alreadyOpen` if the realm is open in any process.
    public static func deleteFiles(for configuration: Configuration) throws -> Bool {
        let settings = configuration.settings()
        if RealmCoordinator.find(settings.path) != nil {
            throw Realm.Error(.alreadyOpen, "The Realm at '\(settings.path)' is open.", path: settings.path)
        }
        guard !settings.isInMemory, access(settings.path, F_OK) == 0 else { return false }
        do {
            let link = try AgentConnection.shared.connected()
            return try link.call(RealmDelete(path: settings.path)).deleted
        } catch {
            throw Realm.Error(error, path: settings.path)
        }
    }

    /// Writes a compact copy of this instance's version to another file. In a write transaction, what it has changed so
    /// far is in the copy.
    ///
    /// The copy is encrypted with `encryptionKey`, 64 bytes, whether this realm is encrypted or not; without one it is
    /// plain.
    ///
    /// - Throws: `Realm.Error.fileExists` if there is a file already.
    public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
        try writeCopy(to: Configuration.canonical(fileURL.path), encryptionKey)
    }

    /// As `writeCopy(toFile:)`, to the file of a configuration, which becomes a realm of its own. With a synced
    /// configuration of a partition it is a synced one: all objects are its first upload. The copy of a synced realm is a
    /// local one, without user and queue.
    ///
    /// The copy of a synced realm to a synced configuration of the same partition is a bundle, for `seedFilePath`: devices
    /// that begin with it download only what has changed since. Everything in the realm must have been uploaded before, see
    /// `SyncSession.wait(for:)`.
    ///
    /// - Throws: `Realm.Error.fileExists` if there is a file already, `.incompatibleHistories` for another partition or app
    ///   and for flexible sync, `.fail` while there are changes that weren't uploaded.
    public func writeCopy(configuration: Configuration) throws {
        let settings = configuration.settings()
        if settings.isInMemory {
            throw Realm.Error(.fail, "A Realm can't be copied to an in-memory one: name a file.", path: settings.path)
        }
        try writeCopy(to: settings.path, configuration.encryptionKey, settings.sync)
    }

    private func writeCopy(to path: String, _ encryptionKey: Data?, _ sync: SyncTarget? = nil) throws {
        core.check()
        let key = encryptionKey.map { bytes in
            guard let key = EncryptionKey(bytes) else { fail(.keyLength) }
            return key
        }
        do {
            try core.copy(to: path, key, sync)
        } catch {
            throw Realm.Error(error, path: path)
        }
    }
}
