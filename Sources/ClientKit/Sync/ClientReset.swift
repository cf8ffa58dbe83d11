import Dispatch
import Foundation
import Wire

extension ClientResetMode {
    /// Its name on the wire.
    var name: SyncResetMode {
        switch self {
        case .recoverUnsyncedChanges: .recoverUnsyncedChanges
        case .discardUnsyncedChanges: .discardUnsyncedChanges
        case .recoverOrDiscardUnsyncedChanges: .recoverOrDiscardUnsyncedChanges
        case .manual: .manual
        }
    }

    fileprivate typealias Blocks = (
        before: (@Sendable (Realm) -> Void)?, after: (@Sendable (Realm, Realm) -> Void)?
    )

    /// What the app wants to do before and after.
    fileprivate var blocks: Blocks {
        switch self {
        case .recoverUnsyncedChanges(let before, let after), .discardUnsyncedChanges(let before, let after),
            .recoverOrDiscardUnsyncedChanges(let before, let after):
            (before, after)
        case .manual: (nil, nil)
        }
    }
}

extension RealmCoordinator {
    private static let resets = DispatchQueue(label: "reeve.client-reset")

    /// The realm has been given the server's state. Runs on the thread that reads the socket.
    func received(_ reset: SyncReset, from link: AgentLink) {
        let grant = Grant(
            version: reset.version, generation: reset.generation,
            pin: Pin(reset.pin, realm: reset.realm, link: link, isAnnounced: false))
        Self.resets.async { [self] in
            guard let blocks = syncConfiguration?.clientResetMode.blocks, blocks.before != nil || blocks.after != nil,
                let configuration = cores.first?.configuration
            else { return }
            do {
                let live = try configuration.open(.on(Self.resets))
                let (snapshot, grant) = try snapshot(grant)
                let before = Realm(live.frozen(snapshot, grant))
                blocks.before?(before)
                _ = live.refresh()
                blocks.after?(before, Realm(live))
            } catch {
                warn("The blocks for the client reset of '\(settings.path)' can't be called: \(error)")
            }
        }
    }
}
