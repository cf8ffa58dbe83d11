extension ClientMessage {
    /// The bytes of the message, one binary WebSocket message.
    package func encoded() -> [UInt8] {
        switch self {
        case .bind(let bind):
            var writer = MessageWriter("bind", capacity: 64 + bind.path.utf8.count + bind.token.utf8.count)
            writer.integer(bind.session)
            writer.integer(bind.path.utf8.count)
            writer.integer(bind.token.utf8.count)
            writer.boolean(bind.needsIdent)
            writer.boolean(bind.isSubserver)
            writer.body((bind.path + bind.token).utf8)
            return writer.bytes
        case .ident(let ident):
            var writer = MessageWriter("ident", capacity: 128 + (ident.query?.text.utf8.count ?? 0))
            writer.integer(ident.session)
            writer.integer(ident.file.number)
            writer.integer(ident.file.salt)
            writer.integer(ident.download.server)
            writer.integer(ident.download.client)
            writer.integer(ident.latest.version)
            writer.integer(ident.latest.salt)
            if let query = ident.query { writer.query(query) } else { writer.end() }
            return writer.bytes
        case .query(let session, let query):
            var writer = MessageWriter("query", capacity: 64 + query.text.utf8.count)
            writer.integer(session)
            writer.query(query)
            return writer.bytes
        case .upload(let upload): return upload.encoded()
        case .mark(let session, let request): return Self.short("mark", session, request)
        case .unbind(let session): return Self.short("unbind", session)
        case .ping(let timestamp, let roundTrip): return Self.short("ping", timestamp, roundTrip)
        case .error(let code, let session, let message):
            var object = JSONObjectWriter()
            object.string("message", message)
            let body = object.finished.utf8
            var writer = MessageWriter("json_error", capacity: 64 + body.count)
            writer.integer(code.rawValue)
            writer.integer(body.count)
            writer.integer(session)
            writer.body(body)
            return writer.bytes
        case .testCommand(let session, let request, let body):
            var writer = MessageWriter("test_command", capacity: 64 + body.utf8.count)
            writer.integer(session)
            writer.integer(request)
            writer.integer(body.utf8.count)
            writer.body(body.utf8)
            return writer.bytes
        }
    }

    /// A message of numbers alone.
    static func short(_ type: StaticString, _ numbers: Int64...) -> [UInt8] {
        var writer = MessageWriter(type)
        for number in numbers { writer.integer(number) }
        writer.end()
        return writer.bytes
    }
}

extension MessageWriter {
    /// The last tokens and the body of IDENT and QUERY.
    fileprivate mutating func query(_ query: ClientMessage.Query) {
        integer(query.version)
        integer(query.text.utf8.count)
        body(query.text.utf8)
    }
}

extension ClientMessage.Upload {
    fileprivate func encoded() -> [UInt8] {
        var entryWriter = MessageWriter(capacity: entries.reduce(0) { $0 + 64 + $1.changeset.count })
        for entry in entries {
            entryWriter.entryNumber(entry.cursor.client)
            entryWriter.entryNumber(entry.cursor.server)
            entryWriter.entryNumber(entry.timestamp)
            entryWriter.entryNumber(entry.originFile)
            entryWriter.entryBytes(entry.changeset)
        }
        let body = ChangesetBody.write(entryWriter.bytes)
        var writer = MessageWriter("upload", capacity: 96 + body.body.count)
        writer.integer(session)
        writer.boolean(body.isCompressed)
        writer.integer(body.plain)
        writer.integer(body.compressed)
        writer.integer(progress.client)
        writer.integer(progress.server)
        writer.integer(lockedServerVersion)
        writer.body(body.body)
        return writer.bytes
    }
}
