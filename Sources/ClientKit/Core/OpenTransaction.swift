import Foundation
import Wire

/// A granted write transaction, as this process sees it.
final class OpenTransaction: @unchecked Sendable {
    private let coordinator: RealmCoordinator
    let link: AgentLink
    let realm: Int32
    let id: Int64
    /// The version that it builds on.
    let baseVersion: UInt64
    let recorder = ChangeRecorder()
    /// Names the transaction wherever it is asked about, also after reconnecting.
    let uid = UniqueId()
    /// Set when the agent refused or lost it: committing will throw this.
    var failure: (any Error)?
    /// `access.generation` when it began: what was attached since then may have been created by it.
    let firstGeneration: UInt64
    /// Bytes that a query has made the agent apply; more is sent before the next query.
    var appendedChangeCount: UInt64 = 0

    init(_ grant: WriteGrant, firstGeneration: UInt64) {
        coordinator = grant.coordinator
        link = grant.handle.link
        realm = grant.handle.realm
        id = grant.reply.transaction
        baseVersion = grant.reply.version
        self.firstGeneration = firstGeneration
    }

    /// Lets the agent undo it, and others write. Waits for the agent: it takes the next transaction of this process
    /// only when this one is gone.
    func cancel() {
        // Without a connection there is nothing to undo any more.
        _ = try? link.call(WriteCancel(realm: realm, transaction: id))
        end()
    }

    /// As `cancel`, in the background: for threads that may not wait.
    func cancelLater() {
        DispatchQueue.global().async { [self] in cancel() }
    }

    /// Lets other threads of this process write.
    func end() {
        coordinator.writeTurn.end()
    }

    /// Sends what has been recorded so far.
    func append() {
        guard failure == nil else { return }
        let bytes = recorder.takeBytes()
        appendedChangeCount = recorder.changeCount
        guard !bytes.isEmpty else { return }
        do {
            try link.notify(WriteAppend(realm: realm, transaction: id, changes: Bytes(bytes)))
        } catch {
            // A lost connection shows again at commit, where it can be thrown and perhaps be mended.
            if (error as? WireError)?.code != .connectionLost { failure = error }
        }
    }
}
