/// Commits between LMDB and the disk: who may be told of which version.
///
/// A commit is acknowledged, and its version announced, only when a sync that began after it has ended; one sync
/// covers every commit before it. Acknowledgements leave in order of versions. Pure.
struct CommitPipeline<Receipt> {
    private struct Pending {
        var version: UInt64
        var receipt: Receipt
    }

    private var pending: [Pending] = []
    /// Newest version that LMDB has.
    private(set) var committed: UInt64
    /// Newest version that is on disk.
    private(set) var durable: UInt64
    /// What the running sync covers.
    private(set) var syncing: UInt64?

    /// Whether a sync has failed.
    private var hasFailed = false

    /// Everything up to `version` is on disk.
    init(version: UInt64) {
        committed = version
        durable = version
    }

    /// Commits that wait for a sync.
    var count: Int { pending.count }
    var isDurable: Bool { durable >= committed && pending.isEmpty }
    /// Whether nobody waits for the disk: everything is there, or can't be brought there any more.
    var isSettled: Bool { pending.isEmpty && syncing == nil && (durable >= committed || hasFailed) }

    /// LMDB has committed `version`. Versions don't fall; the receipt of an empty transaction names one that exists.
    mutating func didCommit(_ version: UInt64, _ receipt: Receipt?) {
        precondition(version >= committed, "version \(version) committed after \(committed)")
        committed = version
        if let receipt { pending.append(Pending(version: version, receipt: receipt)) }
    }

    /// The version to sync through, if there is something to sync and no sync is running.
    mutating func beginSync() -> UInt64? {
        guard syncing == nil, durable < committed else { return nil }
        syncing = committed
        return committed
    }

    /// A sync has ended. Returns what may be acknowledged now, in order.
    mutating func didSync(through version: UInt64) -> [Receipt] {
        if syncing.map({ $0 <= version }) ?? false { syncing = nil }
        durable = max(durable, version)
        let ready = pending.prefix { $0.version <= durable }
        pending.removeFirst(ready.count)
        return ready.map(\.receipt)
    }

    /// Syncing failed: nothing that waits can be promised any more.
    mutating func fail() -> [Receipt] {
        syncing = nil
        hasFailed = true
        defer { pending = [] }
        return pending.map(\.receipt)
    }
}
