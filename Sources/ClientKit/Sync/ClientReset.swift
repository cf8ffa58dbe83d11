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

    /// Whether the app wants to do something before or after.
    var hasBlocks: Bool { blocks.before != nil || blocks.after != nil }

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

    /// The realm is about to be given the server's state. Runs on the thread that reads the socket.
    func willReset() {
        Self.resets.async { [self] in
            do {
                if let blocks = syncConfiguration?.clientResetMode.blocks,
                    let configuration = cores.first?.configuration
                {
                    let live = try configuration.open(.on(Self.resets))
                    _ = live.refresh()
                    let before = live.frozen()
                    blocks.before?(Realm(before))
                    resetting.withLock { $0 = (before, live) }
                }
                let handle = try handle()
                _ = try handle.link.call(SyncControl(target: .handle(handle.realm), wish: .proceed))
            } catch {
                warn("The block before the client reset of '\(settings.path)' can't be called: \(error)")
            }
        }
    }

    /// It has the server's state.
    func didReset() {
        Self.resets.async { [self] in
            let instances = resetting.withLock { instances in
                defer { instances = nil }
                return instances
            }
            guard let instances else { return }
            _ = instances.live.refresh()
            syncConfiguration?.clientResetMode.blocks.after?(Realm(instances.before), Realm(instances.live))
        }
    }
}
