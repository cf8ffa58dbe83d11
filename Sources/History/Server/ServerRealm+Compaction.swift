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
        let before = try firstTotal(snapshot)
        // The last compaction's entries are part of what is replaced: it should be worth the while.
        guard last.record.totalBytes - min(before, last.record.totalBytes) > 2 * state.compactedBytes else { return 0 }
        let compaction = try HistoryCompaction(snapshot, through: last, file.options, path: file.path)
        guard compaction.bytesAfter < compaction.bytesBefore else { return 0 }
        var next = state
        next.baseVersion = last.version
        next.compactedAt = state.totalBytes
        next.compactedBytes = compaction.bytesAfter + kept
        let files = try idents(snapshot)
        try change(to: next) { transaction in
            try transaction.removeSync(from: HistoryKey.entry(0), to: HistoryKey.entry(last.version + 1))
            for number in files {
                try transaction.removeSync(
                    from: HistoryKey.form(number, 0), to: HistoryKey.form(number, last.version + 1))
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
        try eachFile(snapshot) { _, stored in
            guard stored.isOrdinary, now < stored.lastSeen || now - stored.lastSeen <= options.maximumOfflineTime else {
                return
            }
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

    private func idents(_ snapshot: Snapshot) throws -> [UInt64] {
        var idents: [UInt64] = []
        try eachFile(snapshot) { ident, _ in idents.append(ident) }
        return idents
    }

    private func eachFile(_ snapshot: Snapshot, _ body: (UInt64, ServerFile) throws -> Void) throws {
        try snapshot.eachSyncRecord(from: HistoryKey.file(0), to: HistoryKey.file(.max)) { key, value in
            try body(HistoryKey.number(key), try ServerFile(value))
            return true
        }
    }
}
