import Foundation
import Wire

extension Realm {
    /// Whether the realm's file exists.
    public static func fileExists(for configuration: Configuration) throws -> Bool {
        let settings = try configuration.settings()
        if settings.isInMemory { return RealmCoordinator.find(settings.path) != nil }
        return access(settings.path, F_OK) == 0
    }

    /// Deletes the realm's files.
    ///
    /// - Returns: whether there was something to delete.
    /// - Throws: `Realm.Error.alreadyOpen` if the realm is open in any process.
    @discardableResult
    public static func deleteFiles(for configuration: Configuration) throws -> Bool {
        let settings = try configuration.settings()
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

    /// Writes a compact copy of this instance's version to another file.
    ///
    /// - Throws: `Realm.Error.fileExists` if there is a file already.
    public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
        core.check()
        if encryptionKey != nil {
            throw Realm.Error(.fail, "Encrypted copies are not supported yet.", path: fileURL.path)
        }
        try core.copy(to: Configuration.canonical(fileURL.path))
    }

    /// As `writeCopy(toFile:)`, to the file of a configuration, which becomes a realm of its own.
    public func writeCopy(configuration: Configuration) throws {
        core.check()
        let settings = try configuration.settings()
        try core.copy(to: settings.path)
    }
}

extension RealmCore {
    func copy(to path: String) throws {
        if Foundation.access(path, F_OK) == 0 {
            throw Realm.Error(.fileExists, "There is a file at '\(path)' already.", path: path)
        }
        do {
            let handle = try coordinator.handle()
            // A pin of an earlier connection holds nothing any more: the newest version is copied then.
            let pin = grant.pin?.id(on: handle.link)
            _ = try handle.link.call(RealmCopy(target: .handle(handle.realm), pin: pin, destination: path))
        } catch {
            throw Realm.Error(error, path: path)
        }
    }
}
