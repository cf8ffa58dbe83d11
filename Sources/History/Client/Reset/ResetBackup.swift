import Foundation
import Store

/// The copy of a realm that couldn't be reset automatically: it is kept for the user, and the realm begins anew (R-10).
package enum ResetBackup {
    /// Where the copies of an app's realms are put (R-11). `name` stands for `recovered-realms`, if there is one.
    package static func directory(base: String, appId: String, name: String? = nil) -> String {
        "\(base)/mongodb-realm/\(appId)/\(name ?? "recovered-realms")"
    }

    /// Makes the directory, if need be, and in it an empty file that nobody else will use.
    /// - Returns: its path, to be told to the application and kept for `backUpThenDelete`.
    package static func reserve(
        in directory: String, now: Date = Date(), timeZone: TimeZone = .current
    ) throws -> String {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: now)
        func digits(_ number: Int?, _ count: Int) -> String {
            let text = String(number ?? 0)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let day = digits(parts.year, 4) + digits(parts.month, 2) + digits(parts.day, 2)
        let time = digits(parts.hour, 2) + digits(parts.minute, 2) + digits(parts.second, 2)
        while true {
            let random = String((0..<8).map { _ in letters.randomElement() ?? "0" })
            let path = "\(directory)/recovered_realm-\(day)-\(time)-\(random)"
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if descriptor >= 0 {
                close(descriptor)
                return path
            }
            let code = errno
            guard code == EEXIST else {
                throw StoreError(
                    .inputOutput, "no backup can be made: \(String(cString: strerror(code)))", path: path,
                    systemCode: code)
            }
        }
    }

    private static let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

    /// Copies a realm to a reserved path, encrypted as it is, and removes it with all that belongs to it (R-12). If the
    /// copy fails nothing is removed.
    /// - Returns: false, with nothing changed, if somebody has the realm open.
    package static func backUpThenDelete(_ realm: String, key: RealmKey?, to backup: String) throws -> Bool {
        // Without it, an earlier attempt got as far as that.
        if FileManager.default.fileExists(atPath: realm) {
            guard try copy(realm, key: key, to: backup) else { return false }
        }
        return try delete(realm)
    }

    /// Removes a realm with all that belongs to it (R-12).
    /// - Returns: false, with nothing changed, if somebody has the realm open.
    package static func delete(_ realm: String) throws -> Bool {
        do {
            _ = try RealmFile.delete(realm)
        } catch let error as StoreError where error.code == .locked {
            return false
        }
        FreshRealm.remove(FreshRealm.path(of: realm))
        return true
    }

    private static func copy(_ realm: String, key: RealmKey?, to backup: String) throws -> Bool {
        var options = RealmFileOptions()
        options.create = false
        options.key = key
        let file: RealmFile
        do {
            file = try RealmFile(path: realm, options: options)
        } catch let error as StoreError where error.code == .locked {
            return false
        }
        let part = backup + ".part"
        unlink(part)
        // Without its queue: who opens it to look at it mustn't sync it.
        try SyncedCopy.make(local: part, from: file.snapshot(), key: key)
        try file.close()
        guard rename(part, backup) == 0 else {
            let code = errno
            unlink(part)
            throw StoreError(
                .inputOutput, "the backup can't be put in its place: \(String(cString: strerror(code)))",
                path: backup, systemCode: code)
        }
        return true
    }
}
