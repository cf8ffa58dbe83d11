extension ServerMessage {
    /// The bytes of the message, one binary WebSocket message.
    package func encoded(for agreed: SyncProtocol) -> [UInt8] {
        switch self {
        case .ident(let session, let file): return ClientMessage.short("ident", session, file.number, file.salt)
        case .download(let download): return download.encoded(for: agreed)
        case .mark(let session, let request): return ClientMessage.short("mark", session, request)
        case .unbound(let session): return ClientMessage.short("unbound", session)
        case .pong(let timestamp): return ClientMessage.short("pong", timestamp)
        case .error(let code, let session, let message, let tryAgain):
            var writer = MessageWriter("error", capacity: 64 + message.utf8.count)
            writer.integer(code.rawValue)
            writer.integer(message.utf8.count)
            writer.boolean(tryAgain)
            writer.integer(session)
            writer.body(message.utf8)
            return writer.bytes
        case .jsonError(let code, let session, let error):
            let body = error.json.utf8
            var writer = MessageWriter("json_error", capacity: 64 + body.count)
            writer.integer(code.rawValue)
            writer.integer(body.count)
            writer.integer(session)
            writer.body(body)
            return writer.bytes
        case .queryError(let code, let session, let queryVersion, let message):
            var writer = MessageWriter("query_error", capacity: 64 + message.utf8.count)
            writer.integer(code.rawValue)
            writer.integer(message.utf8.count)
            writer.integer(session)
            writer.integer(queryVersion)
            writer.body(message.utf8)
            return writer.bytes
        case .log(let session, let log):
            let body = log.json.utf8
            var writer = MessageWriter("log_message", capacity: 64 + body.count)
            writer.integer(session)
            writer.integer(body.count)
            writer.body(body)
            return writer.bytes
        case .testCommand(let session, let request, let body):
            return ClientMessage.testCommand(session: session, request: request, body: body).encoded()
        }
    }
}

extension ServerMessage.Download {
    fileprivate func encoded(for agreed: SyncProtocol) -> [UInt8] {
        var entryWriter = MessageWriter(capacity: entries.reduce(0) { $0 + 80 + $1.changeset.count })
        for entry in entries {
            entryWriter.entryNumber(entry.cursor.server)
            entryWriter.entryNumber(entry.cursor.client)
            entryWriter.entryNumber(entry.timestamp)
            entryWriter.entryNumber(entry.originFile)
            entryWriter.entryNumber(entry.originalSize)
            entryWriter.entryBytes(entry.changeset)
        }
        let body = ChangesetBody.write(entryWriter.bytes)
        var writer = MessageWriter("download", capacity: 160 + body.body.count)
        writer.integer(session)
        writer.integer(progress.server)
        writer.integer(progress.client)
        writer.integer(latest.version)
        writer.integer(latest.salt)
        writer.integer(upload.client)
        writer.integer(upload.server)
        switch contents {
        case .partition(let downloadableBytes): writer.integer(downloadableBytes)
        case .flexible(let queryVersion, let batch, let estimate):
            writer.integer(queryVersion)
            writer.integer(batch.rawValue)
            if agreed.hasDownloadEstimate { writer.double(min(max(estimate, 0), 1)) } else { writer.integer(0) }
        }
        writer.boolean(body.isCompressed)
        writer.integer(body.plain)
        writer.integer(body.compressed)
        writer.body(body.body)
        return writer.bytes
    }
}
