import EventLoop
import History
import Store
import Sync

/// How the sync endpoint works, and what it allows.
package struct SyncOptions: Sendable {
    /// Of one connection.
    package var limits = ServerLimits()
    /// Connections at a time; more are ended, and their clients try again.
    package var connections = 20_000
    /// Realms in use at a time.
    package var openRealms = 2_000
    /// How long a realm without sessions stays open.
    package var realmIdle: Duration = .seconds(30)
    /// How often it is tried, at most, to compact the history of a realm.
    package var compactionInterval: Duration = .seconds(60)
    /// How long a connection outlives its access token (P-129).
    package var tokenGrace: Duration = .seconds(300)
    /// Bytes that wait for a client which reads slowly; nothing more is fetched for it meanwhile.
    package var unsent = WriteLimits(high: 256 << 10, low: 64 << 10)
    package var file = RealmFileOptions()
    package var history = HistoryOptions()
    package var threads = StoreThreads.pool
    /// What a user may do with a partition (P-48); everything by default.
    package var access: @LoopActor (SyncPeer, PartitionValue) -> PartitionAccess = { _, _ in .write }

    /// What an app of flexible sync allows; nil: it is synced by partition, as all are by default.
    package var flexible: @LoopActor (_ app: String) -> FlexibleConfiguration? = { _ in nil }

    package init() {}
}
