/// The connection of a sync client that sessions share, without I/O (P-116): messages, answers of the files and time go
/// in, effects and messages come out.
///
/// Output is pulled: the driver takes `nextMessage` whenever it can write. Input is limited by `wantsInput`. Times are of
/// one monotonic clock, whatever its zero; randomness comes from `jitter`, a source of numbers in 0..<1.
package struct ClientConnection {
    package enum State: Hashable, Sendable {
        /// Nothing to connect for, or nobody may until asked (P-119).
        case idle
        /// Connects at this time.
        case waiting(until: Duration)
        /// Connects once the token or the location is there.
        case refreshing
        /// The driver connects, until this time at most.
        case connecting(until: Duration)
        case connected
    }

    package internal(set) var state = State.idle
    package let mode: SyncProtocol.Mode
    let timers: ClientTimers
    let limits: ClientLimits
    let jitter: @Sendable () -> Double

    var sessions: [Int64: ClientSession] = [:]
    /// Sessions that have something to send, in the order of their turns.
    var turns: [Int64] = []
    var isQueued: Set<Int64> = []
    var agreed: SyncProtocol
    var outbox = ClientOutbox()

    // Failure and return.
    var backoff: Backoff<ConnectionFailure.Kind>
    /// The endpoint has been connected to (P-122).
    var isVerified = false
    /// Never before somebody asks for it.
    var isBarred = false
    /// How long to wait after a refresh that was needed before.
    var delayAfterRefresh: Duration?
    var disconnectedAt: Duration?
    var lingersUntil: Duration?

    // PING and PONG.
    var nextPing: Duration?
    /// PING goes out with the next message.
    var isPingDue = false
    var pingSentAt: Duration?
    /// When a PONG must have come to the PING that is due or out.
    var pongBy: Duration?
    /// That is soon, because the network has changed.
    var isPongUrgent = false
    /// How soon: longer when none has come lately, lest a slow connection be given up again and again.
    var urgentPong: Duration
    var urgentFailure: Duration?
    var pingTimestamp: Int64 = 0
    var roundTrip: Int64 = 0

    package init(
        _ mode: SyncProtocol.Mode, timers: ClientTimers = ClientTimers(), limits: ClientLimits = ClientLimits(),
        jitter: @escaping @Sendable () -> Double
    ) {
        self.mode = mode
        self.timers = timers
        self.limits = limits
        self.jitter = jitter
        agreed = SyncProtocol(mode)
        backoff = Backoff(timers.backoff)
        urgentPong = timers.urgentPong
    }

    // MARK: Sessions

    /// Adds a session; connects if need be.
    package mutating func add(
        _ options: ClientSessionOptions, file: ClientFile, now: Duration
    ) -> [ClientEffect] {
        precondition(sessions[options.session] == nil && options.session > 0, "session \(options.session) is in use")
        var session = ClientSession(options, file: file, limits: limits)
        if state == .connected { session.connected(agreed, isFast: false) }
        sessions[options.session] = session
        return finish(now)
    }

    /// Takes a session away: `ended` follows when the server has been told, or can't be.
    package mutating func remove(session: Int64, now: Duration) -> [ClientEffect] {
        sessions[session]?.deactivate(&outbox)
        return finish(now)
    }

    /// The session leaves the server until it is resumed.
    package mutating func suspend(session: Int64, now: Duration) -> [ClientEffect] {
        sessions[session]?.suspend(until: nil)
        return finish(now)
    }

    /// Brings a suspended session back, fatal errors or not.
    package mutating func resume(session: Int64, now: Duration) -> [ClientEffect] {
        sessions[session]?.resume()
        isBarred = false
        return finish(now)
    }

    /// The file has a new version: a transaction was committed.
    package mutating func committed(session: Int64, newestVersion: Int64, now: Duration) -> [ClientEffect] {
        perform(session, now) { session, outbox in
            session.newestVersion = max(session.newestVersion, newestVersion)
        }
    }

    /// A set of subscriptions was committed (F-21).
    package mutating func subscribed(session: Int64, _ query: PendingQuery, now: Duration) -> [ClientEffect] {
        perform(session, now) { session, outbox in
            session.options.queries.pending.append(query)
            session.newestVersion = max(session.newestVersion, query.snapshotVersion)
        }
    }

    /// The prepared client reset has been performed (P-98). Under flexible sync the session goes on with `queries`.
    package mutating func resetPerformed(
        session: Int64, file: ClientFile, queries: SessionQueries = SessionQueries(), now: Duration
    ) -> [ClientEffect] {
        perform(session, now) { session, _ in
            guard session.options.awaitsReset else { return }
            session.options.queries = queries
            session.resetPerformed(file)
        }
    }

    /// `completed` with this number follows once everything on the server now is in the file (P-114).
    package mutating func awaitDownload(session: Int64, waiter: Int64, now: Duration) -> [ClientEffect] {
        perform(session, now) { session, outbox in session.awaitDownload(waiter, &outbox) }
    }

    /// `completed` with this number follows once everything in the file now is on the server (P-115).
    package mutating func awaitUpload(session: Int64, waiter: Int64, now: Duration) -> [ClientEffect] {
        perform(session, now) { session, outbox in session.awaitUpload(waiter, &outbox) }
    }

    /// A file has answered.
    package mutating func answered(_ request: StoreRequest, _ answer: StoreAnswer, now: Duration) -> [ClientEffect] {
        guard sessions[request.session] != nil else { return [] }
        if case .stored = answer, case .integrate = request.work { backoff.clear() }
        do throws(ClientSession.Violation) {
            try sessions[request.session]?.take(answer, number: request.number, &outbox)
        } catch {
            fail(.violation(error.message), now: now)
        }
        return finish(now)
    }

    package var sessionCount: Int { sessions.count }

    /// False while more input would only wait: the driver stops reading.
    package var wantsInput: Bool { !sessions.values.contains(where: \.isInboxFull) }

    // MARK: Inside

    private mutating func perform(
        _ ident: Int64, _ now: Duration, _ body: (inout ClientSession, inout ClientOutbox) -> Void
    ) -> [ClientEffect] {
        guard var session = sessions[ident] else { return [] }
        body(&session, &outbox)
        do throws(ClientSession.Violation) {
            try session.work(&outbox)
            sessions[ident] = session
        } catch {
            sessions[ident] = session
            fail(.violation(error.message), now: now)
        }
        return finish(now)
    }

    /// After anything that happened: sessions get their turns or go, and the connection is made or let go.
    mutating func finish(_ now: Duration) -> [ClientEffect] {
        for ident in sessions.keys.sorted() { settle(ident) }
        let isNeeded = sessions.values.contains { $0.isActive || $0.life == .deactivating }
        let isAwaited = sessions.values.contains { if case .suspended(.some) = $0.life { true } else { false } }
        switch state {
        case .idle where sessions.values.contains(where: \.isActive) && !isBarred: connect(now)
        case .connected:
            if isNeeded {
                lingersUntil = nil
            } else if lingersUntil == nil {
                lingersUntil = now + timers.linger
            }
        case .waiting where !isNeeded && !isAwaited: state = .idle
        default: break
        }
        defer { outbox.effects = [] }
        return outbox.effects
    }

    private mutating func settle(_ ident: Int64) {
        guard let session = sessions[ident] else { return }
        if session.life == .ended {
            sessions[ident] = nil
            outbox.effects.append(.ended(session: ident))
        } else if session.hasOutput, isQueued.insert(ident).inserted {
            turns.append(ident)
        }
    }

    mutating func connect(_ now: Duration) {
        state = .connecting(until: now + timers.connect)
        outbox.effects.append(.connect)
    }
}
