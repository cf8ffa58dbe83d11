import EventLoop
import Foundation
import Store
import Synchronization
import Wire

// From LMDB's commit to the answer. The threads that commit and sync answer by themselves; the loop hears of it.
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
        let commits = writer.countCommits(snapshot.version, receipts.count)
        writer.line.didCommit(snapshot, receipts)
        if syncs {
            // Whoever comes to write now waits for this thread anyway: the loop may learn of both at once.
            EventLoop.shared.leave { self.didCommit(snapshot, commits) }
            if !bringToDisk(writer, writer.encoder) { EventLoop.shared.post {} }
        } else {
            EventLoop.shared.post { self.didCommit(snapshot, commits) }
            writer.performSync { writer in _ = self.bringToDisk(writer, writer.syncEncoder) }
        }
    }

    /// The next writer may go on: its client works while the disk does.
    private func didCommit(_ snapshot: HeldSnapshot, _ commits: Int) {
        counters.commits += UInt64(commits)
        follow(snapshot)
        turnEnded()
        relieve()
    }

    private func follow(_ snapshot: HeldSnapshot) {
        if let newest, snapshot.hold <= newest.hold { return }
        newest = snapshot
    }

    /// Syncs what has been committed and answers those who wait for it, again until nothing is left. Either thread.
    /// False if there was nothing to do, or another thread is at it.
    private nonisolated func bringToDisk(_ writer: RealmWriter, _ encoder: FrameEncoder) -> Bool {
        var didReport = false
        if let durable = writer.line.takeDurable() {
            answer(durable, encoder)
            didReport = true
        }
        while let version = writer.line.beginSync() {
            didReport = true
            switch writer.sync(through: version) {
            case .success(let version): answer(writer.line.didSync(through: version), encoder)
            case .failure(let error):
                let receipts = writer.line.fail()
                EventLoop.shared.post { self.didFailToSync(error, receipts) }
                return true
            }
        }
        return didReport
    }

    private nonisolated func answer(_ durable: CommitLine.Durable, _ encoder: FrameEncoder) {
        guard let snapshot = durable.snapshot else {
            return EventLoop.shared.post { self.didSync(nil, []) }
        }
        let receipts = durable.receipts
        if hasListeners.load(ordering: .relaxed) {
            // Others wait for the news: the loop can tell them while this thread answers.
            EventLoop.shared.post { self.willAnswer(receipts, snapshot) }
        } else {
            EventLoop.shared.leave { self.willAnswer(receipts, snapshot) }
        }
        let answered = receipts.map { receipt -> (Receipt, DirectOutlet.Outcome) in
            guard let direct = receipt.direct else { return (receipt, .refused) }
            let reply = WriteCommitReply(
                version: snapshot.version, pin: direct.pin, generation: Int64(snapshot.generation), own: receipt.own)
            let outcome = try? encoder.result(reply, id: direct.id) { direct.outlet.send($0) }
            return (receipt, outcome ?? .refused)
        }
        EventLoop.shared.post { self.didSync(snapshot, answered) }
    }

    /// Everything that the snapshot shows is on disk; those who made it are being answered.
    private func willAnswer(_ receipts: [Receipt], _ snapshot: HeldSnapshot) {
        for receipt in receipts { receipt.direct?.prepare(snapshot) }
        follow(snapshot)
        // Two threads report; what the later one made durable may come first.
        if durable.map({ $0.hold < snapshot.hold }) ?? true { durable = snapshot }
        // Who has been answered may ask at once whether it is uploaded.
        sync?.committed(snapshot.version)
        announce()
    }

    private func didSync(_ snapshot: HeldSnapshot?, _ answered: [(Receipt, DirectOutlet.Outcome)]) {
        counters.syncs += 1
        if let snapshot {
            for (receipt, outcome) in answered { receipt.succeed(snapshot, receipt.own, outcome) }
        }
        // Now also those who waited for an answer, unless that has told them.
        announce()
        let listens = handles.count > 1 || handles.first.map { !$0.session.subscriptions.isEmpty } ?? false
        hasListeners.store(listens, ordering: .relaxed)
        considerCheckpoint()
        considerCompaction()
        if counters.syncs % Self.historyInterval == 0 { keepHistory() }
        didReport()
    }

    private func didFailToSync(_ error: WireError, _ receipts: [Receipt]) {
        // Nobody knows what is on disk after a failed sync: nothing more is promised for this opening of the file.
        syncFailure = error
        AgentLog.write("\(path): commits could not be brought to disk: \(error)")
        for receipt in receipts { receipt.fail(error) }
        didReport()
    }

    private func didReport() {
        writer.line.didReport()
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
