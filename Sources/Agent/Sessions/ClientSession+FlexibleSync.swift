import EventLoop
import History
import Model
import Sync
import Wire

// subscriptions.*
extension ClientSession {
    func getSubscriptions(_ request: SubscriptionsGet, _ responder: Responder) throws {
        let host = try flexible(realm(request.realm)).host
        host.writer.perform { writer in
            let reply = writer.history?.subscriptions.map { SubscriptionsReply($0) }
            EventLoop.shared.post {
                if let reply { responder.succeed(reply) } else { responder.fail(host.closedError) }
            }
        }
    }

    func updateSubscriptions(_ request: SubscriptionsUpdate, _ responder: Responder) throws {
        let handle = try realm(request.realm)
        let synced = try flexible(handle)
        let host = synced.host
        try host.checkWritable()
        guard host.queue.holder?.client != handle.writer else {
            throw WireError(
                .nestedTransaction, "the realm has a transaction open on this handle; end it before subscribing",
                facts: ["realm": .int32(handle.number)])
        }
        synced.changeSets(
            { writer throws -> (reply: SubscriptionsUpdateReply, query: PendingQuery?) in
                guard let sets = writer.history?.subscriptions else { throw host.closedError }
                if let base = request.base, base != sets.latest.version {
                    return (SubscriptionsUpdateReply(set: WireSubscriptionSet(sets.latest), applied: false), nil)
                }
                let schema = try writer.openFile().snapshot().schema.realmSchema
                let set = try sets.update { edit in
                    for change in request.edits { try edit.apply(change, schema) }
                    let bytes = SubscriptionSet(version: 0, snapshotVersion: 0, subscriptions: edit.subscriptions).query
                        .text.utf8.count
                    guard bytes <= QueryText.limit else {
                        throw WireError(
                            .badParams,
                            "the queries of all subscriptions have \(bytes) bytes; at most \(QueryText.limit) are "
                                + "allowed", facts: ["limit": .int32(Int32(QueryText.limit))])
                    }
                }
                let reply = SubscriptionsUpdateReply(set: WireSubscriptionSet(set), applied: true)
                return (reply, set.pendingQuery)
            },
            completion: { outcome in
                if case .success((_, let query?)) = outcome { synced.subscribed(query) }
                responder.answer(outcome.map { $0.0 })
            })
    }

    func waitForSubscriptions(_ request: SubscriptionsWait, _ responder: Responder) throws {
        try flexible(realm(request.realm)).wait(for: request.version, responder)
    }

    /// Throws `notSynced` unless the realm is one of flexible sync.
    private func flexible(_ handle: RealmHandle) throws(WireError) -> SyncedRealm {
        let synced = try synced(handle.host)
        // The application of a realm whose app was migrated under it doesn't know subscriptions (F-97).
        guard synced.origin.partition == nil else {
            throw WireError(
                .notSynced, "the realm at \(handle.host.path) is synced by partition: it has no subscriptions",
                facts: ["path": .string(handle.host.path)])
        }
        return synced
    }
}

extension RealmHost {
    nonisolated fileprivate var closedError: WireError {
        WireError(.shuttingDown, "the realm is closed", facts: ["path": .string(path)])
    }
}

extension SubscriptionEdit {
    /// Throws `badParams` for what lacks something, or asks for objects that can't be asked for (F-24).
    fileprivate mutating func apply(_ change: SubscriptionsEdit, _ schema: RealmSchema) throws {
        func need<Field>(_ field: Field?, _ name: String) throws -> Field {
            if let field { return field }
            throw WireError(.badParams, "an edit of kind \(change.kind.rawValue) needs \(name)")
        }
        if change.kind == .insert || change.kind == .setQuery, let name = change.className,
            let known = schema.classSchema(name), known.kind != .topLevel
        {
            throw WireError(
                .badParams,
                "objects of the \(known.kind == .embedded ? "embedded" : "asymmetric") class \(name) can't be subscribed "
                    + "to", facts: ["class": .string(name)])
        }
        switch change.kind {
        case .insert:
            insert(
                name: change.name, className: try need(change.className, "class"),
                query: try need(change.query, "query"))
        case .removeNamed: remove(named: try need(change.name, "name"))
        case .removeQuery:
            remove(className: try need(change.className, "class"), query: try need(change.query, "query"))
        case .removeId: remove(id: try need(change.id, "id"))
        case .removeClass:
            removeAll(className: try need(change.className, "class"), unnamedOnly: change.unnamedOnly)
        case .removeAll: removeAll(unnamedOnly: change.unnamedOnly)
        case .setQuery:
            let id = try need(change.id, "id")
            guard setQuery(id: id, className: change.className, query: try need(change.query, "query")) else {
                throw WireError(
                    .badParams, "there is no subscription with id \(id) any more", facts: ["id": .objectId(id)])
            }
        }
    }
}

extension SubscriptionsReply {
    init(_ sets: ClientSubscriptions) {
        self.init(set: WireSubscriptionSet(sets.latest), active: sets.active.version)
    }
}

extension WireSubscriptionSet {
    fileprivate init(_ set: SubscriptionSet) {
        self.init(
            version: set.version, state: SubscriptionsState(set.state), error: set.error,
            subscriptions: set.subscriptions.map {
                WireSubscription(
                    id: $0.id, name: $0.name, className: $0.className, query: $0.query, created: $0.createdAt,
                    updated: $0.updatedAt)
            })
    }
}
