import Foundation
import Store
import Wire

extension RealmCore {
    /// Writes what this instance reads to a new file, which is encrypted if there is a key.
    func copy(to path: String, _ key: EncryptionKey?, _ sync: SyncTarget? = nil) throws {
        if Foundation.access(path, F_OK) == 0 {
            throw Realm.Error(.fileExists, "There is a file at '\(path)' already.", path: path)
        }
        if sync != nil, coordinator.isWithoutAgent {
            throw Realm.Error(
                .fail, "A Realm that nobody can write can't become a synced one: open a copy of it.", path: path)
        }
        if coordinator.isWithoutAgent {
            guard key != coordinator.settings.key else {
                return try FileCopy.make(of: coordinator.settings.path, at: path)
            }
            return try RealmFile.writeCopy(
                of: snapshot, to: path, key: key.flatMap { $0.withUnsafeBytes { RealmKey($0) } })
        }
        finishCommit()
        settle()
        if let transaction, !transaction.recorder.isEmpty { return try copy(transaction, to: path, key, sync) }
        let handle = try coordinator.handle()
        if key != nil { try handle.link.agent.require(.encryption) }
        if sync != nil { try handle.link.agent.require(coordinator.settings.sync == nil ? .sync : .bundles) }
        // A pin of an earlier connection holds nothing any more: the newest version is copied then.
        let pin = grant.pin?.id(on: handle.link)
        _ = try handle.link.call(
            RealmCopy(
                target: .handle(handle.realm), pin: pin, destination: path, destinationKey: key,
                destinationSync: sync))
    }

    /// Lets the agent copy what the transaction has changed so far.
    private func copy(
        _ transaction: OpenTransaction, to path: String, _ key: EncryptionKey?, _ sync: SyncTarget?
    ) throws {
        transaction.append()
        if let failure = transaction.failure { throw failure }
        guard let grant = transaction.grant else { throw WireError(.connectionLost, "there is no write lock") }
        try grant.handle.link.agent.require(.copyInTransaction)
        if key != nil { try grant.handle.link.agent.require(.encryption) }
        _ = try grant.handle.link.call(
            RealmCopy(
                target: .handle(grant.handle.realm), transaction: grant.reply.transaction, destination: path,
                destinationKey: key, destinationSync: sync))
    }
}

/// Copies files that nobody writes.
enum FileCopy {
    /// Puts a copy where no file is. Two processes may do so at once: one copy wins, whole.
    ///
    /// Throws `fileExists`, `fileNotFound`, or why it can't be made; nothing half-copied remains.
    static func make(of source: String, at path: String) throws {
        let draft = try draft(of: source, for: path, named: "copy")
        defer { unlink(draft) }
        guard link(draft, path) != 0 else { return }
        throw errno == EEXIST
            ? Realm.Error(.fileExists, "There is a file at '\(path)' already.", path: path)
            : Realm.Error(
                .fileOperationFailed, "The copy can't be put in place: \(String(cString: strerror(errno)))", path: path)
    }

    /// Makes a copy in the directory of a path, under another name.
    ///
    /// Throws `fileNotFound`, or why it can't be made; then nothing of it remains.
    static func draft(of source: String, for path: String, named kind: String) throws -> String {
        // What a link leads to: a copy of the link would lead there too, and writing to the copy would change the source.
        guard let file = realFile(source), access(file, R_OK) == 0 else {
            throw Realm.Error(.fileNotFound, "The file '\(source)' can't be read.", path: source)
        }
        // A name of its own: the realm's may be as long as names can be.
        let directory = (path as NSString).deletingLastPathComponent
        let draft = "\(directory)/.\(kind)-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        do {
            try FileManager.default.copyItem(atPath: file, toPath: draft)
        } catch {
            unlink(draft)
            throw Realm.Error(
                .fileOperationFailed, "'\(source)' can't be copied to '\(path)': \(error.localizedDescription)",
                path: path)
        }
        chmod(draft, 0o600)
        return draft
    }

    /// The path without symbolic links, if it leads to a file.
    private static func realFile(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        var status = stat()
        guard stat(resolved, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return String(cString: resolved)
    }
}
