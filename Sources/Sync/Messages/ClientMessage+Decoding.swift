extension ClientMessage {
    /// Reads one binary WebSocket message of a client. Memory is in proportion to the message and within `limits`.
    package init(
        decoding bytes: [UInt8], for agreed: SyncProtocol, limits: MessageLimits = MessageLimits()
    ) throws(SyncMessageError) {
        var reader = MessageReader(bytes)
        let type = try reader.type()
        switch type {
        case "bind": self = .bind(try Bind(&reader, limits))
        case "ident": self = .ident(try Ident(&reader, agreed, limits))
        case "query":
            guard agreed.isFlexible else { throw Self.unknown(type) }
            self = .query(session: try reader.integer("session"), try Query(&reader, limits))
        case "upload": self = .upload(try Upload(&reader, limits))
        case "mark":
            self = .mark(session: try reader.integer("session"), request: try reader.integer("request", last: true))
        case "unbind": self = .unbind(session: try reader.integer("session", last: true))
        case "ping":
            self = .ping(
                timestamp: try reader.integer("timestamp"), roundTrip: try reader.integer("round trip", last: true))
        case "json_error": self = try Self.error(&reader, limits)
        case "test_command":
            let session = try reader.integer("session")
            let request = try reader.integer("request")
            let size = try reader.size("size", limit: limits.text, last: true)
            self = .testCommand(session: session, request: request, body: try reader.text(size, "command"))
        default: throw Self.unknown(type)
        }
        try reader.end()
    }

    static func unknown(_ type: String) -> SyncMessageError {
        SyncMessageError(.unknownMessage, rule: "P-34", offset: 0, "unknown message \"\(type)\"")
    }

    private static func error(
        _ reader: inout MessageReader, _ limits: MessageLimits
    ) throws(SyncMessageError) -> ClientMessage {
        struct Body: Decodable { var message: String }
        let code = SyncErrorCode(rawValue: Int(try reader.integer("code")))
        let size = try reader.size("size", limit: limits.text)
        let session = try reader.integer("session", last: true)
        let offset = reader.offset
        let text = try reader.text(size, "error")
        let body = try JSONBody.decode(Body.self, text, rule: "P-61", offset: offset)
        return .error(code: code, session: session, message: body.message)
    }
}

extension ClientMessage.Bind {
    fileprivate init(_ reader: inout MessageReader, _ limits: MessageLimits) throws(SyncMessageError) {
        session = try reader.integer("session")
        let pathSize = try reader.size("path size", limit: limits.bindPath)
        let tokenSize = try reader.size("token size", limit: limits.bindToken)
        needsIdent = try reader.boolean("need_ident")
        isSubserver = try reader.boolean("is_subserver", last: true)
        path = try reader.text(pathSize, "path")
        token = try reader.text(tokenSize, "token")
    }
}

extension ClientMessage.Ident {
    fileprivate init(
        _ reader: inout MessageReader, _ agreed: SyncProtocol, _ limits: MessageLimits
    ) throws(SyncMessageError) {
        session = try reader.integer("session")
        file = FileIdent(number: try reader.integer("file ident"), salt: try reader.integer("salt"))
        download = DownloadCursor(
            server: try reader.integer("dl_server"), client: try reader.integer("dl_client"))
        latest = SaltedVersion(
            version: try reader.integer("latest"),
            salt: try reader.integer("latest_salt", last: !agreed.isFlexible))
        if agreed.isFlexible { query = try ClientMessage.Query(&reader, limits) }
    }
}

extension ClientMessage.Query {
    fileprivate init(_ reader: inout MessageReader, _ limits: MessageLimits) throws(SyncMessageError) {
        version = try reader.integer("query_version")
        let size = try reader.size("query size", limit: limits.query, last: true)
        text = try reader.text(size, "query")
    }
}

extension ClientMessage.Upload {
    fileprivate init(_ reader: inout MessageReader, _ limits: MessageLimits) throws(SyncMessageError) {
        session = try reader.integer("session")
        let sizes = try ChangesetBody.Sizes(&reader, limits)
        progress = UploadCursor(
            client: try reader.integer("prog_client"), server: try reader.integer("prog_server"))
        lockedServerVersion = try reader.integer("locked_server", last: true)
        var body = MessageReader(entries: try ChangesetBody.read(&reader, sizes))
        entries = []
        while body.remaining > 0 {
            try ChangesetBody.demandRoom(entries.count, limits, body.offset)
            let cursor = UploadCursor(
                client: try body.integer("client_version"), server: try body.integer("server_version"))
            let timestamp = try body.integer("origin_timestamp")
            let origin = try body.integer("origin_file_ident")
            let size = try body.integer("size")
            entries.append(
                UploadEntry(
                    cursor: cursor, timestamp: timestamp, originFile: origin,
                    changeset: try body.bytes(Int(size), "changeset")))
        }
    }
}
