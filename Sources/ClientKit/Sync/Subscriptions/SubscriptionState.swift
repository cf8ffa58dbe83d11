import CPlatform
import Model
import Wire

/// What a process knows of the subscriptions of a realm, and the change of them that one of its threads makes.
final class SubscriptionState: Sendable {
    private struct State {
        /// The set that has been seen last.
        var latest: WireSubscriptionSet?
        var draft: SubscriptionDraft?
        /// The thread that the draft belongs to.
        var editor: UInt = 0
    }

    private let state = Lock(State())
    /// Changes are made one after the other.
    let turn = WriteTurn()

    private static var here: UInt { UInt(reeve_thread_identity()) }

    /// The set that has been seen last; the agent may know a newer one.
    var latest: WireSubscriptionSet? { state.withLock(\.latest) }

    func note(_ set: WireSubscriptionSet) {
        state.withLock { $0.latest = set }
    }

    /// The agent has told of a set.
    func received(_ change: SubscriptionsChanged) {
        state.withLock { state in
            guard let known = state.latest else { return }
            if change.version == known.version, change.state != .superseded {
                state.latest?.state = change.state
                state.latest?.error = change.error
            } else {
                state.latest = nil
            }
        }
    }

    // MARK: The draft

    /// Whether the calling thread runs the block of an update.
    var isEditedHere: Bool { state.withLock { $0.draft != nil && $0.editor == Self.here } }

    /// What the calling thread's block has come to; nil outside of one.
    var draft: SubscriptionDraft? { state.withLock { $0.editor == Self.here ? $0.draft : nil } }

    func begin(_ draft: SubscriptionDraft) {
        state.withLock { state in
            state.draft = draft
            state.editor = Self.here
        }
    }

    func end() -> SubscriptionDraft? {
        state.withLock { state in
            defer { state.draft = nil }
            return state.draft
        }
    }

    /// Changes the draft; nil outside of a block. `body` must not come back here.
    func edit<Result>(_ body: (inout SubscriptionDraft) -> Result) -> Result? {
        state.withLock { state in
            guard state.editor == Self.here, var draft = state.draft else { return nil }
            defer { state.draft = draft }
            return body(&draft)
        }
    }
}
