/// What the session sends when it gets its turn (P-96).
extension ClientSession {
    private enum Next {
        case unbind, bind, testCommand, ident, error, mark
        case query(PendingQuery)
        case upload(ClientMessage.Upload)
    }

    var hasOutput: Bool { next != nil }

    /// The first that applies, in the order of the table.
    private var next: Next? {
        guard isConnected, life != .ended else { return nil }
        if bindSent, !unbindSent, !isActive || errorReceived || mustUnbind { return .unbind }
        guard isActive, !unbindSent else { return nil }
        if !bindSent {
            // An ident that is being stored is not asked for again.
            if case .saveIdent? = pending { return nil }
            return .bind
        }
        if !testCommands.isEmpty { return .testCommand }
        if !identSent {
            // While the file works on what came over the last connection, its progress isn't known (P-98).
            return fileIdent != nil && pending == nil && unstored == nil && !options.awaitsReset ? .ident : nil
        }
        if integrationFailed { return integrationError == nil ? nil : .error }
        if targetMark > sentMark { return .mark }
        if sentinel != nil { return nil }
        if let query = nextQuery { return .query(query) }
        return readyUpload.map(Next.upload)
    }

    /// The next set of subscriptions, once everything written before it has been sent.
    private var nextQuery: PendingQuery? {
        guard agreed.isFlexible, !holdsUpload, readyUpload == nil, let query = unsentQuery,
            uploadPosition.client >= query.snapshotVersion || !options.uploads
        else { return nil }
        return query
    }

    var unsentQuery: PendingQuery? { options.queries.pending.first { $0.query.version > sentQuery } }

    /// The next message. Call `work` afterwards: there may be room for the next upload.
    mutating func nextMessage(_ outbox: inout ClientOutbox) -> ClientMessage? {
        guard let next else { return nil }
        switch next {
        case .unbind:
            unbindSent = true
            if isUnbound { finishUnbinding() }
            return .unbind(session: ident)
        case .bind:
            bindSent = true
            if agreed.isFlexible { outbox.effects.append(.bound(session: ident)) }
            if options.awaitsReset { outbox.effects.append(.performReset(session: ident)) }
            return .bind(
                .init(session: ident, path: options.path, needsIdent: fileIdent == nil && !options.awaitsReset))
        case .testCommand:
            let command = testCommands.removeFirst()
            return .testCommand(session: ident, request: command.request, body: command.body)
        case .ident:
            guard let fileIdent else { return nil }
            identSent = true
            uploadPosition = reference.upload
            let query = options.queries.active ?? ClientMessage.Query(version: 0, text: "{}")
            sentQuery = query.version
            return .ident(
                .init(
                    session: ident, file: fileIdent, download: reference.download, latest: reference.latest,
                    query: agreed.isFlexible ? query : nil))
        case .error:
            guard let error = integrationError else { return nil }
            integrationError = nil
            return .error(code: error.code, session: ident, message: error.message)
        case .mark:
            sentMark = targetMark
            return .mark(session: ident, request: targetMark)
        case .query(let query):
            sentQuery = query.query.version
            if query.isSentinel { sentinel = query.query.version }
            targetMark += 1
            return .query(session: ident, query.query)
        case .upload(let upload):
            readyUpload = nil
            if let last = upload.entries.last { sentVersion = last.cursor.client }
            return .upload(upload)
        }
    }

    /// The session is free of its BIND: gone, or ready for the next one.
    mutating func finishUnbinding() {
        if life == .deactivating {
            life = .ended
        } else if life == .active {
            resetBind(holdsUpload: true)
        }
    }
}
