/// Time, and what makes waiting pointless.
extension ClientConnection {
    /// When `tick` has something to do next.
    package var deadline: Duration? {
        var times: [Duration] = []
        switch state {
        case .waiting(let until), .connecting(let until): times.append(until)
        case .connected:
            if let lingersUntil { times.append(lingersUntil) }
            if let nextPing, !isPingDue { times.append(nextPing) }
            if let pongBy { times.append(pongBy) }
        case .idle, .refreshing: break
        }
        for case .suspended(let until?) in sessions.values.map(\.life) { times.append(until) }
        return times.min()
    }

    /// Time has passed: to be called at `deadline`, or more often.
    package mutating func tick(now: Duration) -> [ClientEffect] {
        for (ident, session) in sessions {
            if case .suspended(let until?) = session.life, now >= until { sessions[ident]?.resume() }
        }
        switch state {
        case .waiting(let until) where now >= until: connect(now)
        case .connecting(let until) where now >= until:
            outbox.effects.append(.disconnect)
            let effects = failed(.connectTimeout, now: now)
            return effects
        case .connected:
            if let by = pongBy, now >= by {
                if isPongUrgent { replace(now) } else { fail(.pongTimeout, now: now) }
            } else if let until = lingersUntil, now >= until {
                leave(now)
            } else if let due = nextPing, now >= due {
                ping(now)
            }
        default: break
        }
        return finish(now)
    }

    /// The network came back or is another one, the machine was asleep, or the application asks: delays end, what takes long
    /// to connect is begun anew, and live connections are tried (P-121), of which an answer is expected soon.
    package mutating func reconnectNow(now: Duration) -> [ClientEffect] {
        isBarred = false
        backoff.clear()
        if case .connecting(let until) = state, now - (until - timers.connect) >= timers.patience {
            outbox.effects.append(.disconnect)
            connect(now)
        }
        hurry(now)
        // A connection that the change has cut off says nothing of it.
        if let by = pongBy {
            if let urgentFailure, now - urgentFailure > timers.urgentMemory { urgentPong = timers.urgentPong }
            pongBy = min(by, now + urgentPong)
            isPongUrgent = true
        }
        return finish(now)
    }

    /// There is a new access token.
    package mutating func tokenRefreshed(now: Duration) -> [ClientEffect] {
        refreshed(now)
        return finish(now)
    }

    /// The location is known anew. The endpoint counts as good (P-18).
    package mutating func locationRefreshed(now: Duration) -> [ClientEffect] {
        isVerified = true
        refreshed(now)
        return finish(now)
    }

    /// The token or the location could not be had for now; the refresh is tried again after a delay (P-125).
    package mutating func refreshFailed(now: Duration) -> [ClientEffect] {
        guard state == .refreshing else { return [] }
        state = .waiting(until: now + backoff.failed(.connect, jitter: jitter()))
        return finish(now)
    }

    private mutating func refreshed(_ now: Duration) {
        for (ident, session) in sessions where session.isSuspended && session.resumesOnRefresh {
            sessions[ident]?.resume()
        }
        if state == .refreshing, let delay = delayAfterRefresh {
            state = .waiting(until: now + delay)
            delayAfterRefresh = nil
        } else {
            hurry(now)
        }
    }

    private mutating func hurry(_ now: Duration) {
        for (ident, session) in sessions {
            if case .suspended(.some) = session.life { sessions[ident]?.resume() }
        }
        switch state {
        case .waiting, .refreshing: connect(now)
        case .connected: if pongBy == nil { ping(now) }
        case .idle, .connecting: break
        }
    }

    /// The network has changed, and the connection hasn't survived it: nothing that a delay would spare anybody.
    private mutating func replace(_ now: Duration) {
        urgentPong = min(urgentPong * 2, timers.pong)
        urgentFailure = now
        outbox.effects.append(.disconnect)
        drop(now)
        connect(now)
    }

    /// The time for an answer runs from now on: a connection that takes no more bytes may be as dead as a silent one.
    private mutating func ping(_ now: Duration) {
        isPingDue = true
        pongBy = now + timers.pong
    }

    /// Nobody needs the connection any more (P-118).
    private mutating func leave(_ now: Duration) {
        outbox.effects.append(.disconnect)
        drop(now)
        state = .idle
        backoff.clear()
    }
}
