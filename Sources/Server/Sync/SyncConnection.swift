import EventLoop
import History
import Sync

/// One sync connection: carries messages between its WebSocket and the session machine, and the machine's requests to the
/// realms.
@LoopActor
final class SyncConnection: WebSocketDelegate {
    /// Where a session's work is done.
    private struct Place {
        var realm: HostedRealm
        var writeRefusal: SessionFailure?
        /// Flexible sync: the session at its realm.
        var flexible: FlexibleSeat?
    }

    let peer: SyncPeer
    private let socket: WebSocket
    private unowned let endpoint: SyncEndpoint
    private var machine: ServerConnection
    private var places: [Int64: Place] = [:]
    private var timer: (any ScheduledTimer)?
    private var isPumping = false
    private var isPaused = false
    private(set) var isClosed = false

    init(_ socket: WebSocket, _ peer: SyncPeer, _ endpoint: SyncEndpoint) {
        self.peer = peer
        self.socket = socket
        self.endpoint = endpoint
        let now = endpoint.scheduler.now
        machine = ServerConnection(
            peer.agreed, requestId: peer.requestId, now: now,
            expiry: now + peer.expiresIn + endpoint.options.tokenGrace, limits: endpoint.options.limits)
    }

    func start() {
        socket.limits = endpoint.options.unsent
        timer = endpoint.scheduler.timer { [weak self] in self?.tick() }
        socket.start(self)
        pump()
        armTimer()
    }

    var sessionCount: Int { machine.sessionCount }

    // MARK: The client

    func webSocket(_: WebSocket, didReceive message: [UInt8]) {
        guard !isClosed else { return }
        endpoint.metrics.messagesIn += 1
        endpoint.metrics.bytesIn += message.count
        perform(machine.received(message, now: now))
        pump()
    }

    /// Text isn't part of this protocol (P-20).
    func webSocket(_: WebSocket, didReceive text: String) {
        endpoint.log.warning("sync.text", facts)
        socket.close(1003)
        leave()
    }

    func webSocket(_: WebSocket, pressureDidChange isHigh: Bool) {
        if !isHigh { pump() }
    }

    func webSocket(_: WebSocket, didEnd end: WebSocketEnd) {
        if case .failed(let error) = end {
            endpoint.log.info("sync.broken", ["id": peer.requestId, "why": error.message])
        }
        leave()
    }

    private func pump() {
        guard !isPumping else { return }
        isPumping = true
        defer { isPumping = false }
        while !isClosed, machine.hasOutput, !socket.isUnderPressure {
            let (message, effects) = machine.nextMessage(now: now)
            if let message {
                endpoint.metrics.messagesOut += 1
                endpoint.metrics.bytesOut += message.count
                socket.send(message)
            }
            perform(effects)
        }
        guard !isClosed, isPaused == machine.wantsInput else { return }
        isPaused.toggle()
        if isPaused { socket.pauseReading() } else { socket.resumeReading() }
    }

    // MARK: Time

    private var now: Duration { endpoint.scheduler.now }

    private func tick() {
        guard !isClosed else { return }
        perform(machine.tick(now: now))
        pump()
        armTimer()
    }

    /// Deadlines only move away, so looking again when one has passed is enough.
    private func armTimer() {
        guard !isClosed, let deadline = machine.deadline else { return }
        timer?.start(after: max(.milliseconds(1), deadline - now), repeating: nil)
    }

    // MARK: The server

    func historyGrew(_ session: Int64) {
        guard !isClosed else { return }
        perform(machine.historyGrew(session: session))
        pump()
    }

    /// The client file has come on another connection, so this one is dead (P-51).
    func supersede(file: Int64) {
        guard !isClosed else { return }
        endpoint.log.info("sync.superseded", ["id": peer.requestId, "file": "\(file)"])
        drop()
    }

    /// Ends the connection without an error that an application would see (P-27).
    func drop() {
        guard !isClosed else { return }
        socket.end()
        leave()
    }

    /// Sends the client for a new token (P-26).
    func refuseToken() {
        guard !isClosed else { return }
        socket.close(4001, "the access token isn't valid any more")
        leave()
    }

    private func leave() {
        guard !isClosed else { return }
        isClosed = true
        timer?.close()
        timer = nil
        perform(machine.disconnected())
        endpoint.didEnd(self)
    }

    private var facts: KeyValuePairs<String, String> {
        ["id": peer.requestId, "app": peer.appId, "user": peer.userId]
    }

    // MARK: The machine's effects

    private func perform(_ effects: [ServerEffect]) {
        for effect in effects { perform(effect) }
    }

    private func perform(_ effect: ServerEffect) {
        switch effect {
        case .ask(let request): ask(request)
        case .claimed(let session, let file): places[session]?.realm.claim(file, by: self, session)
        case .clientFailed(let session, let code, let message):
            endpoint.metrics.clientFailures += 1
            endpoint.log.warning(
                "sync.client-failed",
                ["id": peer.requestId, "session": "\(session)", "code": "\(code.rawValue)", "message": message])
        case .historyFault(let session, let message):
            endpoint.metrics.historyFaults += 1
            endpoint.log.error(
                "sync.history-fault", ["id": peer.requestId, "session": "\(session)", "fault": message])
        case .ended(let session): places.removeValue(forKey: session)?.realm.detach(self, session)
        case .finish:
            // Our direction ends after the error; what still comes is dropped until the client closes, too (P-92).
            drop()
        case .close(let code):
            socket.close(code)
            leave()
        case .disconnect:
            socket.abort()
            leave()
        }
    }

