import Model
import Store

extension ServerRealm {
    /// Whether so much has come since the history was last compacted that doing it again would pay, if the clients are far
    /// enough (P-136). Cheap.
    package var isHistoryCompactionDue: Bool {
        let since = state.totalBytes - min(state.totalBytes, state.compactedAt)
        return since >= max(options.compactionBytes, state.compactedBytes)
    }

    /// Replaces the history, as far as no client file needs it any more, by the objects as they were then; what clients that
    /// were heard of in time still need stays, and so does what is younger than `HistoryOptions.compactionAge`.
    ///
    /// The time it takes is that of writing the realm's objects once, and nothing else is done to the realm meanwhile.
    /// - Returns: the bytes of changesets that the history has become shorter by; 0 if nothing was to be gained.
    @discardableResult
    package func compactHistory() throws -> UInt64 {
        let snapshot = try file.snapshot()
        guard let last = try lastDispensable(snapshot), last.version > state.baseVersion else { return 0 }
        let kept = state.totalBytes - min(state.totalBytes, last.record.totalBytes)
        let compaction = try HistoryCompaction(snapshot, through: last, file.options, path: file.path)
        var next = state
        next.compactedAt = state.totalBytes
        guard compaction.bytesAfter < compaction.bytesBefore / 2 else {
            // Most of it is worth its place. It is tried again when it has grown by half.
            next.compactedBytes = compaction.bytesBefore / 2
            try change(to: next) { _ in }
            return 0
        }
        next.baseVersion = compaction.firstVersion
        next.compactedThrough = last.version
        next.compactedBytes = compaction.bytesAfter + kept
        let files = try files(snapshot)
        try change(to: next) { transaction in
            try transaction.removeSync(from: HistoryKey.entry(0), to: HistoryKey.entry(last.version + 1))
            for (number, stored) in files {
                try transaction.removeSync(
                    from: HistoryKey.form(number, 0), to: HistoryKey.form(number, last.version + 1))
                // Should it be connected all the same, it must not be sent what it has in another form.
                guard stored.isOrdinary, hasExpired(stored) else { continue }
                var expired = stored
                expired.isOrdinary = false
                try transaction.putSync(HistoryKey.file(number), expired.encoded)
            }
            for entry in compaction.entries {
                try transaction.putSync(HistoryKey.entry(entry.version), entry.record.head + entry.record.changeset)
            }
        }
        mergers = []
        if try file.isCompactionDue() { try file.compact() }
        return compaction.bytesBefore - compaction.bytesAfter
    }

    /// The newest entry that is old enough, and that all clients which may come back are known to have.
    private func lastDispensable(_ snapshot: Snapshot) throws -> (version: UInt64, record: EntryRecord)? {
        var limit = state.version
        let now = options.now()
        for (_, stored) in try files(snapshot) where stored.isOrdinary && !hasExpired(stored) {
            limit = min(limit, UInt64(max(0, min(stored.upload.server, stored.lockedVersion))))
        }
        var found: (version: UInt64, record: EntryRecord)?
        try snapshot.eachSyncRecord(from: HistoryKey.entry(0), to: HistoryKey.entry(limit + 1)) { key, value in
            let record = try EntryRecord(value)
            // By when it was written, which is all that is known; clocks of clients that are ahead hold it back.
            guard now >= record.rank.originTimestamp, now - record.rank.originTimestamp >= options.compactionAge else {
                return false
            }
            found = (HistoryKey.number(key), record)
            return true
        }
        return found
    }

    /// Bytes that are counted in the history, but aren't there any more.
    func firstTotal(_ snapshot: Snapshot) throws -> UInt64 {
        var first: UInt64 = 0
        try snapshot.eachSyncRecord(from: HistoryKey.entry(0), to: HistoryKey.entry(.max)) { _, value in
            let record = try EntryRecord(value)
            first = record.totalBytes - min(record.totalBytes, UInt64(record.changeset.count))
            return false
        }
        return first
    }

    private func files(_ snapshot: Snapshot) throws -> [(number: UInt64, stored: ServerFile)] {
        var files: [(number: UInt64, stored: ServerFile)] = []
        try snapshot.eachSyncRecord(from: HistoryKey.file(0), to: HistoryKey.file(.max)) { key, value in
            files.append((HistoryKey.number(key), try ServerFile(value)))
            return true
        }
        return files
    }

    private func hasExpired(_ stored: ServerFile) -> Bool {
        let now = options.now()
        return now > stored.lastSeen && now - stored.lastSeen > options.maximumOfflineTime
    }

    /// Notes that a file's session has ended just now, if that matters: who is connected and quiet isn't away (P-136).
    package func heard(of number: Int64) throws {
        guard var stored = try storedFile(number, file.snapshot()) else { return }
        let now = options.now()
        guard now > stored.lastSeen, now - stored.lastSeen > options.maximumOfflineTime / 30 else { return }
        stored.lastSeen = now
        try change(to: state) { try $0.putSync(HistoryKey.file(UInt64(number)), stored.encoded) }
    }
}
