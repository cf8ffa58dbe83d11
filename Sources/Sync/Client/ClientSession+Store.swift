/// What the session's file is asked, and what it answers.
extension ClientSession {
    /// Looks for something to upload if that is allowed now (P-102 to P-104).
    mutating func scan(_ outbox: inout ClientOutbox) {
        guard pending == nil, isConnected, isActive, identSent, !unbindSent, !errorReceived, !integrationFailed,
            options.uploads, !holdsUpload, !isBootstrapping, sentinel == nil, readyUpload == nil
        else { return }
        let end = min(newestVersion, unsentQuery?.snapshotVersion ?? .max)
        guard end > uploadPosition.client else { return }
        pending = .scan(bind: bindCount, end: end)
        pendingNumber = outbox.ask(
            ident,
            .scan(
                after: uploadPosition, upTo: end, softBytes: limits.uploadSoftBytes,
                hardBytes: limits.uploadHardBytes))
    }

    /// Whether waiting uploads are done depends on what the file still has (P-115).
    mutating func askForUploadable(_ outbox: inout ClientOutbox) {
        guard pending == nil, asksForUploadable else { return }
        asksForUploadable = false
        pending = .nextUploadable(through: newestVersion)
        pendingNumber = outbox.ask(ident, .nextUploadable(after: reference.upload.client))
    }

    mutating func take(
        _ answer: StoreAnswer, number: Int64, _ outbox: inout ClientOutbox
    ) throws(Violation) {
        guard number == pendingNumber, let asked = pending else { return }
        pending = nil
        switch (asked, answer) {
        case (.saveIdent(let file), .stored(let version)):
            fileIdent = file
            reference.file = file.number
            // (P-86)
            reference.download.client = 0
            reference.upload.client = 0
            newestVersion = max(newestVersion, version)
        case (.integrate(let download), .stored(let version)):
            newestVersion = max(newestVersion, version)
            integrated(download, &outbox)
            storedServerVersion = reference.download.server
        case (.storeAcknowledgement(let download), .stored(let version)):
            newestVersion = max(newestVersion, version)
            storedServerVersion = max(storedServerVersion, download.progress.server)
        case (.integrate, .failed(let code, let message)): failed(code, message, &outbox)
        case (.scan(let bind, let end), .scanned(let entries, let reached)) where bind == bindCount && isActive:
            scanned(entries, reached: reached, end: end)
        case (.nextUploadable(let newest), .uploadable(let next)):
            complete(&outbox) { goal in
                guard case .upload(let version) = goal, version <= newest else { return false }
                return next.map { $0 > version } ?? true
            }
        case (.saveIdent, .failed(let code, let message)):
            stop(
                SyncReport(.runtimeError, code: code, "The file can't be written: \(message)", isFatal: true),
                &outbox)
        default: break
        }
        try work(&outbox)
    }

    /// Tells the file what it hasn't been told: when the session leaves, before it says anew how far the file is, and
    /// before somebody hears that everything is up or down.
    mutating func storeAcknowledgement(_ outbox: inout ClientOutbox, beforeLeaving: Bool = false) {
        guard pending == nil, let download = unstored?.download,
            beforeLeaving || !identSent || !isActive || !waiters.isEmpty
        else { return }
        unstored = nil
        pending = .storeAcknowledgement(download)
        pendingNumber = outbox.ask(ident, .integrate(download))
    }

    mutating func integrated(_ download: ServerMessage.Download, _ outbox: inout ClientOutbox) {
        yieldsToUpload = true
        backoff.clear()
        if case .flexible(let version, let batch, _) = download.contents, batch != .steadyState {
            // The parts of a bootstrap wait for the last one in the file (P-111).
            guard batch == .lastInBatch else {
                outbox.effects.append(.progressed(session: ident, download))
                return
            }
            isBootstrapping = false
            if let query = options.queries.pending.first(where: { $0.query.version == version }) {
                options.queries.active = query.query
                options.queries.pending.removeAll { $0.query.version <= version }
                // The MARK that follows the QUERY makes the set complete (F-47).
            }
            if sentinel == version { sentinel = nil }
            advance(download, &outbox)
            return
        }
        advance(download, &outbox)
        guard let last = download.entries.last else { return }
        while let first = compensating.first, first.version <= last.cursor.server {
            compensating.removeFirst()
            outbox.effects.append(.report(session: ident, first.report))
        }
    }

    private mutating func advance(_ download: ServerMessage.Download, _ outbox: inout ClientOutbox) {
        reference.advance(by: download)
        if uploadPosition.client < reference.upload.client { uploadPosition = reference.upload }
        outbox.effects.append(.progressed(session: ident, download))
        asksForUploadable = waiters.contains { if case .upload = $0.goal { true } else { false } }
    }

    /// The server is told, and nothing else is sent or integrated until it answers (P-61).
    private mutating func failed(_ code: SyncErrorCode, _ message: String, _ outbox: inout ClientOutbox) {
        let report = SyncReport(
            code == .badChangeset ? .badChangeset : .runtimeError, code: code, message, isFatal: false)
        integrationFailed = true
        inbox = []
        inboxBytes = 0
        readyUpload = nil
        guard agreed.hasActions else {
            // A server of that age can't be told: nothing goes on until somebody acts.
            var fatal = report
            fatal.isFatal = true
            return stop(fatal, &outbox)
        }
        integrationError = (code, message)
        outbox.effects.append(.report(session: ident, report))
    }

    private mutating func scanned(_ entries: [UploadEntry], reached: UploadCursor, end: Int64) {
        let before = uploadPosition
        // Nothing found is nothing up to the end: it isn't looked for again.
        uploadPosition = UploadCursor(client: entries.isEmpty ? end : reached.client, server: reached.server)
        if entries.isEmpty {
            // The server learns what has been integrated, unless it knows that (P-104).
            guard unsentQuery == nil, storedServerVersion > before.server else { return }
        }
        readyUpload = ClientMessage.Upload(
            session: ident, progress: uploadPosition, lockedServerVersion: storedServerVersion, entries: entries)
    }

    // MARK: Waiting

    /// Waits until everything that is on the server now has been integrated (P-114).
    mutating func awaitDownload(_ waiter: Int64, _ outbox: inout ClientOutbox) {
        targetMark += 1
        waiters.append(Waiter(id: waiter, goal: .mark(targetMark)))
    }

    /// Waits until everything that is in the file now has been acknowledged (P-115).
    mutating func awaitUpload(_ waiter: Int64, _ outbox: inout ClientOutbox) {
        waiters.append(Waiter(id: waiter, goal: .upload(version: newestVersion)))
        asksForUploadable = true
        storeAcknowledgement(&outbox)
        askForUploadable(&outbox)
    }

    mutating func complete(_ outbox: inout ClientOutbox, _ isReached: (Waiter.Goal) -> Bool) {
        for waiter in waiters where isReached(waiter.goal) {
            outbox.effects.append(.completed(session: ident, waiter: waiter.id))
        }
        waiters.removeAll { isReached($0.goal) }
    }
}
