import EventLoop
import Foundation
import Store
import Wire

// From LMDB's commit to the answer.
extension RealmHost {
    /// On the writer thread, after a turn: takes the snapshot that the turn left, brings it to disk itself if `syncs`
    /// (nobody waits to write, and a thread less to wake), and tells the loop.
    nonisolated func report(_ receipts: [Receipt], from writer: RealmWriter, syncs: Bool) {
        let snapshot: HeldSnapshot
        do {
            snapshot = try writer.snapshot()
        } catch {
            let failure = WireError(reporting: error, path: path)
            EventLoop.shared.post {
                AgentLog.write("\(self.path): a commit can't be read: \(failure)")
                for receipt in receipts { receipt.lose(failure) }
                self.relieve()
                self.turnEnded()
            }
            return
        }
        guard syncs else {
            EventLoop.shared.post { self.didCommit(snapshot, receipts, synced: nil) }
            return
        }
        let outcome = writer.sync(through: snapshot.version)
        EventLoop.shared.post { self.didCommit(snapshot, receipts, synced: outcome) }
    }

    private func didCommit(_ snapshot: HeldSnapshot, _ receipts: [Receipt], synced: Result<UInt64, WireError>?) {
        if snapshot.version != newest?.version { counters.commits += UInt64(max(1, receipts.count)) }
        if snapshot.generation != newest?.generation { didReplaceFile() }
        newest = snapshot
        // Only the newest is going to be announced, and the one that a sync under way covers.
        if let last = undurable.last, last.version != pipeline.syncing { undurable.removeLast() }
        undurable.append(snapshot)
        for receipt in receipts { pipeline.didCommit(snapshot.version, receipt) }
        if receipts.isEmpty, snapshot.version > pipeline.committed {
            pipeline.didCommit(snapshot.version, Receipt(succeed: { _ in }, fail: { _ in }))
        }
        // The next writer first: its client works while the disk does.
        turnEnded()
        if let synced {
            didSync(synced)
        } else if pipeline.durable >= pipeline.committed {
            didSync(.success(pipeline.durable))
        } else {
            startSync()
        }
        relieve()
    }

    private func startSync() {
        guard let version = pipeline.beginSync() else { return }
        writer.performSync { writer in
            let outcome = writer.sync(through: version)
            EventLoop.shared.post {
                self.didSync(outcome)
                self.startSync()
            }
        }
    }

    private func didSync(_ outcome: Result<UInt64, WireError>) {
        switch outcome {
        case .success(let version):
            counters.syncs += 1
            let receipts = pipeline.didSync(through: version)
            while let first = undurable.first, first.version <= pipeline.durable {
                durable = first
                undurable.removeFirst()
            }
            if let durable { for receipt in receipts { receipt.succeed(durable) } }
            announce()
            considerCheckpoint()
            considerCompaction()
            if counters.syncs % Self.historyInterval == 0 { keepHistory() }
        case .failure(let error):
            // Nobody knows what is on disk after a failed sync: nothing more is promised for this opening of the file.
            syncFailure = error
            AgentLog.write("\(path): commits could not be brought to disk: \(error)")
            for receipt in pipeline.fail() { receipt.fail(error) }
        }
        if isDraining { server.checkDrained() }
        closeIfUnused()
    }
}

extension RealmHost {
    /// Syncs after which the file is told anew which history is wanted.
    private static let historyInterval: UInt64 = 64

    /// Change summaries are kept for those who read an older version and will ask what has changed since.
    private func keepHistory() {
        let subscribed = handles.lazy.flatMap { $0.session.subscriptions.values }.filter { $0.handle.host === self }
            .map(\.knownVersion)
        let versions = [pins.oldest?.hold.version, subscribed.min(), durable?.version].compactMap { $0 }
        if let oldest = versions.min() { writer.file?.keepChanges(after: oldest) }
    }

    /// Bounds what a recovery has to replay, and which pages wait for it, beside the commits that go on.
    private func considerCheckpoint() {
        guard !isCheckpointing, let file = writer.file, file.isCheckpointDue else { return }
        isCheckpointing = true
        // Closing waits for it: it would take another one.
        guests += 1
        // Not on the sync thread, which has commits to acknowledge meanwhile.
        server.pool.perform {
            let outcome = Result { try file.checkpoint() }
            EventLoop.shared.post {
                self.isCheckpointing = false
                if case .failure(let error) = outcome { AgentLog.write("\(self.path): no checkpoint: \(error)") }
                self.leave()
            }
        }
    }
}

extension RealmWriter {
    /// Brings everything committed up to `version` to disk. Either thread.
    func sync(through version: UInt64) -> Result<UInt64, WireError> {
        Result { () throws(WireError) in
            do {
                try openFile().makeDurable(through: version)
            } catch {
                throw WireError(reporting: error)
            }
            return version
        }
    }
}
