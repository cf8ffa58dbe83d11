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
                // A migrated realm subscribes to classes that are new (F-97).
                let query = try writer.history?.coverNewClasses()
                let isNative = try writer.becomeNativeIfReady()
                return SetChanges(value: value, sets: writer.changedSets, query: query, becameNative: isNative)
            },
            completion: { outcome in
                guard case .success(let changes) = outcome else { return completion(outcome.map(\.value)) }
                for set in changes.sets { self.didChange(set) }
                completion(.success(changes.value))
                if let query = changes.query { self.subscribed(query) }
                if changes.becameNative { self.rejoin() }
            })
    }

    /// What came of a change.
    private struct SetChanges<Value: Sendable>: Sendable {
        var value: Value
        var sets: [SubscriptionSet]
        /// A migrated realm's session is to be told of it.
        var query: PendingQuery?
        /// It isn't a migrated one any more.
        var becameNative: Bool
    }

    /// Somebody has opened the realm, and may have added classes: their sets are on disk.
    func tellOfNewSets() {
        let known = knownSet
        guard session != nil, mode == .flexible else { return }
        host.writer.perform { writer in
            let queries = writer.history?.queries.pending.filter { $0.query.version > known } ?? []
            guard !queries.isEmpty else { return }
            EventLoop.shared.post { for query in queries { self.subscribed(query) } }
        }
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
