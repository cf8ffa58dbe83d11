import Foundation
import Store

/// The file beside a realm's into which the server's state is downloaded for a client reset.
///
/// A session of its own fills it: `history` answers its requests, `ClientSessionOptions.uploads` is false, and it is
/// complete when a waiter for downloads is.
package final class FreshRealm {
    package let path: String
    private var open: (file: RealmFile, history: ClientHistory)?

    /// The path of the fresh file of a realm.
    package static func path(of realm: String) -> String { realm + ".fresh" }

    /// Opens what an earlier attempt has left, or makes it.
    init(of local: ClientHistory) throws(ClientResetFailure) {
        path = FreshRealm.path(of: local.file.path)
        do {
            open = try FreshRealm.open(path, local) ?? FreshRealm.make(path, local)
        } catch {
            throw ClientResetFailure(.noFreshFile, "the file for the server's state can't be made: \(error)")
        }
    }

    /// Nil while it is closed.
    package var history: ClientHistory? { open?.history }

    var file: RealmFile? { open?.file }

    private static func open(_ path: String, _ local: ClientHistory) throws -> (RealmFile, ClientHistory)? {
        var options = local.file.options
        options.create = false
        guard FileManager.default.fileExists(atPath: path),
            let file = try? RealmFile(path: path, options: options),
            let history = try? ClientHistory(file, options: local.options)
        else { return nil }
        // One that was used already lives on in the realm.
        if let ident = history.state.ident, ident == local.state.ident {
            try file.close()
            return nil
        }
        return (file, history)
    }

    private static func make(_ path: String, _ local: ClientHistory) throws -> (RealmFile, ClientHistory) {
        remove(path)
        var options = local.file.options
        options.create = true
        let file = try RealmFile(path: path, options: options)
        return (file, try ClientHistory(file, options: local.options))
    }

    /// Closes it, to be used by a later attempt.
    func close() {
        try? open?.file.close()
        open = nil
    }

    /// Closes and removes it. Whoever has it open still keeps it for the time being.
    func remove() {
        close()
        FreshRealm.remove(path)
    }

    /// Removes what may be at the path of a fresh file, whatever it is.
    static func remove(_ path: String) {
        // A file that isn't a realm any more is none that `delete` would touch.
        guard (try? RealmFile.delete(path)) != true else { return }
        for suffix in [""] + CompanionFiles.suffixes { unlink(path + suffix) }
    }
}
