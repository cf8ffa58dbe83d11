import Foundation
import Store

/// The file beside a realm's into which the server's state is downloaded for a client reset.
///
/// A session of its own fills it: `history` answers its requests, `ClientSessionOptions.uploads` is false, and it is
/// complete when a waiter for downloads is, or, under flexible sync, when its latest set of subscriptions is, which
/// asks for the same as the realm's set in force.
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
            // The set in force, and none that isn't.
            if let active = local.subscriptions?.active { try open?.history.subscriptions?.follow(active) }
        } catch {
            throw ClientResetFailure(.noFreshFile, "the file for the server's state can't be made: \(error)")
        }
    }

    /// Nil while it is closed.
    package var history: ClientHistory? { open?.history }

    var file: RealmFile? { open?.file }

    private static func open(_ path: String, _ local: ClientHistory) throws -> (RealmFile, ClientHistory)? {
        var options = options(local)
        options.create = false
        guard FileManager.default.fileExists(atPath: path),
            let file = try? RealmFile(path: path, options: options),
            let history = try? history(file, local)
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
        var options = options(local)
        options.create = true
        let file = try RealmFile(path: path, options: options)
        return (file, try history(file, local))
    }

    private static func options(_ local: ClientHistory) -> RealmFileOptions {
        var options = local.file.options
        // What is replayed on it must find what was replayed before.
        options.keepsAsymmetricObjects = true
        return options
    }

    private static func history(_ file: RealmFile, _ local: ClientHistory) throws -> ClientHistory {
        try ClientHistory(file, options: local.options, isFlexible: local.subscriptions != nil)
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
