@testable import Sync

/// A client file in memory, without a merge: what is received is kept as it comes.
struct MemoryFile {
    struct Entry: Hashable {
        var version: Int64
        var isLocal: Bool
        var changeset: [UInt8]
        var timestamp: Int64
        /// The last server version integrated with or before it.
        var serverVersion: Int64
    }

    private(set) var state = ClientFile(newestVersion: 1)
    private(set) var entries: [Entry] = []
    /// Changesets of others, as they were integrated.
    private(set) var received: [[UInt8]] = []
    /// The parts of a bootstrap that isn't complete.
    private var bootstrap: [[UInt8]] = []
    /// Sets of subscriptions whose bootstrap was applied.
    private(set) var activeQuery: Int64 = 0
    /// What integration is to fail with.
    var fault: (code: SyncErrorCode, message: String)?

    @discardableResult
    mutating func commit(_ changeset: [UInt8], timestamp: Int64 = 1000) -> Int64 {
        append(isLocal: true, changeset, timestamp: timestamp)
        return state.newestVersion
    }

    private mutating func append(isLocal: Bool, _ changeset: [UInt8], timestamp: Int64 = 0) {
        state.newestVersion += 1
        entries.append(
            Entry(
                version: state.newestVersion, isLocal: isLocal, changeset: changeset, timestamp: timestamp,
                serverVersion: state.download.server))
    }

    /// The connection is gone: parts of a bootstrap are of no use (F-42).
    mutating func disconnected() { bootstrap = [] }

    var local: [[UInt8]] { entries.filter { $0.isLocal && !$0.changeset.isEmpty }.map(\.changeset) }

    mutating func answer(_ work: StoreRequest.Work) -> StoreAnswer {
        switch work {
        case .saveIdent(let ident):
            state.ident = ident
            state.download.client = 0
            state.upload.client = 0
            append(isLocal: false, [])
            return .stored(newestVersion: state.newestVersion)
        case .scan(let after, let end, let softBytes, let hardBytes):
            return scan(after, end, softBytes, hardBytes)
        case .integrate(let download): return integrate(download)
        case .nextUploadable(let version):
            return .uploadable(
                entries.first { $0.version > version && $0.isLocal && !$0.changeset.isEmpty }?.version)
        }
    }

    private func scan(_ after: UploadCursor, _ end: Int64, _ softBytes: Int, _ hardBytes: Int) -> StoreAnswer {
        var uploads: [UploadEntry] = []
        var reached = after
        var bytes = 0
        for entry in entries where entry.version > after.client && entry.version <= end {
            if entry.isLocal, !entry.changeset.isEmpty {
                if !uploads.isEmpty, bytes + entry.changeset.count > hardBytes || bytes >= softBytes { break }
                uploads.append(
                    UploadEntry(
                        cursor: UploadCursor(client: entry.version, server: entry.serverVersion),
                        timestamp: entry.timestamp, changeset: entry.changeset))
                bytes += entry.changeset.count
            }
            reached = UploadCursor(client: entry.version, server: entry.serverVersion)
        }
        return .scanned(uploads, reached: reached)
    }

    private mutating func integrate(_ download: ServerMessage.Download) -> StoreAnswer {
        if let fault { return .failed(fault.code, fault.message) }
        let changesets = download.entries.map(\.changeset).filter { !$0.isEmpty }
        if case .flexible(let version, let batch, _) = download.contents, batch != .steadyState {
            bootstrap += changesets
            guard batch == .lastInBatch else { return .stored(newestVersion: state.newestVersion) }
            received += bootstrap
            bootstrap = []
            activeQuery = version
        } else {
            received += changesets
        }
        state.download = download.progress
        state.latest = download.latest
        state.upload = download.upload
        append(isLocal: false, [])
        return .stored(newestVersion: state.newestVersion)
    }
}
