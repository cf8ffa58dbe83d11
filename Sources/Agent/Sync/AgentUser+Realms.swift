import EventLoop
import Sync
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
    }

    func remove(_ realm: SyncedRealm) {
        realms.removeAll { $0 === realm }
    }

    /// Whether there is a connection to the server for realms of a kind.
    func connectionState(_ mode: SyncProtocol.Mode) -> SyncConnectionState {
        let link = link(mode)
        return link.isConnected ? .connected : link.isConnecting ? .connecting : .disconnected
    }
}
