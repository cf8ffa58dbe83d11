import Merge
import Model
import Store
import Sync

/// What flexible sync adds to a client's history: bootstraps, and what becomes of sets of subscriptions.
extension ClientHistory {
    /// The session has caught up: a set that waited for its MARK is complete (F-25).
    package func caughtUp() throws { try subscriptions?.caughtUp() }

    /// The server has refused a set of subscriptions (F-8).
    package func queryFailed(version: Int64, message: String) throws { try subscriptions?.failed(version, message) }

    /// The connection is lost: the parts of a bootstrap that wait for the last one are of no use any more, and will be
    /// asked for again (F-42).
    package func disconnected() throws {
        guard let subscriptions, let version = try storedBootstrap(file.snapshot()) else { return }
        try change(to: state) { transaction in
            try forgetBootstrap(transaction)
            subscriptions.bootstrapIsDiscarded(version)
        }
    }

    /// Stores a part of a bootstrap, or, with the last one, applies it whole (F-40 to F-43).
    func integrate(_ download: ServerMessage.Download, version: Int64, isLast: Bool) throws -> StoreAnswer {
        guard let subscriptions, let set = subscriptions[version], set.state != .error else {
            return .failed(.otherSessionError, "a bootstrap for subscriptions \(version), which aren't there")
        }
        guard isLast else {
            try change(to: state) { try store(download.entries, of: version, in: $0) }
            return .stored(newestVersion: newestVersion)
        }
        return try catchingBadChangesets {
            var history = try pending()
            let snapshot = try file.snapshot()
            try change(to: state.advanced(by: download)) { transaction in
                if try storedBootstrap(snapshot) == version {
                    try snapshot.eachSyncRecord(
                        from: HistoryKey.bootstrap(1), to: HistoryKey.bootstrap(.max)
                    ) { _, value in
                        try apply([DownloadEntry](stored: value), &history, transaction)
                        return true
                    }
                }
                try apply(download.entries, &history, transaction)
                try forgetBootstrap(transaction)
                try forget(through: UInt64(download.progress.client), transaction)
                subscriptions.bootstrapIsApplied(version)
            }
            history.trim(through: UInt64(download.progress.client))
            merger = (history, file.version)
            return .stored(newestVersion: newestVersion)
        }
    }

    /// Merges and applies what is one part of a whole: each entry makes a version, all become visible together.
    private func apply(
        _ entries: [DownloadEntry], _ history: inout MergeHistory, _ transaction: WriteTransaction
    ) throws {
        let merged = try history.merge(try entries.map { try RemoteChangeset($0) }, from: ClientHistory.server)
        for form in try merged.forms() { try transaction.put(form, of: ClientHistory.server) }
        for changeset in merged.changesets where !changeset.instructions.isEmpty {
            let bytes = try Changeset.encode(changeset.instructions)
            try bytes.withUnsafeBytes { try transaction.apply($0) }
            try transaction.seal(uid: nil)
        }
        history.adopt(merged)
    }

    // MARK: Parts

    /// The version of the set whose bootstrap is under way.
    private func storedBootstrap(_ snapshot: Snapshot) throws -> Int64? {
        try snapshot.syncRecord(HistoryKey.bootstrap(0)).map { bytes in
            var reader = RecordReader(bytes)
            return try reader.number()
        }
    }

    private func store(_ entries: [DownloadEntry], of version: Int64, in transaction: WriteTransaction) throws {
        let snapshot = try file.snapshot()
        var part: UInt64 = 1
        let stored = try storedBootstrap(snapshot)
        if stored == version {
            let last = try snapshot.lastSyncRecord(from: HistoryKey.bootstrap(0), below: HistoryKey.bootstrap(.max))
            part = last.map { HistoryKey.number($0.key) + 1 } ?? 1
        } else {
            try forgetBootstrap(transaction)
            if let stored { subscriptions?.bootstrapIsDiscarded(stored) }
            var writer = RecordWriter()
            writer.append(version)
            try transaction.putSync(HistoryKey.bootstrap(0), writer.bytes)
            subscriptions?.bootstrapBegins(version)
        }
        try transaction.putSync(HistoryKey.bootstrap(part), entries.stored)
    }

    func forgetBootstrap(_ transaction: WriteTransaction) throws {
        try transaction.removeSync(from: HistoryKey.bootstrap(0), to: HistoryKey.bootstrap(.max))
    }
}

extension RemoteChangeset {
    /// What came from the server, ready to be merged.
    init(_ entry: DownloadEntry) throws {
        self.init(
            remoteVersion: UInt64(entry.cursor.server), lastIntegratedVersion: UInt64(entry.cursor.client),
            rank: Rank(originTimestamp: UInt64(entry.timestamp), originFileIdent: UInt64(entry.originFile)),
            instructions: try Changeset.decode(entry.changeset))
    }
}

extension [DownloadEntry] {
    /// The entries as a record.
    fileprivate var stored: [UInt8] {
        var writer = RecordWriter()
        writer.append(UInt32(count))
        for entry in self {
            for number in [
                entry.cursor.server, entry.cursor.client, entry.timestamp, entry.originFile, entry.originalSize
            ] { writer.append(number) }
            writer.append(counted: entry.changeset)
        }
        return writer.bytes
    }

    fileprivate init(stored bytes: UnsafeRawBufferPointer) throws {
        var reader = RecordReader(bytes)
        self = []
        for _ in 0..<(try reader.number(UInt32.self)) {
            let cursor = DownloadCursor(server: try reader.number(), client: try reader.number())
            append(
                DownloadEntry(
                    cursor: cursor, timestamp: try reader.number(), originFile: try reader.number(),
                    originalSize: try reader.number(), changeset: try reader.counted()))
        }
    }
}
