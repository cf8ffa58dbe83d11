/// What a peer may send at most.
package struct HTTPLimits: Hashable, Sendable {
    /// Bytes of a start line or header line (P-9).
    package var line: Int
    /// Header fields of a message, trailers included.
    package var fields: Int
    /// Bytes of all header lines together.
    package var head: Int
    /// Bytes of a body.
    package var body: Int

    package init(line: Int = 8192, fields: Int = 100, head: Int = 64 << 10, body: Int = 1 << 20) {
        self.line = line
        self.fields = fields
        self.head = head
        self.body = body
    }
}

/// A message that isn't HTTP/1.1 as specified, or exceeds a limit.
package struct HTTPViolation: Error, Hashable, Sendable, CustomStringConvertible {
    /// What a server answers.
    package var status: Int
    package var message: String

    package init(_ status: Int, _ message: String) {
        self.status = status
        self.message = message
    }

    package var description: String { "\(message) (\(status))" }
}

/// The start of a message.
package struct HTTPHead: Hashable, Sendable {
    package enum Line: Hashable, Sendable {
        case request(method: String, target: String)
        case response(status: Int)
    }

    package var line: Line
    /// 0 or 1: the second number of the version.
    package var minorVersion: Int
    package var headers: HTTPHeaders

    /// Whether the connection may carry another message after this one and its answer.
    package var keepsAlive: Bool {
        let options = headers.tokens("Connection")
        return minorVersion == 0 ? options.contains("keep-alive") : !options.contains("close")
    }
}

