/// What is to be sent, one message a turn, in the order of P-94.
extension ServerSession {
    /// There is a message to send.
    var hasOutput: Bool {
        switch state {
        case .sendIdent, .sendError, .sendUnbound: true
        case .waitForIdent: !testAnswers.isEmpty
        case .steady:
            !isUnbinding
                && (!testAnswers.isEmpty || !notices.isEmpty || !queryErrors.isEmpty || ready != nil || isMarkReached)
        case .opening, .identifying, .waitForUnbind, .ended: false
        }
    }

    /// Everything up to the first MARK has been sent (P-71).
    private var isMarkReached: Bool {
        guard let target = marks.first?.target, ready == nil, !isBootstrapOutstanding else { return false }
        return cursor.server >= target
    }

    /// The next message. The history is asked for more as room becomes free.
    mutating func nextMessage(_ outbox: inout ServerOutbox) -> ServerMessage? {
        switch state {
        case .sendIdent(let file):
            state = .waitForIdent
            return .ident(session: ident, file)
        case .sendError(let failure):
            state = .waitForUnbind
            return failure.message(session: ident, for: agreed)
        case .sendUnbound:
            state = .ended
            return .unbound(session: ident)
        case .waitForIdent, .steady:
            guard hasOutput else { return nil }
            if !testAnswers.isEmpty {
                return .testCommand(session: ident, request: testAnswers.removeFirst(), body: "{}")
            }
            return nextSteady(&outbox)
        case .opening, .identifying, .waitForUnbind, .ended: return nil
        }
    }

    private mutating func nextSteady(_ outbox: inout ServerOutbox) -> ServerMessage? {
        if !notices.isEmpty { return notices.removeFirst().message(session: ident, for: agreed) }
        if ready?.notices.isEmpty == false {
            return ready?.notices.removeFirst().message(session: ident, for: agreed)
        }
        if !queryErrors.isEmpty {
            let error = queryErrors.removeFirst()
            return .queryError(
                code: .badQuery, session: ident, queryVersion: error.version, message: error.message)
        }
        if let batch = ready {
            ready = nil
            let message = message(batch)
            cursor = batch.progress
            position = max(position, batch.progress.server)
            // The client compares the parts of a bootstrap with what it had before (P-69).
            if case .flexible(_, .moreToCome, _) = batch.contents {} else { reference.advance(by: message) }
            if let ending = batch.ending { fail(ending) } else { scan(&outbox) }
            return .download(message)
        }
        return .mark(session: ident, request: marks.removeFirst().request)
    }
}
