import Foundation
import Model
import Store

/// Copies that turn a local realm into a synced one, or the reverse (FI-02, FI-03).
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
            try RealmFile.writeCopy(of: source, to: draft, key: key)
            var options = RealmFileOptions()
            options.create = false
            options.key = key
            let file = try RealmFile(path: draft, options: options)
            let transaction = try file.beginWrite()
            do {
                try transaction.removeSync(from: [], to: [.max])
                try file.makeDurable(through: try transaction.commit(uid: nil))
            } catch {
                transaction.rollback()
                throw error
            }
            try file.close()
        }
    }

    /// Lets `body` make a file beside `path`, and puts it there when it is whole. Throws `fileExists`.
    private static func write(_ path: String, _ body: (String) throws -> Void) throws {
        let draft = "\(path).sync-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        defer {
            for suffix in [""] + CompanionFiles.suffixes { unlink(draft + suffix) }
        }
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
