extension ServerMessage {
    /// Reads one binary WebSocket message of a server. Memory is in proportion to the message and within `limits`.
    package init(
        decoding bytes: [UInt8], for agreed: SyncProtocol, limits: MessageLimits = MessageLimits()
    ) throws(SyncMessageError) {
        var reader = MessageReader(bytes)
        let type = try reader.type()
        switch type {
        case "ident":
            self = .ident(
                session: try reader.integer("session"),
                FileIdent(number: try reader.integer("file ident"), salt: try reader.integer("salt", last: true)))
        case "download": self = .download(try Download(&reader, agreed, limits))
        case "mark":
            self = .mark(session: try reader.integer("session"), request: try reader.integer("request", last: true))
        case "unbound": self = .unbound(session: try reader.integer("session", last: true))
        case "pong": self = .pong(timestamp: try reader.integer("timestamp", last: true))
        case "error":
            let code = SyncErrorCode(rawValue: Int(try reader.integer("code")))
            let size = try reader.size("size", limit: limits.text)
            let tryAgain = try reader.boolean("try_again")
            let session = try reader.integer("session", last: true)
            self = .error(
                code: code, session: session, message: try reader.text(size, "message"), tryAgain: tryAgain)
        case "json_error":
            let code = SyncErrorCode(rawValue: Int(try reader.integer("code")))
            let size = try reader.size("size", limit: limits.text)
            let session = try reader.integer("session", last: true)
            let offset = reader.offset
            let text = try reader.text(size, "error")
            self = .jsonError(
                code: code, session: session, try ErrorBody(json: text, code: code, offset: offset))
        case "query_error":
            guard agreed.isFlexible else { throw ClientMessage.unknown(type) }
            let code = SyncErrorCode(rawValue: Int(try reader.integer("code")))
            let size = try reader.size("size", limit: limits.text)
            let session = try reader.integer("session")
            let version = try reader.integer("query_version", last: true)
            self = .queryError(
                code: code, session: session, queryVersion: version, message: try reader.text(size, "message"))
        case "log_message":
            let session = try reader.integer("session")
            let size = try reader.size("size", limit: limits.text, last: true)
            let offset = reader.offset
            self = .log(session: session, try LogBody(json: try reader.text(size, "log"), offset: offset))
        case "test_command":
            let session = try reader.integer("session")
            let request = try reader.integer("request")
            let size = try reader.size("size", limit: limits.text, last: true)
            self = .testCommand(session: session, request: request, body: try reader.text(size, "answer"))
        default: throw ClientMessage.unknown(type)
        }
        try reader.end()
    }
}

extension ServerMessage.Download {
    fileprivate init(
        _ reader: inout MessageReader, _ agreed: SyncProtocol, _ limits: MessageLimits
    ) throws(SyncMessageError) {
        session = try reader.integer("session")
        progress = DownloadCursor(
            server: try reader.integer("dl_server"), client: try reader.integer("dl_client"))
        latest = SaltedVersion(version: try reader.integer("latest"), salt: try reader.integer("latest_salt"))
        upload = UploadCursor(
            client: try reader.integer("ul_client"), server: try reader.integer("ul_server"))
        contents = try ServerMessage.Contents(&reader, agreed)
        let sizes = try ChangesetBody.Sizes(&reader, limits, last: true)
        var body = MessageReader(entries: try ChangesetBody.read(&reader, sizes))
        entries = []
        while body.remaining > 0 {
            try ChangesetBody.demandRoom(entries.count, limits, body.offset)
            let cursor = DownloadCursor(
                server: try body.integer("server_version"), client: try body.integer("client_version"))
            let timestamp = try body.integer("origin_timestamp")
            let origin = try body.integer("origin_file_ident")
            let originalSize = try body.integer("original_size")
            let size = try body.integer("size")
            entries.append(
                DownloadEntry(
                    cursor: cursor, timestamp: timestamp, originFile: origin, originalSize: originalSize,
                    changeset: try body.bytes(Int(size), "changeset")))
        }
    }
}

extension ServerMessage.Contents {
    fileprivate init(_ reader: inout MessageReader, _ agreed: SyncProtocol) throws(SyncMessageError) {
        guard agreed.isFlexible else {
            self = .partition(downloadableBytes: try reader.integer("downloadable_bytes"))
            return
        }
        let version = try reader.integer("query_version")
        let offset = reader.offset
        guard let batch = ServerMessage.BatchState(rawValue: try reader.integer("batch_state")) else {
            throw SyncMessageError(.badSyntax, rule: "P-65", offset: offset, "unknown batch state")
        }
        guard agreed.hasDownloadEstimate else {
            _ = try reader.integer("progress")
            self = .flexible(queryVersion: version, batch: batch, estimate: batch == .moreToCome ? 0 : 1)
            return
        }
        let estimate = try reader.double("estimate")
        guard (0...1).contains(estimate) else {
            throw SyncMessageError(.badSyntax, rule: "P-65", offset: offset, "the estimate is not within 0 to 1")
        }
        self = .flexible(queryVersion: version, batch: batch, estimate: estimate)
    }
}
