/// What the client sends.
extension ServerSession {
    /// Begins: the history opens the realm. Throws what ends the connection.
    mutating func open(_ bind: ClientMessage.Bind, _ outbox: inout ServerOutbox) throws(SessionFailure) {
        var flexible: FlexibleBind?
        if agreed.isFlexible {
            // Clients of that age send a path (P-29).
            if agreed.hasJSONBind || bind.path.hasPrefix("{") {
                do { flexible = try FlexibleBind(text: bind.path) } catch { throw SessionFailure(error) }
            } else {
                flexible = FlexibleBind()
            }
        }
        pending = outbox.ask(
            ident, .open(path: bind.path, flexible: flexible, needsIdent: bind.needsIdent))
    }

    /// Takes a message of this session, of `size` bytes. Throws what ends the connection (P-91).
    mutating func receive(
        _ message: ClientMessage, size: Int, _ outbox: inout ServerOutbox
    ) throws(SessionFailure) {
        if isUnbinding { throw SessionFailure(.badMessageOrder, "a message follows UNBIND") }
        if case .unbind = message {
            isUnbinding = true
            switch state {
            case .waitForUnbind:
                // The error was the answer (P-59).
                state = .ended
                return
            case .steady: break
            default:
                becomeUnbound()
                return
            }
        }
        switch state {
        case .sendError, .waitForUnbind, .sendUnbound, .ended: return
        case .opening(needsIdent: true), .sendIdent:
            guard case .testCommand = message else {
                throw SessionFailure(.badMessageOrder, "a message precedes the answer to BIND")
            }
        default: break
        }
        guard inbox.count < limits.inboxFlood else {
            throw SessionFailure(.connectionClosed, "Backlog full")
        }
        inbox.append(message)
        inboxBytes += size
        try workOff(&outbox)
    }

    /// Handles what waits, as far as the history doesn't have to be asked first.
    mutating func workOff(_ outbox: inout ServerOutbox) throws(SessionFailure) {
        while pending == nil, let message = inbox.first {
            inbox.removeFirst()
            // Sizes aren't kept by message: the count is right whenever the inbox is empty, and never too low.
            if inbox.isEmpty { inboxBytes = 0 }
            try handle(message, &outbox)
        }
        scan(&outbox)
    }

    private mutating func handle(_ message: ClientMessage, _ outbox: inout ServerOutbox) throws(SessionFailure) {
        if case .testCommand(_, let request, _) = message {
            guard testAnswers.count < limits.testCommands else {
                throw SessionFailure(.badMessageOrder, "too many TEST_COMMANDs")
            }
            testAnswers.append(request)
            return
        }
        switch state {
        case .waitForIdent:
            guard case .ident(let message) = message else {
                throw SessionFailure(.badMessageOrder, "a message precedes IDENT")
            }
            state = .identifying
            pendingMessage = .ident(message)
            pending = outbox.ask(ident, .lookUp(message))
        case .steady: try handleSteady(message, &outbox)
        default: break
        }
    }

    private mutating func handleSteady(
        _ message: ClientMessage, _ outbox: inout ServerOutbox
    ) throws(SessionFailure) {
        switch message {
        case .upload(let upload):
            var uploads = [upload]
            while case .upload(let next)? = inbox.first {
                uploads.append(next)
                inbox.removeFirst()
            }
            if inbox.isEmpty { inboxBytes = 0 }
            do {
                for upload in uploads { try self.uploads.take(upload, position: position) }
            } catch {
                fail(error)
                return
            }
            if uploads.contains(where: { !$0.entries.isEmpty }) { isUploadPending = true }
            pending = outbox.ask(ident, .integrate(file: file, uploads))
        case .mark(_, let request):
            guard request > lastMark else { throw SessionFailure(.badMessageOrder, "MARK requests don't increase") }
            lastMark = request
            if marks.count >= limits.marks { marks.removeLast() }
            marks.append(Mark(request: request))
            needsScan = true
        case .query(_, let query):
            guard query.version > queryVersion else {
                throw SessionFailure(.badMessageOrder, "query versions don't increase")
            }
            queryVersion = query.version
            pendingMessage = .query(session: ident, query)
            pending = outbox.ask(ident, .query(file: file, query))
        case .error(let code, _, let message):
            outbox.effects.append(.clientFailed(session: ident, code: code, message: message))
            // Without an answer it would be stuck until it reconnects (P-62).
            let isReset = (208...212).contains(code.rawValue)
            fail(
                SessionFailure(
                    isReset ? code : .badClientFile,
                    ErrorBody(
                        message: "The client can't go on with its file: \(message.prefix(500))", tryAgain: false,
                        action: .clientReset)))
        case .unbind: becomeUnbound()
        case .ident: throw SessionFailure(.badMessageOrder, "a second IDENT")
        case .bind, .ping, .testCommand: break
        }
    }

    /// There may be a next part of the history, and it is time to ask for it.
    var wantsFetch: Bool {
        state == .steady && !isUnbinding && (needsScan || isDownloadDue) && pendingFetch == nil && ready == nil
    }

    /// Asks for the next part of the history if there may be one and there is room for it.
    mutating func scan(_ outbox: inout ServerOutbox) {
        guard wantsFetch, outbox.canFetch else { return }
        needsScan = false
        isFetchDue = isDownloadDue
        isDownloadDue = false
        markInFetch = lastMark
        pendingFetch = outbox.ask(
            ident, .fetch(file: file, after: cursor, byteLimit: limits.downloadBytes))
    }
}
