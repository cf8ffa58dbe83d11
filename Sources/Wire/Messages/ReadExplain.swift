/// How a query would be carried out.
package struct ReadExplain: WireRequest {
    package typealias Reply = ReadExplainReply
    package static let method = Method.readExplain

    package var realm: Int32
    /// Snapshot to read; nil: the newest.
    package var pin: Int64?
    package var query: QueryRequest

    package init(realm: Int32, pin: Int64? = nil, query: QueryRequest) {
        self.realm = realm
        self.pin = pin
        self.query = query
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(realm: try view.get("realm"), pin: try view.find("pin"), query: try QueryRequest(view))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("pin", pin)
        query.write(to: writer)
    }
}

/// The plan, for people to read.
package struct ReadExplainReply: WirePayload {
    package var version: UInt64
    /// Indented lines of text, in no fixed form.
    package var lines: [String]

    package init(version: UInt64, lines: [String]) {
        self.version = version
        self.lines = lines
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(version: try view.get("version"), lines: try view.get("lines"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("version", version)
        writer.put("lines", lines)
    }
}
