/// What the server sends. Thrown is what breaks the protocol, and the connection with it (P-34).
extension ClientSession {
    struct Violation: Error {
        var message: String
    }

    mutating func receive(
        _ message: ServerMessage, size: Int, now: Duration, jitter: () -> Double, _ outbox: inout ClientOutbox
    ) throws(Violation) {
        // Some servers answer UNBIND although they have sent an error.
        if case .unbound = message, errorReceived, unbindSent { return }
        guard bindSent, !isUnbound else { throw Violation(message: "a message for a session that isn't bound") }
        switch message {
        case .error(let code, _, let text, let tryAgain):
            var body = ErrorBody(code, text)
            body.tryAgain = tryAgain
            try take(code, body, isPlain: true, now: now, jitter: jitter, &outbox)
        case .jsonError(let code, _, let body):
            try take(code, body, isPlain: false, now: now, jitter: jitter, &outbox)
        case .unbound:
            guard unbindSent else { throw Violation(message: "UNBOUND before UNBIND") }
            unboundReceived = true
            finishUnbinding()
        case .ident where errorReceived: throw Violation(message: "IDENT after an error")
        case .download, .ident, .mark, .queryError, .log, .testCommand, .pong:
            // On its way when the session left (P-101), or of no use any more (P-61).
            if unbindSent || !isActive || mustUnbind || integrationFailed { return }
            guard !errorReceived else { throw Violation(message: "a message follows an error") }
            inbox.append(message)
            inboxBytes += size
            try work(&outbox)
        }
    }

    /// Gives the file something to do if it has nothing, first what came from the server, then uploads in their turn.
    mutating func work(_ outbox: inout ClientOutbox) throws(Violation) {
        storeAcknowledgement(&outbox)
        while pending == nil, isActive, isConnected, !inbox.isEmpty {
            if yieldsToUpload {
                yieldsToUpload = false
                scan(&outbox)
                if pending != nil { return }
            }
            let message = inbox.removeFirst()
            // Sizes aren't kept by message: the count is right whenever the inbox is empty, and never too low.
            if inbox.isEmpty { inboxBytes = 0 }
            try handle(message, &outbox)
        }
        if pending == nil { scan(&outbox) }
        if pending == nil { askForUploadable(&outbox) }
    }

    private mutating func handle(_ message: ServerMessage, _ outbox: inout ClientOutbox) throws(Violation) {
        switch message {
        case .ident(_, let file):
            guard fileIdent == nil, file.number > 0, file.salt > 0 else {
                throw Violation(message: "IDENT that wasn't asked for, or without a value")
            }
            pending = .saveIdent(file)
            pendingNumber = outbox.ask(ident, .saveIdent(file))
        case .download(let download): try handle(download, &outbox)
        case .mark(_, let request):
            guard identSent, request > answeredMark, request <= sentMark else {
                throw Violation(message: "MARK \(request) that wasn't asked for")
            }
            answeredMark = request
            holdsUpload = false
            hasCaughtUp = true
            complete(&outbox) { if case .mark(let goal) = $0 { goal <= request } else { false } }
            if request == targetMark { outbox.effects.append(.caughtUp(session: ident)) }
        case .queryError(_, _, let version, let text):
            guard identSent, options.queries.pending.contains(where: { $0.query.version == version }) else {
                throw Violation(message: "QUERY_ERROR for version \(version), which isn't pending")
            }
            options.queries.pending.removeAll { $0.query.version == version }
            if sentinel == version { sentinel = nil }
            outbox.effects.append(.queryFailed(session: ident, version: version, message: text))
        case .log(_, let log): outbox.effects.append(.log(session: ident, log))
        case .testCommand, .error, .jsonError, .unbound, .pong: break
        }
    }

    private mutating func handle(
        _ download: ServerMessage.Download, _ outbox: inout ClientOutbox
    ) throws(Violation) {
        guard identSent else { throw Violation(message: "DOWNLOAD before IDENT (check 1 of P-69)") }
        if let number = reference.violation(of: download, newestVersion: newestVersion) {
            throw Violation(message: "DOWNLOAD violates check \(number) of P-69")
        }
        if case .flexible(let version, let batch, _) = download.contents, batch != .steadyState {
            let isHeld =
                version == options.queries.active?.version ?? 0
                || options.queries.pending.contains { $0.query.version == version }
            guard isHeld else {
                throw Violation(message: "a bootstrap for version \(version), which isn't held (F-34)")
            }
            if batch == .moreToCome { isBootstrapping = true }
        }
        guard !isOneOfMany(download) else {
            unstored = (download, (unstored?.count ?? 0) + 1)
            return integrated(download, &outbox)
        }
        // It says all that those before it said.
        unstored = nil
        pending = .integrate(download)
        pendingNumber = outbox.ask(ident, .integrate(download))
    }

