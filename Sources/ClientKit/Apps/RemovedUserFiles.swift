import Foundation
import Wire

/// The realms of users who were removed. Realms of theirs may still be open, so that the files go when the next process
/// that names the app begins (AP-28, H-61).
enum RemovedUserFiles {
    private static let mark = ".removed"

    private static var base: URL { Realm.Configuration.standardURL.deletingLastPathComponent() }

    /// Notes that a user's realms are to go, if there are any.
    static func note(_ user: String, of app: String) {
        let directory = SyncedFileName.directory(of: user, app: app, in: base)
        guard access(directory.path, F_OK) == 0 else { return }
        _ = FileManager.default.createFile(atPath: directory.path + mark, contents: nil)
    }

    /// Deletes what was noted, but for realms that somebody has open, and for users who have come back.
    static func delete(_ app: App) {
        let apps = SyncedFileName.directory(app: app.appId, in: base)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: apps.path)) ?? []
        for name in names where name.hasSuffix(mark) {
            let user = String(name.dropLast(mark.count))
            let directory = apps.appendingPathComponent(user, isDirectory: true)
            guard let users = try? AgentRequest.look(AppUsers(app: app.identity)).users,
                users.contains(where: { SyncedFileName.encoded($0.id) == user }) || delete(directory)
            else { continue }
            unlink(apps.appendingPathComponent(name).path)
        }
    }

    /// False if something had to stay.
    private static func delete(_ directory: URL) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        for name in names where name.hasSuffix(".realm") {
            let request = RealmDelete(path: directory.appendingPathComponent(name).path)
            guard (try? AgentRequest.perform(request)) != nil else { return false }
        }
        try? FileManager.default.removeItem(at: directory)
        return access(directory.path, F_OK) != 0
    }
}
