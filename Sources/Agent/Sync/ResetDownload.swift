import EventLoop
import History
import Sync
import Wire

/// The download of the server's state for a client reset: a session of its own, into a file beside the realm's.
@LoopActor
final class ResetDownload {
    private let host: RealmHost
    private let link: SyncLink
    private let path: String
    private var session: Int64?
    /// Called once: nil when everything is there and the session has left.
    private var completion: (@LoopActor (WireError?) -> Void)?
    private var isComplete = false

    init(_ host: RealmHost, _ link: SyncLink, path: String) {
        self.host = host
        self.link = link
        self.path = path
    }

    func begin(
        _ file: ClientFile, _ queries: SessionQueries, completion: @escaping @LoopActor (WireError?) -> Void
    ) {
        self.completion = completion
        let session = link.add(self, state: file, path: path, queries: queries, uploads: false)
        self.session = session
        link.awaitDownload(session) { [weak self] isDone in
            guard let self, self.session == session else { return }
            guard isDone else { return fail("the server's state wasn't downloaded") }
            // What subscriptions ask for comes after the first download.
            if queries.active == nil { finish() }
        }
    }

    private func finish() {
        guard let session, !isComplete else { return }
        isComplete = true
        link.remove(session, telling: true)
    }

    /// The reset doesn't happen.
    func cancel() {
        completion = nil
        leave()
    }

    private func leave() {
        if let session { link.remove(session) }
        session = nil
    }

    private func fail(_ message: String) {
        let completion = self.completion
        self.completion = nil
        leave()
        completion?(WireError(.syncFailed, message, facts: ["path": .string(host.path)]))
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

    func didReport(_ report: SyncReport) { if report.isFatal { fail(report.message) } }

    // it can't be helped by another one.
    func needsReset(_ report: SyncReport) { fail(report.message) }

    func didProgress(_ download: ServerMessage.Download) {}

    func didCatchUp() {
        host.writer.perform { writer in
            let history = writer.reset?.fresh?.history
            let outcome = Result { try history?.caughtUp() }
            let isComplete = history?.subscriptions?.latest.state == .complete
            EventLoop.shared.post {
                if case .failure(let error) = outcome { return self.fail("\(error)") }
                if isComplete { self.finish() }
            }
        }
    }

    func didFailQuery(_ version: Int64, _ message: String) { fail(message) }

    func didBind() { discardBootstrap() }

    func didDisconnect() { discardBootstrap() }

    private func discardBootstrap() {
        host.writer.perform { writer in
            let outcome = Result { try writer.reset?.fresh?.history?.disconnected() }
            if case .failure(let error) = outcome { EventLoop.shared.post { self.fail("\(error)") } }
        }
    }

    func didEnd() {
        session = nil
        guard isComplete, let completion else { return }
        self.completion = nil
        completion(nil)
    }
}
