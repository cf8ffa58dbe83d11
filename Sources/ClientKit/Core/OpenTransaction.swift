import Foundation
import Wire

/// A granted write transaction, as this process sees it.
final class OpenTransaction {
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

    init(link: AgentLink, realm: Int32, id: Int64, baseVersion: UInt64, firstGeneration: UInt64) {
        self.link = link
        self.realm = realm
        self.id = id
        self.baseVersion = baseVersion
        self.firstGeneration = firstGeneration
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
