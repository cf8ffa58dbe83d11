import Store

/// What became of a transaction that was made here.
package enum CommitFate: Hashable, Sendable {
    /// It isn't known to be on the server.
    case waiting
    /// The server has it, durably.
    case uploaded
    case rejected(Rejection)
    /// It was so long ago that what was rejected then isn't remembered.
    case forgotten
}

// What receipts are answered from: only what is in the file counts, so that nothing that ends a process changes an answer.
extension ClientHistory {
    /// What became of the transaction that made a version.
    package func fate(of version: UInt64) throws -> CommitFate {
        let snapshot = try file.snapshot()
        var rejection: Rejection?
        try snapshot.eachSyncRecord(
            from: HistoryKey.rejection(max(1, version)), to: HistoryKey.rejection(.max)
        ) { key, value in
            rejection = try Rejection(value, through: HistoryKey.number(key))
            return false
        }
        if let rejection, rejection.versions.contains(version) { return .rejected(rejection) }
        if try version <= forgottenRejections(snapshot) { return .forgotten }
        // They are acknowledged in their order.
        var waits = false
        try eachEntry(after: state.upload.client) { number, record in
            guard number <= Int64(version) else { return false }
            waits = !record.changeset.isEmpty
            return !waits
        }
        return waits ? .waiting : .uploaded
    }

    /// Notes, durably, that the server has left out changes. It may be said again and again.
    package func note(_ rejection: Rejection) throws {
        guard try fate(of: rejection.versions.upperBound) != .rejected(rejection) else { return }
        try write { try reject(rejection, $0) }
    }

    /// The same as a part of a transaction.
    func reject(_ rejection: Rejection, _ transaction: WriteTransaction) throws {
        let last = rejection.versions.upperBound
        try transaction.removeSync(
            from: HistoryKey.rejection(max(1, rejection.versions.lowerBound)), to: HistoryKey.rejection(last + 1))
        try transaction.putSync(HistoryKey.rejection(last), rejection.encoded)
        try forgetRejections(transaction)
    }

    /// A client reset discards everything that the server isn't known to have.
    func rejectUnsynced(since before: Snapshot, _ transaction: WriteTransaction) throws {
        var versions: ClosedRange<UInt64>?
        try eachUnsyncedVersion(before) { versions = (versions?.lowerBound ?? $0)...$0 }
        guard let versions else { return }
        try reject(Rejection(versions: versions, .reset, message: Rejection.discarded), transaction)
    }

    private func eachUnsyncedVersion(_ snapshot: Snapshot, _ body: (UInt64) -> Void) throws {
        try snapshot.eachSyncRecord(
            from: HistoryKey.entry(UInt64(max(0, state.upload.client)) + 1), to: HistoryKey.entry(.max)
        ) { key, value in
            if try !EntryRecord(value).changeset.isEmpty { body(HistoryKey.number(key)) }
            return true
        }
    }

    private func forgottenRejections(_ snapshot: Snapshot) throws -> UInt64 {
        guard let bytes = snapshot.syncRecord(HistoryKey.rejection(0)) else { return 0 }
        var reader = RecordReader(bytes)
        return try reader.number()
    }

    /// Lets the oldest go when there are too many.
    private func forgetRejections(_ transaction: WriteTransaction) throws {
        var versions: [UInt64] = []
        try file.snapshot().eachSyncRecord(
            from: HistoryKey.rejection(1), to: HistoryKey.rejection(.max)
        ) { key, _ in
            versions.append(HistoryKey.number(key))
            return true
        }
        guard versions.count >= options.keptRejections else { return }
        let last = versions[versions.count - options.keptRejections]
        var writer = RecordWriter()
        writer.append(last)
        try transaction.putSync(HistoryKey.rejection(0), writer.bytes)
        try transaction.removeSync(from: HistoryKey.rejection(1), to: HistoryKey.rejection(last + 1))
    }
}
