import EventLoop
import History
import Model
import Wire

// sync.explain
extension ClientSession {
    func explainObject(_ request: SyncExplain, _ responder: Responder) throws {
        try use(request.target, responder) { [self] host in
            let synced = try synced(host)
            let (name, key) = (request.className, request.key)
            guard let snapshot = host.visible?.snapshot else { throw WireError(.shuttingDown, "the realm is closed") }
            guard let table = snapshot.table(named: name) else {
                throw WireError(
                    .unknownClass, "there is no class \"\(name)\" in the realm", facts: ["class": .string(name)])
            }
            let exists = table.find(key) != nil
            host.writer.perform { writer in
                let outcome = Result {
                    guard let history = writer.history else {
                        throw WireError(.shuttingDown, "the realm is closed", facts: ["path": .string(host.path)])
                    }
                    return (
                        try history.standing(of: name, key), try history.unsent(),
                        history.subscriptions?.latest.covers(name)
                    )
                }
                let subscriptions = writer.history?.subscriptions.map { SubscriptionsReply($0) }
                EventLoop.shared.post {
                    defer { host.leave() }
                    responder.answer(
                        outcome.map { standing, unsent, isSubscribed in
                            var reply = SyncExplainReply(
                                state: SyncStateReply(synced, unsent, subscriptions, nil), obstacle: synced.obstacle,
                                offlineSince: synced.offlineSince, isResetting: synced.resetDownload != nil,
                                exists: exists, unsentTransactions: Int64(standing.unsentTransactions),
                                unsentSince: standing.unsentSince.map(SyncStateReply.epoch),
                                before: Int64(standing.before), isSubscribed: isSubscribed)
                            reply.rejection =
                                synced.rejections.last {
                                    $0.object.className == name && $0.object.key == key
                                }.map { SyncRejection(reason: $0.object.reason, at: $0.at) }
                                ?? standing.rejection.map { SyncRejection(reason: $0, at: nil) }
                            reply.lastWriter = standing.lastWrite.map {
                                SyncWriter(file: Int64(clamping: $0.file), at: SyncStateReply.epoch($0.timestamp))
                            }
                            return reply
                        }.mapError { WireError(reporting: $0, path: host.path) })
                }
            }
        }
    }
}
