import Merge
import Model
import Store
import Sync

extension ServerRealm {
    /// Integrates uploads of a file, all of them or none, durably (P-55 to P-57).
    package func integrate(_ uploads: [ClientMessage.Upload], file number: Int64) throws(SessionFailure) {
        do {
            let snapshot = try file.snapshot()
            guard var stored = try storedFile(number, snapshot) else {
                throw SessionFailure(.badClientFileIdent, "Bad client file identifier (UPLOAD)")
            }
            let changesets = try take(uploads, from: number, &stored)
            stored.lastSeen = options.now()
            guard !changesets.isEmpty else {
                try change(to: state) { try $0.putSync(HistoryKey.file(UInt64(number)), stored.encoded) }
                return
            }
            var merger = try merger(for: number, after: changesets[0].lastIntegratedVersion, snapshot)
            let merged = try merger.history.merge(changesets, from: UInt64(number))
            try apply(merged, of: number, stored)
            merger.history.adopt(merged)
            keep(merger)
        } catch let failure as SessionFailure {
            throw failure
        } catch {
            throw self.failure(error)
        }
    }

    /// What is new in uploads; moves the file's progress.
    private func take(
        _ uploads: [ClientMessage.Upload], from number: Int64, _ stored: inout ServerFile
    ) throws -> [RemoteChangeset] {
        var changesets: [RemoteChangeset] = []
        for upload in uploads {
            for entry in upload.entries where entry.cursor.client > stored.upload.client {
                guard entry.originFile == 0 || entry.originFile == number else {
                    throw SessionFailure(.badOriginFileIdent, "Bad origin file identifier (UPLOAD)")
                }
                // Who had nothing of the history can be merged with all of it, compacted or not.
                guard entry.cursor.server >= Int64(state.baseVersion) || entry.cursor.server == 0,
                    entry.cursor.server <= version
                else {
                    throw SessionFailure(.badServerVersion, "Bad server version \(entry.cursor.server) (UPLOAD)")
                }
                let instructions = try Changeset.decode(entry.changeset)
                try refuseErasures(instructions)
                changesets.append(
                    RemoteChangeset(
                        remoteVersion: UInt64(entry.cursor.client),
                        lastIntegratedVersion: UInt64(entry.cursor.server),
                        rank: Rank(originTimestamp: UInt64(entry.timestamp), originFileIdent: UInt64(number)),
                        instructions: instructions))
                stored.upload = entry.cursor
            }
            if upload.progress.client >= stored.upload.client { stored.upload = upload.progress }
            stored.lockedVersion = max(stored.lockedVersion, upload.lockedServerVersion)
        }
        return changesets
    }

    /// Clients only add to a schema (C-70).
    func refuseErasures(_ instructions: [Instruction]) throws {
        for instruction in instructions {
            switch instruction {
            case .eraseTable(let name):
                throw SessionFailure(.invalidSchemaChange, "Clients can't remove class '\(name)'")
            case .eraseColumn(let name, let property):
                throw SessionFailure(.invalidSchemaChange, "Clients can't remove property '\(name).\(property)'")
            default: break
            }
        }
    }

    private func apply(_ merged: Merged, of number: Int64, _ stored: ServerFile) throws {
        var next = state
        let encoded = try merged.changesets.map { try Changeset.encode($0.instructions) }
        let first = state.version + 1
        next.version += UInt64(encoded.count)
        next.versionSalt = versionSalt
        next.totalBytes += encoded.reduce(0) { $0 + UInt64($1.count) }
        var totalBytes = state.totalBytes
        try change(to: next) { transaction in
            try transaction.putSync(HistoryKey.file(UInt64(number)), stored.encoded)
            for form in try merged.forms() { try transaction.put(form, of: UInt64(number)) }
            for (place, bytes) in encoded.enumerated() {
                if place > 0 { try transaction.seal(uid: nil) }
                try bytes.withUnsafeBytes { try transaction.apply($0) }
                totalBytes += UInt64(bytes.count)
                let record = EntryRecord(
                    rank: merged.changesets[place].rank, remoteVersion: merged.changesets[place].remoteVersion,
                    salt: versionSalt, totalBytes: totalBytes)
                try transaction.putSyncChangeset(HistoryKey.entry(first + UInt64(place)), head: record.head)
            }
            // Whatever the file has integrated, its later changesets are on top of (M-23).
            try transaction.removeSync(
                from: HistoryKey.form(UInt64(number), 0),
                to: HistoryKey.form(UInt64(number), UInt64(stored.upload.server) + 1))
        }
    }

    // MARK: Mergers

    static let mergerLimit = 16

    /// The history after a version, but a file's own entries, in the forms that merges with the file left.
    private func merger(for number: Int64, after base: UInt64, _ snapshot: Snapshot) throws -> MergerCache {
        let cached = mergers.firstIndex { $0.file == number }.map { mergers.remove(at: $0) }
        var merger = MergerCache(file: number, base: base, through: base)
        if let cached, cached.base <= base { merger = cached }
        let isFresh = merger.through == base
        try eachEntry(after: merger.through, snapshot) { version, record in
            guard record.rank.originFileIdent != UInt64(number), !record.changeset.isEmpty else { return }
            try merger.history.append(
                HistoryEntry(
                    version: version, rank: record.rank, receivedFrom: record.rank.originFileIdent,
                    instructions: try Changeset.decode(record.changeset)))
            guard isFresh, let form = snapshot.syncRecord(HistoryKey.form(UInt64(number), version)) else { return }
            try merger.history.restore(ReciprocalForm(version: version, decoding: form), of: UInt64(number))
        }
        merger.through = state.version
        merger.history.trim(through: base)
        merger.base = base
        return merger
    }

    private func keep(_ merger: MergerCache) {
        var merger = merger
        // The entries made just now came from the file itself.
        merger.through = state.version
        mergers.append(merger)
        if mergers.count > ServerRealm.mergerLimit { mergers.removeFirst() }
    }

    func eachEntry(
        after version: UInt64, _ snapshot: Snapshot, _ body: (UInt64, EntryRecord) throws -> Void
    ) throws {
        try snapshot.eachSyncRecord(from: HistoryKey.entry(version + 1), to: HistoryKey.entry(.max)) { key, value in
            try body(HistoryKey.number(key), try EntryRecord(value))
            return true
        }
    }
}

extension ServerRealm {
    /// What a client is told of an error that ended its request. What it must not know, as paths, goes to the log.
    func failure(_ error: any Error) -> SessionFailure {
        switch error {
        case let error as ChangesetError: return SessionFailure(.badChangeset, "Bad changeset (UPLOAD): \(error)")
        case let error as MergeError: return SessionFailure(.badChangeset, "Bad changeset (UPLOAD): \(error)")
        case let error as StoreError where error.code == .badChangeset:
            return SessionFailure(.badChangeset, "Bad changeset (UPLOAD): \(error.message)")
        default:
            options.report("\(error)")
            // The connection ends and the client tries again.
            return SessionFailure(.connectionClosed, "The server can't take changes now")
        }
    }
}
