import TestSupport

@testable import Sync

/// A server realm in memory, without a merge: changesets are kept as they come.
struct MemoryHistory: ServerHistory {
    struct Entry: Hashable {
        var origin: Int64
        var originVersion: Int64
        var timestamp: Int64
        var changeset: [UInt8]
    }

    struct File: Hashable {
        var salt: Int64
        var upload = UploadCursor()
        var lockedVersion: Int64 = 0
        /// The version of the query in force, and of one that waits for its bootstrap.
        var query: Int64 = 0
        var bootstrap: Int64?
    }

    /// Version n is `entries[n - 1]`.
    private(set) var entries: [Entry] = []
    private(set) var files: [Int64: File] = [:]
    var isFlexible = false
    let salt: Int64
    private var generator: SeededGenerator

    init(seed: UInt64 = 1, isFlexible: Bool = false) {
        generator = SeededGenerator(seed: seed)
        self.isFlexible = isFlexible
        salt = Int64.random(in: 1...Int64.max, using: &generator)
        // A flexible history begins at 1 before the first client is served (F-35).
        if isFlexible { append(Entry(origin: 1, originVersion: 0, timestamp: 0, changeset: [])) }
    }

    var current: SaltedVersion {
        SaltedVersion(version: Int64(entries.count), salt: entries.isEmpty ? 0 : salt)
    }

    mutating func append(_ entry: Entry) { entries.append(entry) }

    mutating func open(_ flexible: FlexibleBind?, needsIdent: Bool) throws(SessionFailure) -> FileIdent? {
        guard needsIdent else { return nil }
        let ident = FileIdent(
            number: (files.keys.max() ?? 1) + 1, salt: Int64.random(in: 1...Int64.max, using: &generator))
        files[ident.number] = File(salt: ident.salt)
        return ident
    }

    mutating func record(
        of ident: ClientMessage.Ident
    ) throws(SessionFailure) -> (record: FileRecord?, notices: [SessionFailure]) {
        guard var file = files[ident.file.number] else { return (nil, []) }
        if let query = ident.query {
            file.query = query.version
            file.bootstrap = ident.download.server == 0 ? query.version : nil
            files[ident.file.number] = file
        }
        let latestSalt: Int64? =
            switch ident.latest.version {
            case 0: 0
            case 1...max(1, Int64(entries.count)): salt
            default: nil
            }
        return (
            FileRecord(salt: file.salt, current: current, uploaded: file.upload.client, latestSalt: latestSalt), []
        )
    }

    mutating func integrate(_ uploads: [ClientMessage.Upload], file number: Int64) throws(SessionFailure) {
        try integrate(uploads, file: number) { _, fresh in fresh.map(\.changeset) }
    }

    /// `merge` makes of changesets that weren't integrated before what is appended for them.
    mutating func integrate(
        _ uploads: [ClientMessage.Upload], file number: Int64,
        merge: (_ next: Int64, [UploadEntry]) throws(SessionFailure) -> [[UInt8]]
    ) throws(SessionFailure) {
        guard var file = files[number] else { throw SessionFailure(.badClientFileIdent, "unknown file") }
        for upload in uploads {
            let fresh = upload.entries.filter { $0.cursor.client > file.upload.client }
            let merged = try merge(current.version + 1, fresh)
            for (entry, changeset) in zip(fresh, merged) {
                append(
                    Entry(
                        origin: number, originVersion: entry.cursor.client, timestamp: entry.timestamp,
                        changeset: changeset))
                file.upload = entry.cursor
            }
            if upload.progress.client >= file.upload.client { file.upload = upload.progress }
            file.lockedVersion = max(file.lockedVersion, upload.lockedServerVersion)
        }
        files[number] = file
    }

    mutating func query(_ query: ClientMessage.Query, file: Int64) throws(SessionFailure) -> String? {
        if query.text.contains("SORT") { return "Invalid query: SORT" }
        files[file]?.query = query.version
        files[file]?.bootstrap = query.version
        return nil
    }

    mutating func batch(
        after position: DownloadCursor, file number: Int64, byteLimit: Int
    ) throws(SessionFailure) -> DownloadBatch {
        guard let file = files[number] else { throw SessionFailure(.badClientFileIdent, "unknown file") }
        var isBootstrapDue = isFlexible && file.bootstrap != nil
        if isBootstrapDue, position.server == current.version || position.server == 0 {
            append(Entry(origin: 1, originVersion: 0, timestamp: 0, changeset: []))
            isBootstrapDue = false
            files[number]?.bootstrap = nil
            let version = current.version
            let integrated = self.integrated(file: number, upTo: version)
            let cursor = DownloadCursor(server: version, client: integrated)
            return DownloadBatch(
                progress: cursor, latest: current, upload: file.upload,
                contents: .flexible(queryVersion: file.bootstrap ?? 0, batch: .lastInBatch, estimate: 1),
                entries: position.server == 0
                    ? entries.dropLast().filter { !$0.changeset.isEmpty && $0.origin != number }.map { entry in
                        DownloadEntry(
                            cursor: cursor, timestamp: entry.timestamp, originFile: 1, changeset: entry.changeset)
                    } + [DownloadEntry(cursor: cursor, timestamp: 0, originFile: 1, changeset: [])]
                    : [DownloadEntry(cursor: cursor, timestamp: 0, originFile: 1, changeset: [])])
        }
        var batch = DownloadBatch(
            progress: position, latest: current, upload: file.upload,
            contents: isFlexible
                ? .flexible(queryVersion: file.query, batch: .steadyState, estimate: 1)
                : .partition(downloadableBytes: 0))
        var bytes = 0
        var version = position.server
        while version < current.version, bytes < byteLimit {
            let entry = entries[Int(version)]
            version += 1
            if entry.origin == number || entry.changeset.isEmpty { continue }
            batch.entries.append(
                DownloadEntry(
                    cursor: DownloadCursor(server: version, client: integrated(file: number, upTo: version)),
                    timestamp: entry.timestamp, originFile: entry.origin, changeset: entry.changeset))
            bytes += entry.changeset.count
        }
        batch.progress = DownloadCursor(server: version, client: integrated(file: number, upTo: version))
        batch.hasMore = version < current.version || isBootstrapDue
        batch.isBootstrapOutstanding = isBootstrapDue
        return batch
    }

    /// The last version of the file among the first `version` entries.
    private func integrated(file: Int64, upTo version: Int64) -> Int64 {
        entries.prefix(Int(version)).last { $0.origin == file }?.originVersion ?? 0
    }
}
