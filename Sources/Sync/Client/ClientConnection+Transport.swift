/// What comes from the transport and goes to it.
extension ClientConnection {
    /// The upgrade is done, with this answer.
    package mutating func connected(_ agreed: SyncProtocol, now: Duration) -> [ClientEffect] {
        guard case .connecting = state, agreed.mode == mode else { return [] }
        state = .connected
        self.agreed = agreed
        isVerified = true
        delayAfterRefresh = nil
        let isFast = disconnectedAt.map { now - $0 <= timers.fastReconnect } ?? false
        nextPing = now + timers.ping * (1 - jitter())
        forgetPing()
        roundTrip = 0
        for ident in sessions.keys { sessions[ident]?.connected(agreed, isFast: isFast) }
        return finish(now)
    }

    /// Connecting failed, or the connection has ended; while a token is fetched, only that there will be none.
    package mutating func failed(_ failure: ConnectionFailure, now: Duration) -> [ClientEffect] {
        switch state {
        case .connecting, .connected: break
        case .refreshing:
            guard case .loggedOut = failure else { return [] }
        case .idle, .waiting: return []
        }
        end(failure, now: now)
        return finish(now)
    }

    /// A binary WebSocket message has arrived.
    package mutating func received(_ bytes: [UInt8], now: Duration) -> [ClientEffect] {
        guard state == .connected else { return [] }
        let message: ServerMessage
        do throws(SyncMessageError) {
            guard bytes.count <= limits.messages.message else {
                throw SyncMessageError(.limitExceeded, rule: "P-24", offset: 0, "\(bytes.count) bytes are too many")
            }
            message = try ServerMessage(decoding: bytes, for: agreed, limits: limits.messages)
        } catch {
            fail(.violation(error.description), now: now)
            return finish(now)
        }
        do throws(ClientSession.Violation) {
            try handle(message, size: bytes.count, now: now)
        } catch {
            fail(.violation(error.message), now: now)
        }
        return finish(now)
    }

    /// `nextMessage` has something.
    package var hasOutput: Bool { state == .connected && (isPingDue || !turns.isEmpty) }

    /// The next message to write, one binary WebSocket message, and what is to be done beside. PING goes first.
    package mutating func nextMessage(now: Duration) -> (message: [UInt8]?, effects: [ClientEffect]) {
        guard state == .connected else { return (nil, []) }
        if isPingDue {
            isPingDue = false
            nextPing = nil
            pingSentAt = now
            pingTimestamp = Self.milliseconds(now)
            let ping = ClientMessage.ping(timestamp: pingTimestamp, roundTrip: roundTrip)
            return (ping.encoded(), finish(now))
        }
        while !turns.isEmpty {
            let ident = turns.removeFirst()
            isQueued.remove(ident)
            guard let message = sessions[ident]?.nextMessage(&outbox) else { continue }
            do throws(ClientSession.Violation) {
                try sessions[ident]?.work(&outbox)
            } catch {
                fail(.violation(error.message), now: now)
                return (nil, finish(now))
            }
            return (message.encoded(), finish(now))
        }
        return (nil, finish(now))
    }

    // MARK: Inside

    private mutating func handle(
        _ message: ServerMessage, size: Int, now: Duration
    ) throws(ClientSession.Violation) {
        switch message {
        case .pong(let timestamp):
            guard let sentAt = pingSentAt, timestamp == pingTimestamp else {
                throw ClientSession.Violation(message: "PONG \(timestamp) that wasn't asked for (P-73)")
            }
            forgetPing()
            urgentPong = timers.urgentPong
            roundTrip = max(0, Self.milliseconds(now) - Self.milliseconds(sentAt))
            nextPing = now + timers.ping * (1 - jitter() / 10)
        case .error(let code, 0, let text, let tryAgain):
            var body = ErrorBody(code, text)
            body.tryAgain = tryAgain
            try end(code, body, now: now)
        case .jsonError(let code, 0, let body): try end(code, body, now: now)
        case .log(0, let log): outbox.effects.append(.log(session: 0, log))
        default:
            guard sessions[message.session] != nil else {
                throw ClientSession.Violation(message: "a message for session \(message.session), which isn't there")
            }
            try sessions[message.session]?.receive(message, size: size, now: now, jitter: jitter, &outbox)
        }
    }

    private mutating func end(
        _ code: SyncErrorCode, _ body: ErrorBody, now: Duration
    ) throws(ClientSession.Violation) {
        guard code.isConnectionError else {
            throw ClientSession.Violation(message: "error \(code) without a session (P-75)")
        }
        fail(.server(code, body), now: now)
    }

    /// The client ends the connection.
    mutating func fail(_ failure: ConnectionFailure, now: Duration) {
        guard state == .connected else { return }
        outbox.effects.append(.disconnect)
        end(failure, now: now)
    }

    /// What follows from the end of a connection, or of the attempt to make one.
    private mutating func end(_ failure: ConnectionFailure, now: Duration) {
        if state == .connected { drop(now) }
        let reaction = ConnectionReaction(failure, isVerified: isVerified)
        for ident in sessions.keys.sorted() { react(reaction, ident) }
        if reaction.logsOut { outbox.effects.append(.logOut) }
        let isFirst = !backoff.hasFailed
        let delay = backoff.failed(failure.kind, asked: reaction.backoff, jitter: jitter())
        switch reaction.retry {
        case .backoff: state = .waiting(until: now + delay)
        case .never:
            state = .idle
            isBarred = true
        case .token, .location:
            state = .refreshing
            // Once it is refreshed the client connects at once, but not again and again (P-6).
            delayAfterRefresh = isFirst ? nil : delay
            outbox.effects.append(reaction.retry == .token ? .refreshToken : .refreshLocation)
            if reaction.retry == .location { isVerified = false }
        }
    }

    private mutating func react(_ reaction: ConnectionReaction, _ ident: Int64) {
        guard sessions[ident]?.isActive == true else { return }
        if let report = reaction.report {
            if reaction.resetsFiles {
                outbox.effects.append(.reset(session: ident, report, partitionQuery: nil))
            } else {
                outbox.effects.append(.report(session: ident, report))
            }
            if report.isFatal, !reaction.resetsFiles { sessions[ident]?.abandonWaiters(&outbox) }
        }
        if reaction.stopsSessions { sessions[ident]?.suspend(until: nil) }
    }

    /// The transport is gone.
    mutating func drop(_ now: Duration) {
        disconnectedAt = now
        lingersUntil = nil
        nextPing = nil
        forgetPing()
        turns = []
        isQueued = []
        for ident in sessions.keys { sessions[ident]?.disconnected() }
    }

    private mutating func forgetPing() {
        (pingSentAt, pongBy) = (nil, nil)
        (isPingDue, isPongUrgent) = (false, false)
    }

    private static func milliseconds(_ time: Duration) -> Int64 {
        max(0, time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000)
    }
}
