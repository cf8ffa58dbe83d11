import Dispatch
import Foundation
import Model
import Wire

// Sets of subscriptions are the agent's: all processes that have the realm open see the same ones.
extension RealmCoordinator {
    /// The agent has told of a set. Runs on the thread that reads the socket.
    func received(_ change: SubscriptionsChanged) {
        subscriptions.received(change)
        guard change.state == .error else { return }
        // Whoever has made it may not want to know.
        let text =
            "sync: the server refuses the subscriptions of '\(settings.path)': \(change.error ?? "no reason given")"
        SyncSession.reporting.async { Logger.shared.log(.error, text) }
    }

    /// Asks for the latest set. Once more if the agent has gone meanwhile.
    func askForSubscriptions() throws -> WireSubscriptionSet {
        let set = try callAgain { SubscriptionsGet(realm: $0.realm) }.set
        subscriptions.note(set)
        return set
    }

    /// The latest set, or the newest that is known if the agent can't be asked.
    var latestSubscriptions: WireSubscriptionSet {
        do {
            return try askForSubscriptions()
        } catch {
            Logger.shared.log(.error, "The subscriptions of '\(settings.path)' can't be read: \(error)")
            return subscriptions.latest ?? WireSubscriptionSet(version: 0, state: .pending, subscriptions: [])
        }
    }

    /// Lets a block change the set, and makes what it has changed durable as a new one; without changes the latest one
    /// stays.
    ///
    /// - Parameter base: the only version that is to be changed: otherwise nothing happens, and the block may have run in
    ///   vain. Then a new set is made even if the block changes nothing.
    /// - Returns: the latest set, and whether it is as the block wants it.
    func updateSubscriptions(
        onlyOn base: Int64? = nil, _ block: () -> Void
    ) throws -> (set: WireSubscriptionSet, isDone: Bool) {
        if subscriptions.isEditedHere { fail(.subscriptionsBeingUpdated) }
        subscriptions.turn.begin()
        defer { subscriptions.turn.end() }
        let latest = try askForSubscriptions()
        if let base, latest.version != base { return (latest, false) }
        subscriptions.begin(SubscriptionDraft(latest))
        block()
        let edits = subscriptions.end()?.edits ?? []
        if edits.isEmpty, base == nil { return (latest, true) }
        let reply = try send(edits, onlyOn: base)
        subscriptions.note(reply.set)
        return (reply.set, reply.applied)
    }

    private func send(_ edits: [SubscriptionsEdit], onlyOn base: Int64?) throws -> SubscriptionsUpdateReply {
        do {
            // What an edit does once it does twice: it may be repeated when the agent went away around it.
            return try callAgain { SubscriptionsUpdate(realm: $0.realm, base: base, edits: edits) }
        } catch let error as WireError where error.code == .badParams {
            // Another process has ended a subscription that was given another query here: it stays ended.
            guard case .objectId(let gone)? = error.facts["id"], edits.contains(where: { $0.id == gone }) else {
                throw error
            }
            return try send(edits.filter { $0.id != gone }, onlyOn: base)
        }
    }

    private func callAgain<Request: WireRequest>(_ request: (Handle) -> Request) throws -> Request.Reply {
        do {
            let handle = try flexibleHandle()
            return try handle.link.call(request(handle))
        } catch let error as WireError where error.meansAgentIsGone {
            let handle = try flexibleHandle()
            return try handle.link.call(request(handle))
        }
    }

    private func flexibleHandle() throws -> Handle {
        let handle = try handle()
        try handle.link.agent.require(.flexible)
        return handle
    }

    /// Calls back in the background once the server has answered a set, or a later one, by all its objects or by a refusal,
    /// which is an error.
    func wait(for version: Int64, _ waiter: Waiter<Void>) {
        DispatchQueue.global().async { [weak self] in
            do {
                guard let self else { throw Realm.Error(.fail, "the realm of the subscriptions is closed") }
                let handle = try flexibleHandle()
                handle.link.call(SubscriptionsWait(realm: handle.realm, version: version)) { [weak self] result in
                    switch result {
                    case .success(let reply) where reply.state == .error:
                        waiter.finish(.failure(Realm.Error.refused(reply.error, self?.settings.path)))
                    case .success: waiter.finish(.success(()))
                    case .failure(let error as WireError) where error.code == .connectionLost:
                        guard !waiter.isFinished, let self else {
                            return waiter.finish(.failure(CancellationError()))
                        }
                        wait(for: version, waiter)
                    case .failure(let error): waiter.finish(.failure(SyncError.thrown(error, key: self?.settings.key)))
                    }
                }
            } catch {
                waiter.finish(.failure(error))
            }
        }
    }

    /// As above. The realm stays open meanwhile.
    func wait(for version: Int64, timeout: TimeInterval? = nil, _isolation: isolated (any Actor)? = #isolation)
        async throws
    {
        let waiter = Waiter<Void>()
        defer { withExtendedLifetime(self) {} }
        if let timeout {
            DispatchQueue.global().asyncAfter(deadline: .now() + timeout) {
                waiter.finish(.failure(Self.timeout(timeout)))
            }
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiter.begin { continuation.resume(with: $0) }
                wait(for: version, waiter)
            }
        } onCancel: {
            waiter.finish(.failure(CancellationError()))
        }
    }

    private static func timeout(_ seconds: TimeInterval) -> NSError {
        NSError(
            domain: NSPOSIXErrorDomain, code: Int(ETIMEDOUT),
            userInfo: [NSLocalizedDescriptionKey: "Waiting for the subscriptions timed out after \(seconds) seconds."])
    }

    // MARK: Writing

    /// Whether a subscription is on a class (F-28). What is known here may be older than what the agent knows.
    func isSubscribed(_ className: String) -> Bool {
        func covers(_ set: WireSubscriptionSet?) -> Bool {
            set?.subscriptions.contains { $0.className.isSameText(className) } ?? false
        }
        return covers(subscriptions.latest) || covers(latestSubscriptions)
    }
}

extension Realm.Error {
    /// The server doesn't take a set of subscriptions.
    static func refused(_ text: String?, _ path: String?) -> Realm.Error {
        Realm.Error(.subscriptionFailed, text ?? "The server refused the subscriptions.", path: path)
    }
}
