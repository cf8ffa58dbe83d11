import Foundation
import Store
import Wire

/// A write transaction, as this process sees it.
///
/// It begins blind: nothing is asked of the agent. As long as its block only creates objects, nothing that others
/// commit meanwhile can matter to it, and it is committed in one request. Before it reads or changes anything that is
/// there, it takes the write lock.
///
/// Used in its realm's confinement. `Sendable` for the one way out of it, `cancelLater`, after which nobody there has it.
final class OpenTransaction: @unchecked Sendable {
    private let coordinator: RealmCoordinator
    /// The write lock; nil while the transaction is blind, and when it couldn't be had.
    private(set) var grant: WriteGrant?
    let recorder: ChangeRecorder
    /// Names the transaction wherever it is asked about, also after reconnecting.
    let uid = UniqueId()
    /// Set when the agent refused or lost it: committing will throw this.
    var failure: (any Error)?
    /// `access.generation` when it began: what was attached since then may have been created by it.
    let firstGeneration: UInt64
    /// Of a realm of flexible sync: the classes that are known to be subscribed to.
    var subscribed: Set<TableId> = []
    /// Accessors that know their object by a provisional key.
    private var provisionalAccessors: [ObjectBase] = []
    /// Whether other threads of this process wait for its end.
    private var holdsTurn = true

    /// Accessors that a blind transaction keeps; one with more takes the lock, and they get their keys.
    static let accessorLimit = 1 << 14

    /// With the write lock.
    init(_ grant: WriteGrant, firstGeneration: UInt64) {
        coordinator = grant.coordinator
        self.grant = grant
        recorder = ChangeRecorder()
        self.firstGeneration = firstGeneration
    }

    /// Blind. The calling thread has the turn to write.
    init(blind coordinator: RealmCoordinator, firstGeneration: UInt64) {
        self.coordinator = coordinator
        recorder = ChangeRecorder(isBlind: true)
        self.firstGeneration = firstGeneration
    }

    var isBlind: Bool { recorder.isBlind }

    /// The lock is had; the realm instance reads the version that it was given for.
    func settle(_ grant: WriteGrant) {
        self.grant = grant
        recorder.settle()
        for object in takeProvisionalAccessors() {
            guard let info = object._rlmModel?.info else { continue }
            object._rename(to: recorder.settled(info, object._rlmKey))
        }
    }

    /// The lock can't be had: nothing of the transaction will be committed.
    func fail(_ error: any Error) {
        failure = error
        recorder.isBlind = false
    }

    func note(provisional object: ObjectBase) {
        provisionalAccessors.append(object)
    }

    /// Whether it has noted so many accessors that they should get their keys.
    var hasManyAccessors: Bool { provisionalAccessors.count >= Self.accessorLimit }

    func takeProvisionalAccessors() -> [ObjectBase] {
        defer { provisionalAccessors = [] }
        return provisionalAccessors
    }

    /// Lets the agent undo it, and others write. Waits for the agent: it takes the next transaction of this process
    /// only when this one is gone.
    func cancel() {
        grant?.cancel()
        end()
    }

    /// As `cancel`, in the background: for threads that may not wait.
    func cancelLater() {
        DispatchQueue.global().async { [self] in cancel() }
    }

    /// Lets other threads of this process write.
    func end() {
        guard holdsTurn else { return }
        holdsTurn = false
        if let grant { LockKeeper.shared.remove(grant) }
        coordinator.writeTurn.end()
    }

    /// Sends what has been recorded so far.
    func append() {
        guard failure == nil, let grant else { return }
        let part = recorder.takePart()
        guard !part.bytes.isEmpty else { return }
        LockKeeper.shared.note(grant)
        do {
            try withExtendedLifetime(part) {
                try grant.handle.link.notify(
                    UnsafeWriteAppend(
                        realm: grant.handle.realm, transaction: grant.reply.transaction,
                        changes: UnsafeBytes(part.bytes)))
            }
        } catch {
            // A lost connection shows again at commit, where it can be thrown and perhaps be mended.
            if (error as? WireError)?.code != .connectionLost { failure = error }
        }
    }
}
