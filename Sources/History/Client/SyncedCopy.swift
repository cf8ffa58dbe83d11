import Foundation
import Model
import Store

/// Copies that turn a local realm into a synced one, or the reverse (FI-02, FI-03), and those that other devices begin with
/// (FI-04).
package enum SyncedCopy {
    /// Writes what a local realm holds to a new file that belongs to `origin`: all of it is its first upload. Throws
    /// `schemaMismatch` for classes that can't be synced.
    package static func make(
        synced path: String, from source: Snapshot, key: RealmKey?, origin: SyncOrigin,
        options: HistoryOptions = HistoryOptions()
    ) throws {
        try write(path) { draft in
            var fileOptions = RealmFileOptions()
            fileOptions.create = true
            fileOptions.key = key
            let file = try RealmFile(path: draft, options: fileOptions)
            let history = try ClientHistory(file, options: options)
            let transaction = try file.beginWrite()
            do {
                history.begin(transaction)
                try history.put(origin, transaction)
                let sink = InstructionSink(transaction)
                for instruction in try file.snapshot().schema.instructions(adding: source.schema.realmSchema) {
                    try sink.append(instruction)
                }
                try sink.flush()
                // Indexes are the file's own (C-71).
                _ = try transaction.ensureSchema(source.schema.realmSchema, schemaVersion: 0, mode: .additive)
                try StateTransfer(from: source, to: transaction.reader()) { try sink.append($0) }.run()
                try sink.flush()
                try history.append(to: transaction)
                try file.makeDurable(through: try transaction.commit(uid: nil))
            } catch {
                transaction.rollback()
                throw error
            }
            try file.close()
        }
    }

    /// Writes what a synced realm holds to a new local file: without a user, and without a queue.
    package static func make(local path: String, from source: Snapshot, key: RealmKey?) throws {
        try write(path) { draft in
            try copy(source, to: draft, key) { try $0.removeSync(from: [], to: [.max]) }
        }
    }

    /// Writes what a synced realm holds to a new file, a *bundle*, that other devices begin with: it knows how far the
    /// server's history is in it, has neither ident nor user, and what comes later is all that whoever opens it
    /// downloads (FI-04). Throws `SyncedCopyError` if something in it isn't on the server.
    package static func make(bundle path: String, from source: Snapshot, key: RealmKey?) throws {
        let (origin, state) = try parts(of: source)
        try write(path) { draft in try copy(source, to: draft, key, as: origin.withoutUser, state) }
    }

    /// Makes the bundle that lies at `draft` the file at `path`, as one of `origin`, unless there is a file already
    /// (CF-14). Any synced file serves as one that has nothing to upload. The draft is gone afterwards in any case.
    package static func plant(_ draft: String, at path: String, key: RealmKey?, for origin: SyncOrigin) throws {
        defer { DataFile.discard(draft) }
        var options = RealmFileOptions()
        options.create = false
        options.key = key
        let seed = try RealmFile(path: draft, options: options)
        defer { try? seed.close() }
        let snapshot = try seed.snapshot()
        let (known, state) = try parts(of: snapshot)
        guard known.hasSameData(as: origin) else { throw SyncedCopyError.otherData(known, wanted: origin) }
        do {
            try write(path) { draft in try copy(snapshot, to: draft, key, as: origin, state) }
        } catch let error as StoreError where error.code == .fileExists {
            // Somebody has been here meanwhile.
        }
    }

    /// What a realm knows of its server. Throws unless all of it is there, too.
    private static func parts(of source: Snapshot) throws -> (SyncOrigin, ClientState) {
        guard let origin = try SyncOrigin(source) else { throw SyncedCopyError.notSynced }
        guard origin.partition != nil else { throw SyncedCopyError.flexible }
        let state = try ClientState(source) ?? ClientState()
        var unsent = 0
        var areClasses = true
        // What the server acknowledges isn't in what was downloaded of it before the download's cursor says so.
        try source.eachSyncRecord(
            from: HistoryKey.entry(UInt64(state.download.client) + 1), to: HistoryKey.entry(.max)
        ) { _, value in
            let changeset = try EntryRecord(value).changeset
            guard !changeset.isEmpty else { return true }
            unsent += 1
            areClasses = try areClasses && Changeset.decode(changeset).allSatisfy(\.addsToSchema)
            return true
        }
        guard unsent == 0 else {
            throw areClasses ? SyncedCopyError.unsentClasses(unsent) : .unsentChanges(unsent)
        }
        return (origin, state)
    }

    private static func copy(
        _ source: Snapshot, to path: String, _ key: RealmKey?, as origin: SyncOrigin, _ state: ClientState
    ) throws {
        try copy(source, to: path, key) { transaction in
            try transaction.removeSync(from: [], to: [.max])
            try transaction.putSync(HistoryKey.origin, origin.encoded)
            try transaction.putSync(HistoryKey.state, state.withoutIdent.encoded)
        }
    }

    /// Writes a compact copy, and changes it before anybody sees it.
    private static func copy(
        _ source: Snapshot, to path: String, _ key: RealmKey?, changing change: (WriteTransaction) throws -> Void
    ) throws {
        try RealmFile.writeCopy(of: source, to: path, key: key)
        var options = RealmFileOptions()
        options.create = false
        options.key = key
        let file = try RealmFile(path: path, options: options)
        let transaction = try file.beginWrite()
        do {
            try change(transaction)
            try file.makeDurable(through: try transaction.commit(uid: nil))
        } catch {
            transaction.rollback()
            throw error
        }
        try file.close()
    }

    /// Lets `body` make a file beside `path`, and puts it there when it is whole. Throws `fileExists`.
    private static func write(_ path: String, _ body: (String) throws -> Void) throws {
        // A name of its own: the realm's may be as long as names can be.
        let directory = (path as NSString).deletingLastPathComponent
        let draft = "\(directory)/.sync-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        defer { DataFile.discard(draft) }
        try body(draft)
        // Not a rename: that would take the place of a file that came meanwhile.
        guard link(draft, path) == 0 else {
            let code = errno
            throw StoreError(
                code == EEXIST ? .fileExists : .inputOutput,
                "the copy can't be put at its place: \(String(cString: strerror(code)))", path: path, systemCode: code)
        }
    }
}

extension Instruction {
    fileprivate var addsToSchema: Bool {
        switch self {
        case .addTable, .addColumn: true
        default: false
        }
    }
}
