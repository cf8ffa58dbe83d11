/// What the history answers.
extension ServerSession {
    /// Takes an answer. One that nobody waits for any more is ignored. Throws what ends the connection.
    mutating func take(
        _ answer: ServerAnswer, number: Int64, _ outbox: inout ServerOutbox
    ) throws(SessionFailure) {
        if number == pendingFetch {
            pendingFetch = nil
            try takeFetched(answer, &outbox)
        } else if number == pending {
            pending = nil
            let message = pendingMessage
            pendingMessage = nil
            try takeAwaited(answer, message, &outbox)
        } else {
            return
        }
        try workOff(&outbox)
    }

    private mutating func takeAwaited(
        _ answer: ServerAnswer, _ message: ClientMessage?, _ outbox: inout ServerOutbox
    ) throws(SessionFailure) {
        switch (state, answer) {
        case (_, .failed(let failure)): try end(failure)
        case (.opening(needsIdent: true), .opened(let file?)) where file.number > 1 && file.salt > 0:
            state = .sendIdent(file)
        case (.opening(needsIdent: false), .opened): state = .waitForIdent
        case (.identifying, .file(let record, let notices)):
            guard case .ident(let message)? = message else { return }
            if let failure = IdentCheck.failure(of: message, record: record) { return fail(failure) }
            begin(message, notices)
            outbox.effects.append(.claimed(session: ident, file: file))
        case (.steady, .integrated):
            // Progress alone needs no answer (P-54).
            isDownloadDue = isDownloadDue || isUploadPending
            isUploadPending = false
        case (.steady, .query(let refusal)):
            guard case .query(_, let query)? = message else { return }
            if let refusal { queryErrors.append((query.version, refusal)) }
            needsScan = true
        default: fault("an answer of the wrong kind to a request in state \(state)", &outbox)
        }
    }

    /// IDENT is accepted: the session syncs.
    private mutating func begin(_ message: ClientMessage.Ident, _ notices: [SessionFailure]) {
        state = .steady
        file = message.file.number
        uploads = UploadCheck(file: file)
        reference = DownloadCheck(download: message.download, latest: message.latest, file: file)
        cursor = message.download
        position = message.download.server
        queryVersion = message.query?.version ?? 0
        self.notices = notices
        isDownloadDue = true
    }

    private mutating func takeFetched(
        _ answer: ServerAnswer, _ outbox: inout ServerOutbox
    ) throws(SessionFailure) {
        switch answer {
        case .failed(let failure): try end(failure)
        case .batch(let batch):
            for index in marks.indices where marks[index].target == nil && marks[index].request <= markInFetch {
                marks[index].target = batch.latest.version
            }
            isBootstrapOutstanding = batch.isBootstrapOutstanding
            needsScan = needsScan || batch.hasMore
            let isNews =
                !batch.entries.isEmpty || batch.progress != cursor || batch.upload != reference.upload
                || !batch.notices.isEmpty || batch.ending != nil
            guard isNews || isFetchDue else { return }
            let message = message(batch)
            if message.contents.isFlexible != agreed.isFlexible {
                return fault("a batch for the other kind of sync", &outbox)
            }
            if let number = reference.violation(of: message) {
                return fault("a batch that breaks check \(number) of P-69", &outbox)
            }
            ready = batch
        default: fault("an answer of the wrong kind to a fetch", &outbox)
        }
    }

    func message(_ batch: DownloadBatch) -> ServerMessage.Download {
        ServerMessage.Download(
            session: ident, progress: batch.progress, latest: batch.latest, upload: batch.upload,
            contents: batch.contents, entries: batch.entries)
    }

    private mutating func end(_ failure: SessionFailure) throws(SessionFailure) {
        if failure.code.isConnectionError { throw failure }
        fail(failure)
    }

    /// The history contradicts itself: the session starts again, instead of the client giving up on it.
    private mutating func fault(_ message: String, _ outbox: inout ServerOutbox) {
        outbox.effects.append(.historyFault(session: ident, message: message))
        fail(SessionFailure(.otherSessionError, "internal error"))
    }
}

extension ServerMessage.Contents {
    var isFlexible: Bool {
        if case .flexible = self { true } else { false }
    }
}
