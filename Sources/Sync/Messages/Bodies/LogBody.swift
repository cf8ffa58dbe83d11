/// The body of LOG_MESSAGE: a line of the server for the client's log (P-82).
package struct LogBody: Hashable, Sendable {
    package enum Level: String, Hashable, Sendable, CaseIterable {
        case fatal, error, warn, info, detail, debug, trace
    }

    /// The server's name for the connection.
    package var requestId: String?
    /// Nothing is debug.
    package var level: Level?
    /// Nothing, or nothing in it: not to be logged.
    package var message: String?

    package init(requestId: String? = nil, level: Level? = nil, message: String? = nil) {
        self.requestId = requestId
        self.level = level
        self.message = message
    }

    var json: String {
        var object = JSONObjectWriter()
        object.string("co_id", requestId)
        object.string("level", level?.rawValue)
        object.string("msg", message)
        return object.finished
    }

    init(json text: String, offset: Int) throws(SyncMessageError) {
        let fields = try JSONBody.decode(Fields.self, text, rule: "P-82", offset: offset)
        requestId = fields.requestId
        message = fields.message
        guard let word = fields.level, !word.isEmpty else { return }
        guard let level = Level(rawValue: word) else {
            throw SyncMessageError(.badSyntax, rule: "P-82", offset: offset, "unknown log level \"\(word.prefix(32))\"")
        }
        self.level = level
    }

    private struct Fields: Decodable {
        enum CodingKeys: String, CodingKey {
            case requestId = "co_id"
            case level
            case message = "msg"
        }

        var requestId: String?
        var level: String?
        var message: String?
    }
}