/// Takes a stream of HTTP/1.1 messages apart. No I/O, no clock: bytes go in by `append`, events come out by `next`.
///
/// Stricter than the RFC must be where leniency has been abused: no bare line feeds, no folded lines, no second length.
package struct HTTPParser: Sendable {
    package enum Kind: Sendable { case requests, responses }

    package enum Event: Hashable, Sendable {
        case head(HTTPHead)
        case body([UInt8])
        case end
    }

    private enum State {
        case start
        case fields(HTTPHead)
        case body(left: Int)
        case chunkSize
        case chunk(left: Int)
        case chunkEnd
        case trailers
        case untilClose
        case finish
        /// After 101, or an answer that ended with the connection: the rest isn't ours.
        case done
        case failed(HTTPViolation)
    }

    package let kind: Kind
    package let limits: HTTPLimits
    /// The next response answers a HEAD request: it has no body, whatever it says.
    package var expectsNoBody = false

    private var state = State.start
    private var buffer: [UInt8] = []
    private var position = 0
    /// Where the search for the end of the line goes on.
    private var searched = 0
    private var headBytes = 0
    private var fieldCount = 0
    private var bodyBytes = 0
    private var emptyLines = 0

    package init(_ kind: Kind, limits: HTTPLimits = HTTPLimits()) {
        self.kind = kind
        self.limits = limits
    }

    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if position == buffer.count { discardRead() }
        buffer.append(contentsOf: bytes)
    }

    /// Bytes that came and belong to no event yet.
    package var unreadCount: Int { buffer.count - position }

    /// Whether a message has begun and not ended.
    package var isInMessage: Bool {
        if case .start = state { return unreadCount > 0 }
        if case .done = state { return false }
        return true
    }

    /// Takes out what came after the last event: another protocol's bytes after an upgrade.
    package mutating func takeRest() -> [UInt8] {
        defer {
            position = buffer.count
            discardRead()
        }
        return Array(buffer[position...])
    }

    /// The next event; nil if more bytes are needed. A parser that has thrown throws ever after.
    package mutating func next() throws(HTTPViolation) -> Event? {
        do {
            return try advance()
        } catch {
            state = .failed(error)
            throw error
        }
    }

    private mutating func advance() throws(HTTPViolation) -> Event? {
        while true {
            switch state {
            case .start:
                guard let line = try takeLine(tooLong: kind == .requests ? 414 : 431) else { return nil }
                if line.isEmpty {
                    // Old clients end a body with a line break that belongs to nothing.
                    emptyLines += 1
                    guard kind == .requests, emptyLines <= 2 else { throw HTTPViolation(400, "an empty start line") }
                    continue
                }
                emptyLines = 0
                headBytes = line.count
                fieldCount = 0
                bodyBytes = 0
                state = .fields(try HTTPGrammar.startLine(line, kind))
            case .fields(var head):
                guard let line = try takeLine(tooLong: 431) else { return nil }
                guard line.isEmpty else {
                    head.headers.add(try field(line))
                    state = .fields(head)
                    continue
                }
                state = try bodyState(head)
                return .head(head)
            case .body(let left):
                guard let bytes = take(atMost: left) else { return nil }
                state = left == bytes.count ? .finish : .body(left: left - bytes.count)
                return .body(bytes)
            case .chunkSize:
                guard let line = try takeLine(tooLong: 400) else { return nil }
                let size = try HTTPGrammar.chunkSize(line)
                guard size <= limits.body - bodyBytes else { throw tooLarge }
                bodyBytes += size
                state = size == 0 ? .trailers : .chunk(left: size)
            case .chunk(let left):
                guard let bytes = take(atMost: left) else { return nil }
                state = left == bytes.count ? .chunkEnd : .chunk(left: left - bytes.count)
                return .body(bytes)
            case .chunkEnd:
                guard let line = try takeLine(tooLong: 400) else { return nil }
                guard line.isEmpty else { throw HTTPViolation(400, "a chunk is longer than it says") }
                state = .chunkSize
            case .trailers:
                guard let line = try takeLine(tooLong: 431) else { return nil }
                if line.isEmpty { state = .finish } else { _ = try field(line) }
            case .untilClose:
                guard let bytes = take(atMost: .max) else { return nil }
                bodyBytes += bytes.count
                guard bodyBytes <= limits.body else { throw tooLarge }
                return .body(bytes)
            case .finish:
                state = .start
                expectsNoBody = false
                return .end
            case .done: return nil
            case .failed(let violation): throw violation
            }
        }
    }

    /// The stream has ended. Returns the end of a message that ends with it; throws if one is cut short.
    package mutating func streamEnded() throws(HTTPViolation) -> Event? {
        if case .untilClose = state {
            state = .done
            return .end
        }
        guard !isInMessage else { throw HTTPViolation(400, "the connection ended in the middle of a message") }
        return nil
    }

    private var tooLarge: HTTPViolation { HTTPViolation(413, "a body of more than \(limits.body) bytes") }

    private mutating func field(_ line: ArraySlice<UInt8>) throws(HTTPViolation) -> HTTPHeaders.Field {
        headBytes += line.count
        fieldCount += 1
        guard headBytes <= limits.head else { throw HTTPViolation(431, "a head of more than \(limits.head) bytes") }
        guard fieldCount <= limits.fields else { throw HTTPViolation(431, "more than \(limits.fields) header fields") }
        return try HTTPGrammar.field(line)
    }

    /// What follows a head.
    private func bodyState(_ head: HTTPHead) throws(HTTPViolation) -> State {
        let length = try HTTPGrammar.contentLength(head.headers)
        let isChunked = try HTTPGrammar.isChunked(head)
        guard length == nil || !isChunked else {
            throw HTTPViolation(400, "both Content-Length and Transfer-Encoding")
        }
        switch head.line {
        case .request:
            let hosts = head.headers.values("Host").count
            guard hosts == 1 || hosts == 0 && head.minorVersion == 0 else {
                throw HTTPViolation(400, "\(hosts) Host fields instead of one")
            }
        case .response(let status):
            if status == 101 { return .done }
            if expectsNoBody || HTTPResponse(status).isBodiless { return .finish }
            if !isChunked, length == nil { return .untilClose }
        }
        if isChunked { return .chunkSize }
        guard let length, length > 0 else { return .finish }
        guard length <= limits.body else { throw tooLarge }
        return .body(left: length)
    }

    /// A line without its end; nil if it hasn't all come.
    private mutating func takeLine(tooLong status: Int) throws(HTTPViolation) -> ArraySlice<UInt8>? {
        let start = max(searched, position)
        guard let end = buffer[start...].firstIndex(of: 10) else {
            searched = buffer.count
            guard unreadCount <= limits.line else { throw lineTooLong(status) }
            return nil
        }
        guard end - position <= limits.line else { throw lineTooLong(status) }
        guard end > position, buffer[end - 1] == 13 else {
            throw HTTPViolation(400, "a line that doesn't end in CR LF")
        }
        defer {
            position = end + 1
            searched = position
        }
        return buffer[position..<end - 1]
    }

    private func lineTooLong(_ status: Int) -> HTTPViolation {
        HTTPViolation(status, "a line of more than \(limits.line) bytes")
    }

    private mutating func take(atMost count: Int) -> [UInt8]? {
        let count = min(count, unreadCount)
        guard count > 0 else { return nil }
        defer {
            position += count
            if position == buffer.count { discardRead() }
        }
        return Array(buffer[position..<position + count])
    }

    private mutating func discardRead() {
        buffer.removeFirst(position)
        position = 0
        searched = 0
    }
}
