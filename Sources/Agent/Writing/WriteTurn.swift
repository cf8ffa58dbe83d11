import EventLoop
import Store
import Wire

/// What waits for its turn to write.
enum WriteTurn {
    /// A client's transaction over several requests.
    case open(RealmHandle, Responder)
    case whole(WholeCommit, Receipt)
    case exclusive(ExclusiveWork)
}

/// A whole transaction that came in one request.
struct WholeCommit: Sendable {
    var changes: [UInt8]
    var uid: TransactionUID
    /// Refuse if an object that is to be created exists.
    var mustCreate: Bool
    /// Refuse if the realm has another version by now.
    var ifVersion: UInt64?
}

/// How the agent lets a requester know that its commit is on disk, or isn't.
struct Receipt: Sendable {
    /// What the thread that made it durable may send without the loop.
    struct DirectReply: Sendable {
        var outlet: DirectOutlet
        /// Of the request.
        var id: Int64
        /// Number of the pin that the reply gives.
        var pin: Int64
        /// Runs on the loop before the client can answer: makes the pin.
        var prepare: @Sendable @LoopActor (HeldSnapshot) -> Void
    }

    var direct: DirectReply?
    /// The version that the commit made, once it is made.
    var own: UInt64?
    /// Gets the snapshot that contains the commit, the version that it made, and what became of the direct reply.
    var succeed: @Sendable @LoopActor (HeldSnapshot, UInt64?, DirectOutlet.Outcome) -> Void
    var fail: @Sendable @LoopActor (WireError) -> Void
    /// The commit stands, but nobody can say more of it: whoever waits must not take it for failed.
    var lose: @Sendable @LoopActor (WireError) -> Void

    init(
        direct: DirectReply,
        succeed: @escaping @Sendable @LoopActor (HeldSnapshot, UInt64?, DirectOutlet.Outcome) -> Void,
        fail: @escaping @Sendable @LoopActor (WireError) -> Void,
        lose: @escaping @Sendable @LoopActor (WireError) -> Void
    ) {
        self.direct = direct
        self.succeed = succeed
        self.fail = fail
        self.lose = lose
    }

    /// Answered by the loop.
    init(
        succeed: @escaping @Sendable @LoopActor (HeldSnapshot) -> Void,
        fail: @escaping @Sendable @LoopActor (WireError) -> Void,
        lose: (@Sendable @LoopActor (WireError) -> Void)? = nil
    ) {
        self.succeed = { snapshot, _, _ in succeed(snapshot) }
        self.fail = fail
        self.lose = lose ?? fail
    }
}

/// Work of the agent's own that has the realm to itself.
struct ExclusiveWork: Sendable {
    /// Runs on the writer thread and says how to answer once everything up to then is on disk.
    var body: @Sendable (RealmWriter) throws -> Receipt
    var fail: @Sendable @LoopActor (WireError) -> Void
}

extension TransactionUID {
    init(_ id: UniqueId) {
        self = withUnsafeBytes(of: id.uuid.uuid) {
            TransactionUID(
                high: $0.loadUnaligned(as: UInt64.self), low: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
    }
}
