import EventLoop
import Model
import Query
import Store
import Wire

// subscribe, unsubscribe
extension ClientSession {
    func subscribe(_ request: Subscribe, _ responder: Responder) throws {
        let handle = try realm(request.realm)
        guard responder.id != nil else { throw WireError(.badMessage, "subscribe needs an id") }
        guard subscriptions.count < Subscription.limit else {
            throw WireError(
                .tooManyHandles, "the connection has \(Subscription.limit) subscriptions; end some",
                facts: ["limit": .int32(Int32(Subscription.limit))])
        }
        guard let durable = handle.host.durable else { throw WireError(.shuttingDown, "the realm is closed") }
        let number = server.nextNumber()
        read(responder, of: handle.host, durable) {
            let snapshot = durable.snapshot
            let query = try request.query.classQuery(in: snapshot.schema)
            let keys = try snapshot.objects(query, among: request.query.keys)
            var frames: [[UInt8]] = []
            if request.initial {
                let changes = ResultChanges(from: [], to: keys, recreated: []) { _ in false }
                frames = try ChangeFrames(number: number, form: request.form, count: keys.count, isInitial: true)
                    .frames(changes, className: query.className, before: nil, after: snapshot)
            }
            return { [self, frames] in
                guard isOpen, handles[handle.number] === handle else {
                    return responder.fail(WireError(.unknownRealm, "the realm was closed"))
                }
                let subscription = Subscription(
                    number: number, handle: handle, request: request.query, form: request.form,
                    known: .init(snapshot: durable, keys: keys))
                subscriptions[number] = subscription
                responder.succeed(
                    SubscribeReply(subscription: number, version: durable.version, count: Int64(keys.count)))
                for frame in frames { connection.write(frame) }
                subscription.evaluate()
            }
        }
    }

    func unsubscribe(_ request: Unsubscribe, _ responder: Responder) throws {
        guard let subscription = subscriptions.removeValue(forKey: request.subscription) else {
            throw WireError(
                .unknownSubscription, "the connection has no subscription \(request.subscription)",
                facts: ["subscription": .int64(request.subscription)])
        }
        subscription.end()
        responder.succeed(Acknowledgement())
    }
}

// Looking at what has changed
extension ClientSession {
    /// Subscriptions of one connection that are looked at at a time: each may make as much as `ChangeFrames.Limits`
    /// allows, which is far less than the connection's queue may hold.
    private static let evaluationLimit = 2

    /// Puts a subscription into the line. None is looked at while the client is slow to take what it got.
    func evaluate(_ subscription: Subscription) {
        waitingEvaluations.append(subscription)
        runEvaluations()
    }

    func didEvaluate() {
        runningEvaluations -= 1
        runEvaluations()
    }

    func runEvaluations() {
        while isOpen, runningEvaluations < Self.evaluationLimit, !connection.isUnderPressure,
            !waitingEvaluations.isEmpty
        {
            if waitingEvaluations.removeFirst().begin() { runningEvaluations += 1 }
        }
    }
}
