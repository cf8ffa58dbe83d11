import EventLoop
import Wire

// The realms of a user that are kept in sync.
extension AgentUser {
    /// Takes a realm in: it hears of log-ins and log-outs from now on.
    func add(_ realm: SyncedRealm) {
        realms.append(realm)
        guard realms.count == 1 else { return }
        didLogIn = { [unowned self] in for realm in realms { realm.start() } }
        didLogOut = { [unowned self] in for realm in realms { realm.userLeft() } }
        didRemove = { [unowned self] in for realm in realms { realm.end() } }
        link.didChangeState = { [unowned self] in for realm in realms { realm.didChange() } }
    }

    func remove(_ realm: SyncedRealm) {
        realms.removeAll { $0 === realm }
    }

    /// Whether there is a connection to the server.
    var connectionState: SyncConnectionState {
        link.isConnected ? .connected : link.isConnecting ? .connecting : .disconnected
    }
}
