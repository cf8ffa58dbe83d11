import EventLoop
import Foundation
import History
import Wire

// realm.open with `sync`, and sync.*
extension ClientSession {
    func openSynced(_ request: RealmOpen, _ target: SyncTarget, _ place: Place, _ responder: Responder) throws {
        if let problem = request.schema?.problemOfSync(flexible: target.partition == nil) {
            throw WireError(.schemaMismatch, problem, facts: ["path": .string(request.path)])
        }
        let user = try server.apps.user(target.user, of: AppIdentity(id: target.app, baseURL: target.server))
        let origin = SyncOrigin(
            app: target.app, baseURL: target.server, user: target.user, partition: target.partition)
        let path = try RealmPath(resolving: place.path).path
        if !place.inMemory, server.realms.isDue(path, for: self) {
            // A reset by hand that nobody has carried out: the realm begins anew (CR-10).
            return server.realms.carryOut(path, key: place.key) { [self] _ in
                do {
                    try openSynced(request, user, origin, place, responder)
                } catch {
                    responder.fail(error)
                }
            }
        }
        guard let seed = request.seed else { return try openSynced(request, user, origin, place, responder) }
        try plant(seed, place, origin) { [self] outcome in
            do {
                try outcome.get()
                try openSynced(request, user, origin, place, responder)
            } catch {
                responder.fail(error)
            }
        }
    }

    private func openSynced(
        _ request: RealmOpen, _ user: AgentUser, _ origin: SyncOrigin, _ place: Place, _ responder: Responder
    ) throws {
        try use(place, responder) { [self] host in
            let schema = host.visible?.snapshot.schema
            let done: @Sendable @LoopActor (WireError?) -> Void = { [self] error in
                defer { host.leave() }
                if let error { return responder.fail(error) }
                do {
                    try didOpen(request, host, responder)
                } catch {
                    responder.fail(error)
                }
            }
            if host.origin?.isSame(as: origin) == true, host.sync != nil,
                schema?.contains(request.schema, version: request.schemaVersion, synced: true) == true
            {
                return host.rememberSync(completion: done)
            }
            try host.checkWritable()
            host.adopt(request, origin, user, completion: done)
        }
    }

    /// Where a copy that is to be synced belongs: its user must be known here.
    func syncedCopyOrigin(_ target: SyncTarget) throws(WireError) -> SyncOrigin {
        guard let partition = target.partition else {
            throw WireError(
                .syncMismatch,
                "a copy can't be a realm of flexible sync; open one, and create the objects in it that it shall have")
        }
        _ = try server.apps.user(target.user, of: AppIdentity(id: target.app, baseURL: target.server))
        return SyncOrigin(app: target.app, baseURL: target.server, user: target.user, partition: partition)
    }

    func waitForSync(_ request: SyncWait, _ responder: Responder) throws {
        let host = try realm(request.realm).host
        try synced(host).wait(request.direction) { error in
            if let error { responder.fail(error) } else { responder.succeed(Acknowledgement()) }
        }
    }

    func controlSync(_ request: SyncControl, _ responder: Responder) throws {
        try use(request.target, responder) { [self] host in
            let synced = try synced(host)
            if request.wish == .reconnect {
                synced.reconnect()
            } else if request.wish == .proceed {
                if case .handle(let number) = request.target { synced.proceed(try realm(number)) }
            } else if case .handle(let number) = request.target {
                try realm(number).wantsSync = request.wish == .resume
                synced.considerSuspending()
            } else {
                return synced.pause(request.wish == .suspend) { error in
                    if let error { responder.fail(error) } else { responder.succeed(Acknowledgement()) }
                    host.leave()
                }
            }
            responder.succeed(Acknowledgement())
            host.leave()
        }
    }

    func carryOut(_ request: SyncCarryOut, _ responder: Responder) throws {
        let path = try RealmPath(resolving: request.path).path
        server.realms.carryOutLater(path)
        server.realms.carryOut(path, key: try Self.key(request.key)) { outcome in
            responder.answer(outcome.map { SyncCarryOutReply(done: $0) })
        }
    }

    func syncState(_ request: SyncStateRequest, _ responder: Responder) throws {
        try use(request.target, responder) { [self] host in
            let synced = try synced(host)
            let limit = Int(max(0, min(request.objects, 10_000)))
            host.writer.perform { writer in
                let outcome = Result { try writer.history?.unsent(naming: limit) ?? UnsentChanges() }
                let subscriptions = writer.history?.subscriptions.map { SubscriptionsReply($0) }
                EventLoop.shared.post {
                    defer { host.leave() }
                    var handle: Int32?
                    if case .handle(let number) = request.target { handle = number }
                    responder.answer(
                        outcome.map { SyncStateReply(synced, $0, subscriptions, handle) }
                            .mapError { WireError(reporting: $0, path: host.path) })
                }
            }
        }
    }

    func synced(_ host: RealmHost) throws(WireError) -> SyncedRealm {
        if let synced = host.sync { return synced }
        throw host.notSynced
    }
}

extension SyncStateReply {
    @LoopActor
    init(
        _ synced: SyncedRealm, _ unsent: UnsentChanges, _ subscriptions: SubscriptionsReply?, _ handle: Int32?
    ) {
        self.init(
            target: synced.target, session: synced.state, connection: synced.connectionState, paused: synced.isPaused,
            unsentTransactions: Int64(unsent.transactions), unsentBytes: Int64(unsent.bytes),
            oldestUnsent: unsent.oldest.map(Self.epoch),
            unsentObjects: unsent.objects.map {
                UnsentObject(className: $0.object.className, key: $0.object.key, since: Self.epoch($0.since))
            }, error: synced.lastError.map { "\($0.status.rawValue): \($0.message)" }, subscriptions: subscriptions,
            progress: handle.map { synced.news(for: $0) })
    }

    /// Milliseconds since 1970 of a changeset's time.
    static func epoch(_ timestamp: UInt64) -> Int64 {
        Int64(clamping: timestamp) &+ HistoryOptions.epoch
    }
}
