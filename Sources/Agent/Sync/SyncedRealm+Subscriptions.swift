import EventLoop
import History
import Sync
import Wire

// Flexible sync: sets of subscriptions, and what the server says of them.
extension SyncedRealm {
    /// Somebody who waits for what becomes of a set.
    struct SetWait {
        var version: Int64
        var responder: Responder
    }

    /// Runs what may change the state of sets in its turn to write, tells those who wait for it, and calls back: all of
    /// that is on disk then, and the realm's clients know the version that has it.
    func changeSets<Value: Sendable>(
        _ body: @escaping @Sendable (RealmWriter) throws -> Value,
        completion: @escaping @Sendable @LoopActor (Result<Value, WireError>) -> Void
    ) {
        host.exclusively(
            { writer in
                defer { writer.changedSets = [] }
                let value = try body(writer)
                return (value, writer.changedSets)
            },
            completion: { outcome in
                if case .success((_, let sets)) = outcome { for set in sets { self.didChange(set) } }
                completion(outcome.map { $0.0 })
            })
    }

    /// A set has come to another state, or is new.
    func didChange(_ set: SubscriptionSet) {
        let state = SubscriptionsState(set.state)
        for handle in host.handles where handle.events {
            handle.session.send(
                event: SubscriptionsChanged(
                    realm: handle.number, version: set.version, state: state, error: set.error))
        }
        guard state.isFinal else { return }
        let done = setWaits.filter { $0.version == set.version }
        setWaits.removeAll { $0.version == set.version }
        for wait in done { wait.responder.succeed(SubscriptionsWaitReply(state: state, error: set.error)) }
    }

    /// Answers once it is known what becomes of a set.
    func wait(for version: Int64, _ responder: Responder) {
        host.writer.perform { writer in
            let sets = writer.history?.subscriptions
            let state = SubscriptionsState(sets?.state(of: version) ?? .superseded)
            let error = sets?[version]?.error
            EventLoop.shared.post {
                if state.isFinal {
                    responder.succeed(SubscriptionsWaitReply(state: state, error: error))
                } else if let report = self.lastError, report.isFatal {
                    responder.fail(self.failure(report))
                } else if self.isStopped {
                    responder.fail(self.failure(nil))
                } else {
                    // Who has gone meanwhile takes no answer.
                    self.setWaits.removeAll { !$0.responder.session.isOpen }
                    self.setWaits.append(SetWait(version: version, responder: responder))
                }
            }
        }
    }

    /// Nothing becomes of any set as long as the session has stopped.
    func failSetWaits(_ error: WireError) {
        let waits = setWaits
        setWaits = []
        for wait in waits { wait.responder.fail(error) }
    }

    /// A new set is on disk.
    func subscribed(_ query: PendingQuery) {
        guard let session, query.query.version > knownSet else { return }
        knownSet = query.query.version
        link.subscribed(session, query)
    }

    // MARK: What the server says

    func didCatchUp() { tellHistory { try $0.caughtUp() } }

    func didFailQuery(_ version: Int64, _ message: String) {
        AgentLog.write("\(host.path): sync: subscriptions \(version) are refused: \(message)")
        tellHistory { try $0.queryFailed(version: version, message: message) }
    }

    func didBind() { tellHistory { try $0.disconnected() } }

    func didDisconnect() { tellHistory { try $0.disconnected() } }

    /// In order with what the session asks of the file.
    private func tellHistory(_ body: @escaping @Sendable (ClientHistory) throws -> Void) {
        guard mode == .flexible, !host.isDraining else { return }
        let path = host.path
        changeSets(
            { writer in if let history = writer.history { try body(history) } },
            completion: { outcome in
                if case .failure(let error) = outcome { AgentLog.write("\(path): sync: \(error)") }
            })
    }
}

extension SubscriptionsState {
    /// What apps are told of a state.
    init(_ state: SubscriptionSet.State) {
        self =
            switch state {
            case .pending: .pending
            case .bootstrapping, .awaitingMark: .bootstrapping
            case .complete: .complete
            case .error: .error
            case .superseded: .superseded
            }
    }

    /// Whether who waits for the set needn't wait any longer.
    var isFinal: Bool { self == .complete || self == .error || self == .superseded }
}
