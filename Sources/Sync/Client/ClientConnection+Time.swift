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
            if let pingSentAt { times.append(pingSentAt + timers.pong) }
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
            if let sentAt = pingSentAt, now >= sentAt + timers.pong {
                fail(.pongTimeout, now: now)
            } else if let until = lingersUntil, now >= until {
                leave(now)
            } else if let due = nextPing, now >= due {
                isPingDue = true
            }
        default: break
        }
        return finish(now)
    }

    /// The network came back, or the application asks: delays end, and live connections are tried (P-121).
    package mutating func reconnectNow(now: Duration) -> [ClientEffect] {
        isBarred = false
        backoff.clear()
        hurry(now)
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
        case .connected: if pingSentAt == nil { isPingDue = true }
        case .idle, .connecting: break
        }
    }

    /// Nobody needs the connection any more (P-118).
    private mutating func leave(_ now: Duration) {
        outbox.effects.append(.disconnect)
        drop(now)
        state = .idle
        backoff.clear()
    }
}