    /// Whether the download only acknowledges uploads, and more of these are under way: the file needn't be written for
    /// each. If it never learns of them, it sends them again, and the server skips what it has.
    private func isOneOfMany(_ download: ServerMessage.Download) -> Bool {
        guard download.entries.isEmpty, download.upload.client < sentVersion,
            unstored?.count ?? 0 < limits.unstoredAcknowledgements, waiters.isEmpty
        else { return false }
        if case .flexible(_, let batch, _) = download.contents { return batch == .steadyState }
        return true
    }

    // MARK: Errors

    private mutating func take(
        _ code: SyncErrorCode, _ body: ErrorBody, isPlain: Bool, now: Duration, jitter: () -> Double,
        _ outbox: inout ClientOutbox
    ) throws(Violation) {
        guard !code.isConnectionError else { throw Violation(message: "error \(code) with a session") }
        guard !errorReceived else { throw Violation(message: "a second error") }
        if let version = body.rejectedClientVersion, !isUnbound {
            outbox.effects.append(
                .rejected(session: ident, version: version, body.rejectedUpdates ?? [], message: body.message))
        }
        if code.leavesSessionUp {
            if !unbindSent, isActive, !mustUnbind { takeNotice(code, body, &outbox) }
            return
        }
        errorReceived = true
        if isUnbound {
            // It was leaving anyway.
            finishUnbinding()
            return
        }
        guard isActive else { return }
        react(to: code, effective(body, isPlain: isPlain), now: now, jitter: jitter, &outbox)
    }

    /// Below version 7 the action isn't the server's word (P-81).
    private func effective(_ body: ErrorBody, isPlain: Bool) -> ErrorBody {
        guard !isPlain, !agreed.hasActions else { return body }
        var body = body
        if body.shouldClientReset {
            body.action = body.isRecoveryModeDisabled ? .clientResetNoRecovery : .clientReset
        } else {
            body.action = body.tryAgain ? .transient : .applicationBug
        }
        return body
    }

    private mutating func takeNotice(_ code: SyncErrorCode, _ body: ErrorBody, _ outbox: inout ClientOutbox) {
        if code == .schemaVersionChanged {
            outbox.effects.append(
                .migrateSchema(session: ident, previousVersion: body.previousSchemaVersion ?? 0))
            return
        }
        // One too many is dropped: the server says it again until its DOWNLOAD is acknowledged (F-59).
        guard let version = body.compensatingWriteServerVersion, compensating.count < limits.compensatingWrites else {
            return
        }
        let place = compensating.firstIndex { $0.version > version } ?? compensating.endIndex
        compensating.insert((version, SyncReport(code, body)), at: place)
    }

    private mutating func react(
        to code: SyncErrorCode, _ body: ErrorBody, now: Duration, jitter: () -> Double, _ outbox: inout ClientOutbox
    ) {
        storeAcknowledgement(&outbox, beforeLeaving: true)
        var report = SyncReport(code, body)
        func delay() -> Duration {
            // Always after a second (P-120).
            code == .sessionClosed ? .seconds(1) : backoff.failed(code, asked: body.backoff, jitter: jitter())
        }
        switch body.action {
        case .transient where body.tryAgain: suspend(until: now + delay())
        case .clientReset, .clientResetNoRecovery, .migrateToFlexible, .revertToPartition:
            suspend(until: nil)
            outbox.effects.append(.reset(session: ident, report, partitionQuery: body.partitionQuery))
        case .refreshUser:
            suspend(until: nil)
            resumesOnRefresh = true
            outbox.effects.append(.refreshToken)
        case .refreshLocation:
            suspend(until: nil)
            resumesOnRefresh = true
            outbox.effects.append(.refreshLocation)
        case .logOutUser, .deleteRealm, .protocolViolation, .applicationBug:
            report.isFatal = true
            stop(report, &outbox)
            if body.action == .logOutUser { outbox.effects.append(.logOut) }
        case .warning, .transient, .migrateSchema:
            guard body.tryAgain else { return stop(report, &outbox) }
            suspend(until: now + delay())
            outbox.effects.append(.report(session: ident, report))
        }
    }

    /// Fatal: stays suspended until somebody resumes it (P-128).
    mutating func stop(_ report: SyncReport, _ outbox: inout ClientOutbox) {
        suspend(until: nil)
        outbox.effects.append(.report(session: ident, report))
        abandonWaiters(&outbox)
    }
}
