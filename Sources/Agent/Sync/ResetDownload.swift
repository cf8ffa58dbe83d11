import EventLoop
import History
import Sync
import Wire

/// The download of the server's state for a client reset: a session of its own, into a file beside the realm's.
@LoopActor
final class ResetDownload {
    /// What came of it.
    enum Outcome {
        /// Everything is there, and the session has left.
        case complete
        /// The app went from partitions to flexible sync, or back, meanwhile.
        case turned
        case failed(String)
    }

    private let host: RealmHost
    private var link: SyncLink?
    private var session: Int64?
    /// Called once.
    private var completion: (@LoopActor (Outcome) -> Void)?
    private var isComplete = false

    init(_ host: RealmHost) { self.host = host }

    func begin(
        _ fresh: RealmWriter.SessionState, _ link: SyncLink, completion: @escaping @LoopActor (Outcome) -> Void
    ) {
        self.completion = completion
        self.link = link
        let session = link.add(
            self, state: fresh.file, path: fresh.binding.path, queries: fresh.queries, uploads: false)
        self.session = session
        link.awaitDownload(session) { [weak self] isDone in
            guard let self, self.session == session else { return }
            guard isDone else { return end(.failed("the server's state wasn't downloaded")) }
            // What subscriptions ask for comes after the first download.
            if fresh.queries.active == nil { finish() }
        }
    }

    private func finish() {
        guard let session, !isComplete else { return }
        isComplete = true
        link?.remove(session, telling: true)
    }

    /// The reset doesn't happen.
    func cancel() {
        completion = nil
        leave()
    }

    private func leave() {
        if let session { link?.remove(session) }
        session = nil
    }

    private func end(_ outcome: Outcome) {
        let completion = self.completion
        self.completion = nil
        leave()
        completion?(outcome)
    }

    /// Does something to the fresh file's history; what it returns is to be asked for.
    private func change(_ body: @escaping @Sendable (ClientReset) throws -> (query: PendingQuery?, isComplete: Bool)) {
        host.writer.perform { writer in
            guard let reset = writer.reset else { return }
            let outcome = Result { try body(reset) }
            EventLoop.shared.post {
                switch outcome {
                case .failure(let error): self.end(.failed("\(error)"))
                case .success((let query?, _)): if let session = self.session { self.link?.subscribed(session, query) }
                case .success((nil, let isComplete)): if isComplete { self.finish() }
                }
            }
        }
    }
}

extension ResetDownload: SyncedFile {
    func answer(_ work: StoreRequest.Work, completion: @escaping @Sendable @LoopActor (StoreAnswer) -> Void) {
        host.writer.perform { writer in
            let answer: StoreAnswer
            do {
                answer = try writer.reset?.fresh?.history?.answer(work) ?? .failed(.otherSessionError, "no fresh file")
            } catch {
                answer = .failed(.otherSessionError, "\(error)")
            }
            EventLoop.shared.post { completion(answer) }
        }
    }

    func didReport(_ report: SyncReport) {
        guard report.isFatal else { return }
        end(report.status == .wrongSyncType ? .turned : .failed(report.message))
    }

    // it can't be helped by another one.
    func needsReset(_ report: SyncReport, partitionQuery: String?) {
        host.writer.perform { writer in writer.giveUpReset(report) }
        let isTurn = report.action == .migrateToFlexible || report.action == .revertToPartition
        end(isTurn ? .turned : .failed("the server's state can't be downloaded: \(report.message)"))
    }

    func didProgress(_ download: ServerMessage.Download) {}

    func didCatchUp() {
        change { reset in
            try reset.fresh?.history?.caughtUp()
            return (try reset.nextFreshQuery(), reset.hasFreshSubscriptions && reset.isFreshComplete)
        }
    }

    func didFailQuery(_ version: Int64, _ message: String) {
        change { reset in
            guard let query = try reset.freshQueryFailed(version: version, message: message) else {
                throw ClientResetFailure(.noFreshFile, message)
            }
            return (query, false)
        }
    }

    func didBind() { discardBootstrap() }

    func didDisconnect() { discardBootstrap() }

    private func discardBootstrap() {
        change { reset in
            try reset.fresh?.history?.disconnected()
            return (nil, false)
        }
    }

    func didEnd() {
        session = nil
        guard isComplete, let completion else { return }
        self.completion = nil
        completion(.complete)
    }
}