    private func ask(_ request: ServerRequest) {
        if case .open(let path, let flexible, _) = request.work {
            do throws(SessionFailure) {
                let place = try place(path, flexible)
                places[request.session] = place
                place.realm.attach(self, request.session, place.flexible)
            } catch {
                return answer(request, .failed(error))
            }
        }
        guard let place = places[request.session] else { return }
        if case .integrate(_, let uploads) = request.work { endpoint.metrics.count(uploads) }
        place.realm.perform(request, for: self, writeRefusal: place.writeRefusal) { [weak self] answer in
            self?.answer(request, answer)
        }
    }

    private func place(_ path: String, _ flexible: FlexibleBind?) throws(SessionFailure) -> Place {
        guard !endpoint.isSuspended(peer.appId) else { throw Self.migrating }
        let configuration = endpoint.options.flexible(peer.appId)
        if peer.agreed.isFlexible { return try flexiblePlace(configuration, flexible) }
        guard configuration == nil || configuration?.partitionField != nil else {
            throw SessionFailure(.switchToFlexible, "This app is synced by subscriptions")
        }
        guard let partition = PartitionValue(text: path) else {
            throw SessionFailure(.illegalRealmPath, "Illegal partition value (BIND)")
        }
        guard peer.partitionKey?.accepts(partition) != false else {
            throw SessionFailure(.illegalRealmPath, "The app's partition key is of another type (BIND)")
        }
        if let field = configuration?.partitionField {
            guard field.accepts(partition) else {
                throw SessionFailure(.illegalRealmPath, "The app's partition key is of another type (BIND)")
            }
            throw try Self.migrated(partition, field)
        }
        let access = endpoint.options.access(peer, partition)
        guard access >= .read else { throw SessionFailure(.permissionDenied, "Permission denied (BIND)") }
        guard let realm = endpoint.realm(RealmAddress(appId: peer.appId, partition: partition)) else {
            throw SessionFailure(.initialSyncNotCompleted, "The server has too many realms open now")
        }
        let refusal = SessionFailure(.permissionDenied, "Permission denied (UPLOAD)")
        return Place(realm: realm, writeRefusal: access >= .write ? nil : refusal)
    }

    private static let migrating = SessionFailure(
        .initialSyncNotCompleted, "The app is being migrated: try again later")

    /// What clients of an app are told that was synced by partition before (F-93).
    private static func migrated(
        _ partition: PartitionValue, _ field: PartitionField
    ) throws(SessionFailure) -> SessionFailure {
        var body = ErrorBody(.migrateToFlexible, "The app has been migrated to flexible sync")
        do { body.partitionQuery = try field.query(partition) } catch {
            throw SessionFailure(.illegalRealmPath, "Illegal partition value (BIND): \(error)")
        }
        return SessionFailure(.migrateToFlexible, body)
    }

    private func flexiblePlace(
        _ configuration: FlexibleConfiguration?, _ flexible: FlexibleBind?
    ) throws(SessionFailure) -> Place {
        guard let configuration else {
            guard flexible?.migratedPartition == nil else {
                throw SessionFailure(.revertToPartition, "The app has been reverted to sync by partition")
            }
            throw SessionFailure(.switchToPartition, "This app is synced by partition")
        }
        guard let realm = endpoint.realm(RealmAddress(appId: peer.appId, partition: nil)) else {
            throw SessionFailure(.initialSyncNotCompleted, "The server has too many realms open now")
        }
        return Place(
            realm: realm, writeRefusal: nil,
            flexible: FlexibleSeat(
                user: peer.permissionUser, configuration: configuration, protocolVersion: peer.agreed.version))
    }

    /// The permissions of the app have changed: its sessions begin anew, which applications don't see (F-38).
    func renewSessions() {
        guard !isClosed, peer.agreed.isFlexible else { return }
        for session in places.keys.sorted() {
            perform(machine.end(session: session, SessionFailure(.sessionClosed, "The permissions have changed")))
        }
        pump()
    }

    /// The sessions end, and let go of their realms without waiting for the client (F-102).
    func suspendSessions() {
        guard !isClosed else { return }
        for session in places.keys.sorted() {
            perform(machine.end(session: session, Self.migrating))
            places.removeValue(forKey: session)?.realm.detach(self, session)
        }
        pump()
    }

    private func answer(_ request: ServerRequest, _ answer: ServerAnswer) {
        guard !isClosed else { return }
        if case .failed(let failure) = answer {
            endpoint.metrics.failures[failure.code.rawValue, default: 0] += 1
            endpoint.log.info(
                "sync.refused",
                [
                    "id": peer.requestId, "session": "\(request.session)", "code": "\(failure.code.rawValue)",
                    "message": failure.body.message
                ])
        }
        perform(machine.answered(request, answer))
        pump()
    }
}
