/// One connection of a sync server after its upgrade, without I/O: messages, answers of the history and time go in,
/// effects and messages come out.
///
/// Output is pulled: the driver takes `nextMessage` whenever it can write, so that a client that doesn't read costs one
/// DOWNLOAD a session and no more. Input is limited by `wantsInput`. Times are of one monotonic clock, whatever its zero.
package struct ServerConnection {
    private enum State: Hashable {
        case open
        /// A connection error waits to be sent; input is ignored.
        case failing(SessionFailure)
        /// The error was sent; the client must close before this time (P-92).
        case draining(until: Duration)
        case closed
    }

    package let agreed: SyncProtocol
    let limits: ServerLimits
    private var state = State.open
    private var sessions: [Int64: ServerSession] = [:]
    /// Sessions that have something to send, in the order of their turns (P-94).
    private var turns: [Int64] = []
    private var isQueued: Set<Int64> = []
    /// Sessions whose DOWNLOAD is being fetched or waits to be written, and those that wait for room for theirs.
    private var fetching: Set<Int64> = []
    private var starved: [Int64] = []
    private var isStarved: Set<Int64> = []
    private var pong: Int64?
    private var greeting: LogBody?
    private var lastSign: Duration
    private let expiry: Duration?
    private var outbox = ServerOutbox()

    /// - Parameters:
    ///   - requestId: the name of the connection in the logs of both ends (P-17).
    ///   - expiry: when the client's token has expired, grace included (P-129).
    package init(
        _ agreed: SyncProtocol, requestId: String, now: Duration, expiry: Duration? = nil,
        limits: ServerLimits = ServerLimits()
    ) {
        self.agreed = agreed
        self.limits = limits
        self.expiry = expiry
        lastSign = now
        if agreed.hasLogMessages {
            greeting = LogBody(requestId: requestId, level: .info, message: "Connected")
        }
    }

    // MARK: In

    /// A binary WebSocket message has arrived.
    package mutating func received(_ bytes: [UInt8], now: Duration) -> [ServerEffect] {
        guard state == .open else { return [] }
        do {
            try handle(try decode(bytes), size: bytes.count, now: now)
        } catch {
            fail(error)
        }
        return takeEffects()
    }

    /// The history has answered a request of a session.
    package mutating func answered(_ request: ServerRequest, _ answer: ServerAnswer) -> [ServerEffect] {
        guard state == .open, sessions[request.session] != nil else { return [] }
        outbox.canFetch = canFetch(request.session)
        do {
            if case .lookUp(let ident) = request.work { try demandAlone(ident) }
            try sessions[request.session]?.take(answer, number: request.number, &outbox)
        } catch {
            fail(error)
        }
        settle(request.session)
        return takeEffects()
    }

    /// The history of the session's realm has grown.
    package mutating func historyGrew(session: Int64) -> [ServerEffect] {
        guard state == .open, sessions[session] != nil else { return [] }
        outbox.canFetch = canFetch(session)
        sessions[session]?.needsScan = true
        sessions[session]?.scan(&outbox)
        settle(session)
        return takeEffects()
    }

    /// Ends a session from the server's side, for example with 200 after its permissions changed (F-38).
    package mutating func end(session: Int64, _ failure: SessionFailure) -> [ServerEffect] {
        guard state == .open, sessions[session] != nil else { return [] }
        if failure.code.isConnectionError { fail(failure) } else { sessions[session]?.fail(failure) }
        settle(session)
        return takeEffects()
    }

    /// Ends the connection from the server's side with an error of 1xx.
    package mutating func end(_ failure: SessionFailure) -> [ServerEffect] {
        fail(failure)
        return takeEffects()
    }

    /// Time has passed: to be called at `deadline`, or more often.
    package mutating func tick(now: Duration) -> [ServerEffect] {
        guard let deadline, now >= deadline else { return [] }
        let isExpired = state == .open && expiry.map { now >= $0 } == true
        // The client refreshes its token and reconnects, and its application sees nothing (P-129).
        outbox.effects.append(isExpired ? .close(code: 4001) : .disconnect)
        close()
        return takeEffects()
    }

    /// The connection is gone.
    package mutating func disconnected() -> [ServerEffect] {
        close()
        return takeEffects()
    }

    // MARK: State

    /// When `tick` has something to do; nil once closed.
    package var deadline: Duration? {
        switch state {
        case .open, .failing: min(lastSign + limits.idle, expiry ?? .seconds(Int64.max >> 10))
        case .draining(let until): until
        case .closed: nil
        }
    }

    /// False while more input would only wait: the driver stops reading.
    package var wantsInput: Bool { !sessions.values.contains(where: \.isInboxFull) }

    /// `nextMessage` has something.
    package var hasOutput: Bool {
        switch state {
        case .open: greeting != nil || pong != nil || !turns.isEmpty
        case .failing: true
        case .draining, .closed: false
        }
    }

    package var sessionCount: Int { sessions.count }

    // MARK: Out

    /// The next message to write, one binary WebSocket message, and what is to be done beside. PONG goes first.
    package mutating func nextMessage(now: Duration) -> (message: [UInt8]?, effects: [ServerEffect]) {
        let message = nextOutput(now: now)
        return (message?.encoded(for: agreed), takeEffects())
    }

    private mutating func nextOutput(now: Duration) -> ServerMessage? {
        if case .failing(let failure) = state {
            state = .draining(until: now + limits.drain)
            outbox.effects.append(.finish)
            return failure.message(session: 0, for: agreed)
        }
        guard state == .open else { return nil }
        if let timestamp = pong {
            pong = nil
            return .pong(timestamp: timestamp)
        }
        if let log = greeting {
            greeting = nil
            return .log(session: 0, log)
        }
        while !turns.isEmpty {
            let ident = turns.removeFirst()
            isQueued.remove(ident)
            outbox.canFetch = canFetch(ident)
            let message = sessions[ident]?.nextMessage(&outbox)
            settle(ident)
            if let message { return message }
        }
        return nil
    }

    // MARK: Inside

    private func decode(_ bytes: [UInt8]) throws(SessionFailure) -> ClientMessage {
        do throws(SyncMessageError) {
            guard bytes.count <= limits.messages.message else {
                throw SyncMessageError(.limitExceeded, rule: "P-24", offset: 0, "\(bytes.count) bytes are too many")
            }
            return try ClientMessage(decoding: bytes, for: agreed, limits: limits.messages)
        } catch {
            throw SessionFailure(error)
        }
    }

    private mutating func handle(_ message: ClientMessage, size: Int, now: Duration) throws(SessionFailure) {
        switch message {
        case .ping(let timestamp, _):
            guard pong == nil else { throw SessionFailure(.badMessageOrder, "a second PING before PONG") }
            pong = timestamp
            lastSign = max(lastSign, now)
        case .bind(let bind): try begin(bind)
        default:
            guard let ident = message.session, ident > 0, sessions[ident] != nil else {
                throw SessionFailure(.badSessionIdent, "no session \(message.session ?? 0)")
            }
            defer { settle(ident) }
            outbox.canFetch = canFetch(ident)
            try sessions[ident]?.receive(message, size: size, &outbox)
        }
    }

    private mutating func begin(_ bind: ClientMessage.Bind) throws(SessionFailure) {
        guard bind.session > 0 else { throw SessionFailure(.badSessionIdent, "BIND with session 0") }
        guard sessions[bind.session] == nil else {
            throw SessionFailure(.reuseOfSessionIdent, "session \(bind.session) is in use")
        }
        guard sessions.count < limits.sessions else {
            throw SessionFailure(.connectionClosed, "more than \(limits.sessions) sessions")
        }
        var session = ServerSession(bind: bind, agreed: agreed, limits: limits)
        try session.open(bind, &outbox)
        sessions[bind.session] = session
    }

    /// A file is bound once on a connection (P-51). Checked when the history has found it: an IDENT may wait for BIND.
    private func demandAlone(_ message: ClientMessage.Ident) throws(SessionFailure) {
        guard let session = sessions[message.session], session.state == .identifying else { return }
        for (ident, other) in sessions where ident != message.session && other.file == message.file.number {
            // Texts that Swift takes for equal can be different partitions.
            guard other.path.utf8.elementsEqual(session.path.utf8) || agreed.isFlexible, other.state == .steady,
                !other.isUnbinding
            else {
                continue
            }
            throw SessionFailure(.boundInOtherSession, "file \(message.file.number) is bound in session \(ident)")
        }
    }

    /// After something happened to a session: it gets a turn if it has something to send, and goes if it is over.
    private mutating func settle(_ ident: Int64) {
        guard let session = sessions[ident] else { return }
        if session.pendingFetch != nil || session.ready != nil {
            fetching.insert(ident)
        } else {
            fetching.remove(ident)
            if session.wantsFetch, isStarved.insert(ident).inserted { starved.append(ident) }
        }
        if session.state == .ended {
            sessions[ident] = nil
            outbox.effects.append(.ended(session: ident))
        } else if session.hasOutput, isQueued.insert(ident).inserted {
            turns.append(ident)
        }
    }

    private func canFetch(_ ident: Int64) -> Bool {
        fetching.contains(ident) || fetching.count < limits.downloads
    }

    /// Room has come free: those who waited longest fetch next.
    private mutating func feed() {
        outbox.canFetch = true
        while fetching.count < limits.downloads, !starved.isEmpty {
            let ident = starved.removeFirst()
            isStarved.remove(ident)
            sessions[ident]?.scan(&outbox)
            settle(ident)
        }
    }

    private mutating func fail(_ failure: SessionFailure) {
        guard state == .open else { return }
        release()
        state = .failing(failure)
    }

    private mutating func close() {
        guard state != .closed else { return }
        release()
        state = .closed
    }

    private mutating func release() {
        for ident in sessions.keys.sorted() { outbox.effects.append(.ended(session: ident)) }
        sessions = [:]
        turns = []
        isQueued = []
        fetching = []
        starved = []
        isStarved = []
        pong = nil
        greeting = nil
    }

    private mutating func takeEffects() -> [ServerEffect] {
        feed()
        defer { outbox.effects = [] }
        return outbox.effects
    }
}
