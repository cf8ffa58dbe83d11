import Model
import Store
import Sync

extension ServerRealm {
    /// The history after a position, without entries of the file itself and without empty ones (P-66).
    package func batch(
        after position: DownloadCursor, file number: Int64, byteLimit: Int
    ) throws(SessionFailure) -> DownloadBatch {
        do {
            let snapshot = try file.snapshot()
            guard let stored = try storedFile(number, snapshot) else {
                throw SessionFailure(.badClientFileIdent, "Bad client file identifier")
            }
            guard stored.isOrdinary else {
                throw SessionFailure(.clientFileExpired, "The client was offline for too long (DOWNLOAD)")
            }
            var progress = position
            var entries: [DownloadEntry] = []
            var bytes = 0
            try snapshot.eachSyncRecord(
                from: HistoryKey.entry(UInt64(position.server) + 1), to: HistoryKey.entry(.max)
            ) { key, value in
                let record = try EntryRecord(value)
                if record.rank.originFileIdent == UInt64(number) {
                    progress.client = Int64(record.remoteVersion)
                } else if !record.changeset.isEmpty {
                    guard entries.isEmpty || bytes + record.changeset.count <= byteLimit else { return false }
                    bytes += record.changeset.count
                    entries.append(
                        DownloadEntry(
                            cursor: DownloadCursor(server: Int64(HistoryKey.number(key)), client: progress.client),
                            timestamp: Int64(record.rank.originTimestamp),
                            originFile: Int64(record.rank.originFileIdent), changeset: record.changeset))
                }
                progress.server = Int64(HistoryKey.number(key))
                return true
            }
            let sent =
                try progress.server == 0
                ? firstTotal(snapshot) : entry(UInt64(progress.server), snapshot)?.totalBytes ?? 0
            let left = state.totalBytes > sent ? state.totalBytes - sent : 0
            return DownloadBatch(
                progress: progress, latest: SaltedVersion(version: version, salt: Int64(state.versionSalt)),
                upload: stored.upload, contents: .partition(downloadableBytes: Int64(left)), entries: entries,
                hasMore: progress.server < version)
        } catch let failure as SessionFailure {
            throw failure
        } catch {
            throw self.failure(error)
        }
    }
}
