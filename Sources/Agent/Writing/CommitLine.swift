import EventLoop
import Store

/// The commits of a realm between LMDB and the disk, for all threads that have to do with them: the writer thread adds,
/// whoever syncs takes what can be acknowledged, the loop asks whether anything is left.
final class CommitLine: @unchecked Sendable {
    /// What has become durable.
    struct Durable: Sendable {
        var receipts: [Receipt]
        /// The newest durable snapshot; nil if there was nothing new.
        var snapshot: HeldSnapshot?
    }

    private struct State {
        var pipeline = CommitPipeline<Receipt>(version: 0)
        /// Snapshots of commits that aren't durable yet.
        var undurable: [HeldSnapshot] = []
        /// Outcomes that the loop hasn't been through with.
        var unreported = 0

        mutating func didSync(through version: UInt64) -> Durable {
            var durable = Durable(receipts: pipeline.didSync(through: version))
            let count = undurable.prefix { $0.version <= pipeline.durable }.count
            if count > 0 { durable.snapshot = undurable[count - 1] }
            undurable.removeFirst(count)
            unreported += 1
            return durable
        }
    }

    private let state = Lock(State())

    /// Everything up to the snapshot is on disk.
    func open(at snapshot: HeldSnapshot) {
        state.withLock { $0.pipeline = CommitPipeline(version: snapshot.version) }
    }

    /// LMDB has committed what the snapshot shows. Then it is to be brought to disk.
    func didCommit(_ snapshot: HeldSnapshot, _ receipts: [Receipt]) {
        state.withLock { state in
            // Only the newest is going to be announced, and the one that a sync under way covers.
            if let last = state.undurable.last, last.version != state.pipeline.syncing { state.undurable.removeLast() }
            state.undurable.append(snapshot)
            for receipt in receipts { state.pipeline.didCommit(snapshot.version, receipt) }
            if receipts.isEmpty { state.pipeline.didCommit(snapshot.version, nil) }
        }
    }

    /// What can be acknowledged without a sync: transactions that found nothing to change.
    func takeDurable() -> Durable? {
        state.withLock { state in
            guard state.pipeline.durable >= state.pipeline.committed, !state.undurable.isEmpty else { return nil }
            return state.didSync(through: state.pipeline.durable)
        }
    }

    /// The version to sync through; nil if there is nothing to sync, or a sync is running, whose thread asks again.
    func beginSync() -> UInt64? {
        state.withLock { $0.pipeline.beginSync() }
    }

    /// A sync has ended. When the loop is through with what this returns: `didReport`.
    func didSync(through version: UInt64) -> Durable {
        state.withLock { $0.didSync(through: version) }
    }

    /// Syncing failed: nothing that waits can be promised any more.
    func fail() -> [Receipt] {
        state.withLock { state in
            state.unreported += 1
            return state.pipeline.fail()
        }
    }

    /// The loop has been through with an outcome.
    func didReport() {
        state.withLock { $0.unreported -= 1 }
    }

    /// Whether everything is on disk, or can't be brought there, and the loop knows it.
    var isQuiet: Bool {
        state.withLock { $0.pipeline.isSettled && $0.unreported == 0 }
    }

    /// The host closes: snapshots are let go.
    func close() {
        state.withLock { $0.undurable = [] }
    }
}
