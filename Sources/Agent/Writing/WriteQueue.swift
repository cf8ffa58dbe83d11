/// Who may write a realm, and when: strictly in order of asking, one at a time.
///
/// Three kinds of turns wait in one line, so that none can starve another: transactions that a client keeps open over
/// several requests, whole transactions that came in one request, and the agent's own work (schema, compaction).
/// Whole transactions that stand behind one another are let through together, to share one LMDB commit.
/// Pure: time is a parameter and effects are returned.
struct WriteQueue {
    /// A handle of a realm on a client's connection.
    typealias Client = UInt64

    /// One turn, named by the transaction's number.
    struct Turn: Hashable {
        enum Kind: Hashable {
            /// Held by the client between requests.
            case open
            /// Everything is at hand; may run together with others of its kind.
            case whole
            /// The agent's own; runs alone.
            case exclusive
        }

        var transaction: Int64
        var client: Client?
        var kind: Kind
    }

    enum Action: Hashable {
        /// It is this transaction's turn: tell the client, mind the stall limit.
        case grant(Turn)
        /// Run these in order, then report `finished`.
        case run([Turn])
        /// Undo the open transaction on the writer thread, then report `finished`.
        case rollBack(Turn)
        /// Forget these; they never begin.
        case drop([Turn])
    }

    enum Refusal: Error, Hashable {
        /// Not the holder's: never granted, ended, or another client's.
        case notHeld
        /// Rolled back because its client sent nothing for too long.
        case stalled
    }

    private enum State {
        case free
        /// In the client's hands since its last sign of life, or since the writer thread did the last of what it was
        /// given for it: while `jobs` are left it is not the client who is awaited.
        case held(Turn, since: ContinuousClock.Instant, jobs: Int)
        /// In the hands of the writer thread.
        case busy([Turn])
    }

    /// Silence after which a holder is rolled back if others wait.
    let stallLimit: Duration
    /// Whole transactions that run together at most.
    let batchLimit: Int
    private var state = State.free
    private var waiting: [Turn] = []
    /// Stalled transactions whose clients haven't been told yet, by client.
    private var stalled: [Client: Int64] = [:]

    init(stallLimit: Duration = .seconds(10), batchLimit: Int = 64) {
        self.stallLimit = stallLimit
        self.batchLimit = batchLimit
    }

    /// Whether nobody writes or waits.
    var isIdle: Bool {
        if case .free = state { waiting.isEmpty } else { false }
    }

    var waitingCount: Int { waiting.count }

    /// The turn that a client holds open, if one does.
    var holder: Turn? {
        switch state {
        case .held(let turn, _, _): turn
        case .busy(let turns): turns.first { $0.kind == .open }
        case .free: nil
        }
    }

    /// When the holder will have been silent for too long; nil while nobody holds the lock or has to send anything, or
    /// nobody else waits.
    var stallDeadline: ContinuousClock.Instant? {
        if case .held(_, let since, 0) = state, !waiting.isEmpty { since + stallLimit } else { nil }
    }

    /// Whether the client waits for or holds an open transaction. One that it has ended doesn't count.
    func isInvolved(_ client: Client) -> Bool {
        if let holder, case .held = state, holder.client == client { return true }
        return waiting.contains { $0.client == client && $0.kind == .open }
    }

    mutating func request(_ turn: Turn, now: ContinuousClock.Instant) -> [Action] {
        waiting.append(turn)
        return advance(now)
    }

    /// The holder sent something that belongs to its transaction, for the writer thread to do: `didJob` ends it.
    mutating func beginJob(_ transaction: Int64, by client: Client) throws(Refusal) {
        guard case .held(let turn, let since, let jobs) = state, turn.transaction == transaction, turn.client == client
        else {
            if stalled[client] == transaction { throw .stalled }
            throw .notHeld
        }
        state = .held(turn, since: since, jobs: jobs + 1)
    }

    /// The writer thread has done one of the holder's jobs. Nothing if the transaction has been ended meanwhile.
    mutating func didJob(_ transaction: Int64, now: ContinuousClock.Instant) {
        guard case .held(let turn, _, let jobs) = state, turn.transaction == transaction else { return }
        precondition(jobs > 0, "a job of transaction \(transaction) ended that hadn't begun")
        state = .held(turn, since: now, jobs: jobs - 1)
    }

    /// The holder can't be heard, by no fault of its own: its silence counts from now on.
    mutating func excuse(now: ContinuousClock.Instant) {
        if case .held(let turn, _, let jobs) = state { state = .held(turn, since: now, jobs: jobs) }
    }

    /// The holder has ended its transaction: the writer thread commits or cancels it and reports `finished`.
    mutating func end(_ transaction: Int64, by client: Client) throws(Refusal) {
        guard case .held(let turn, _, _) = state, turn.transaction == transaction, turn.client == client else {
            if stalled[client] == transaction {
                stalled[client] = nil
                throw .stalled
            }
            throw .notHeld
        }
        state = .busy([turn])
    }

    /// The writer thread is through with what it was given: committed in LMDB, or undone.
    mutating func finished(now: ContinuousClock.Instant) -> [Action] {
        state = .free
        return advance(now)
    }

    /// The connection is gone: it neither holds nor waits any more. What the writer thread has begun, it ends.
    mutating func clientLeft(_ client: Client) -> [Action] {
        stalled[client] = nil
        let dropped = waiting.filter { $0.client == client }
        waiting.removeAll { $0.client == client }
        return (dropped.isEmpty ? [] : [.drop(dropped)]) + abandonHeld(by: client)
    }

    /// The client sends nothing more: what it holds open is undone, what it waits for isn't.
    mutating func abandonHeld(by client: Client) -> [Action] {
        guard case .held(let turn, _, _) = state, turn.client == client else { return [] }
        state = .busy([turn])
        return [.rollBack(turn)]
    }

    /// Takes the lock from a holder that has been silent for too long while others wait.
    mutating func checkStall(now: ContinuousClock.Instant) -> [Action] {
        guard case .held(let turn, let since, 0) = state, !waiting.isEmpty, since + stallLimit <= now else { return [] }
        if let client = turn.client { stalled[client] = turn.transaction }
        state = .busy([turn])
        return [.rollBack(turn)]
    }

    /// Takes back every turn that hasn't begun. The holder keeps its own.
    mutating func refuseWaiting() -> [Turn] {
        defer { waiting = [] }
        return waiting
    }

    private mutating func advance(_ now: ContinuousClock.Instant) -> [Action] {
        guard case .free = state, let first = waiting.first else { return [] }
        switch first.kind {
        case .open:
            waiting.removeFirst()
            state = .held(first, since: now, jobs: 0)
            return [.grant(first)]
        case .exclusive:
            waiting.removeFirst()
            state = .busy([first])
            return [.run([first])]
        case .whole:
            let turns = Array(waiting.prefix(batchLimit).prefix { $0.kind == .whole })
            waiting.removeFirst(turns.count)
            state = .busy(turns)
            return [.run(turns)]
        }
    }
}
