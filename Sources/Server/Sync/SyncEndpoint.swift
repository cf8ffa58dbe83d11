import EventLoop
import Sync

/// The sync protocol of a server: takes WebSockets that have been opened for it, and serves the realms of a data
/// directory on them. To be kept until `shutDown` has completed.
@LoopActor
package final class SyncEndpoint {
    package var options: SyncOptions
    package internal(set) var metrics = SyncMetrics()
    let scheduler: any Scheduler
    let log: ServerLog
    private let realms: HostedRealms
    private var connections: [ObjectIdentifier: SyncConnection] = [:]
    private var isShuttingDown = false
    /// Apps whose realms nobody may open now.
    private var suspended: Set<String> = []

    /// The data directory must exist.
    package init(
        dataDirectory: String, scheduler: any Scheduler, options: SyncOptions = SyncOptions(), log: ServerLog = .silent
    ) {
        self.options = options
        self.scheduler = scheduler
        self.log = log
        realms = HostedRealms(in: dataDirectory, scheduler: scheduler, options: options, log: log)
    }

    /// What a server answers to an offer of subprotocols (P-12), or why it refuses (P-14).
    package static func choose(_ offered: String?) throws(HTTPViolation) -> SyncProtocol.Choice {
        do {
            return try SyncProtocol.choose(offered: offered)
        } catch {
            throw HTTPViolation(400, error.description)
        }
    }

    /// Serves a connection whose token has been checked.
    package func accept(_ socket: WebSocket, _ peer: SyncPeer) {
        guard !isShuttingDown, connections.count < options.connections else {
            metrics.refusedConnections += 1
            return socket.end()
        }
        metrics.acceptedConnections += 1
        log.info(
            "sync.connected",
            [
                "id": peer.requestId, "app": peer.appId, "user": peer.userId, "peer": socket.peerName,
                "protocol": peer.agreed.token, "agent": peer.userAgent
            ])
        let connection = SyncConnection(socket, peer, self)
        connections[ObjectIdentifier(connection)] = connection
        connection.start()
    }

    package var connectionCount: Int { connections.count }
    package var sessionCount: Int { connections.values.reduce(0) { $0 + $1.sessionCount } }
    package var openRealmCount: Int { realms.count }

    /// Who is connected, for administration.
    package var peers: [SyncPeer] { connections.values.map(\.peer) }

    /// Ends the connections of a user whose tokens have been revoked: the clients come back with new ones, or don't.
    package func revoke(user: String, app: String) {
        for connection in connections.values where connection.peer.userId == user && connection.peer.appId == app {
            connection.refuseToken()
        }
    }

    /// Lets the sessions of an app begin anew, since its permissions have changed (F-38).
    package func renewSessions(app: String) {
        for connection in connections.values where connection.peer.appId == app { connection.renewSessions() }
    }

    /// Ends all sessions of an app and closes its realms once the work at hand is done. Until `resume` clients are told to
    /// come again later (F-102).
    func suspend(app: String, completion: @escaping @LoopActor () -> Void) {
        suspended.insert(app)
        for connection in connections.values where connection.peer.appId == app { connection.suspendSessions() }
        realms.close(app: app, completion: completion)
    }

    /// Serves an app again.
    func resume(app: String) { suspended.remove(app) }

    func isSuspended(_ app: String) -> Bool { suspended.contains(app) }

    /// Ends all connections, in a way that applications don't see (P-27), and closes the realms once the work at hand is
    /// done: what was acknowledged is on disk, what wasn't will be sent again.
    package func shutDown(completion: @escaping @LoopActor () -> Void) {
        isShuttingDown = true
        for connection in connections.values { connection.drop() }
        realms.close(completion: completion)
    }

    func realm(_ address: RealmAddress) -> HostedRealm? { realms.realm(address) }

    func didEnd(_ connection: SyncConnection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        log.info("sync.disconnected", ["id": connection.peer.requestId])
    }
}
