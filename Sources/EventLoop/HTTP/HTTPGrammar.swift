/// The parts of a message's head.
enum HTTPGrammar {
    static func startLine(_ line: ArraySlice<UInt8>, _ kind: HTTPParser.Kind) throws(HTTPViolation) -> HTTPHead {
        switch kind {
        case .requests: try requestLine(line)
        case .responses: try statusLine(line)
        }
    }

    private static func requestLine(_ line: ArraySlice<UInt8>) throws(HTTPViolation) -> HTTPHead {
        let parts = line.split(separator: 32, omittingEmptySubsequences: false)
        guard parts.count == 3, isToken(parts[0]), !parts[1].isEmpty, parts[1].allSatisfy({ (33...126).contains($0) })
        else { throw HTTPViolation(400, "a malformed request line") }
        return HTTPHead(
            line: .request(method: text(parts[0]), target: text(parts[1])), minorVersion: try version(parts[2]),
            headers: [:])
    }

    private static func statusLine(_ line: ArraySlice<UInt8>) throws(HTTPViolation) -> HTTPHead {
        let parts = line.split(separator: 32, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[1].count == 3, let status = Int(text(parts[1])), status >= 100,
            parts[1].allSatisfy(isDigit)
        else { throw HTTPViolation(400, "a malformed status line") }
        return HTTPHead(line: .response(status: status), minorVersion: try version(parts[0]), headers: [:])
    }

    private static func version(_ word: ArraySlice<UInt8>) throws(HTTPViolation) -> Int {
        if word.elementsEqual("HTTP/1.1".utf8) { return 1 }
        if word.elementsEqual("HTTP/1.0".utf8) { return 0 }
        guard word.starts(with: "HTTP/".utf8) else { throw HTTPViolation(400, "a start line without HTTP version") }
        throw HTTPViolation(505, "a version other than HTTP/1.1")
    }

    static func field(_ line: ArraySlice<UInt8>) throws(HTTPViolation) -> HTTPHeaders.Field {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), isToken(line[..<colon]) else {
            throw HTTPViolation(400, "a malformed header field")
        }
        let value = line[(colon + 1)...]
        guard value.allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 }) else {
            throw HTTPViolation(400, "a control character in a header field")
        }
        return HTTPHeaders.Field(name: text(line[..<colon]), value: text(value).trimmingSpaces)
    }

    static func contentLength(_ headers: HTTPHeaders) throws(HTTPViolation) -> Int? {
        let values = headers.values("Content-Length")
        guard let value = values.first else { return nil }
        guard values.count == 1, !value.isEmpty, value.utf8.allSatisfy(isDigit) else {
            throw HTTPViolation(400, "a malformed Content-Length")
        }
        guard let length = Int(value) else { throw HTTPViolation(413, "a body of \(value) bytes") }
        return length
    }

    static func isChunked(_ head: HTTPHead) throws(HTTPViolation) -> Bool {
        let codings = head.headers.values("Transfer-Encoding")
        guard !codings.isEmpty else { return false }
        guard head.minorVersion == 1 else { throw HTTPViolation(400, "Transfer-Encoding in HTTP/1.0") }
        guard codings.count == 1, HTTPHeaders.isSame(codings[0], "chunked") else {
            throw HTTPViolation(501, "a Transfer-Encoding other than chunked")
        }
        return true
    }

    /// The number in front of a chunk; extensions are ignored.
    static func chunkSize(_ line: ArraySlice<UInt8>) throws(HTTPViolation) -> Int {
        let digits = line.prefix { hexDigit($0) != nil }
        let rest = line.dropFirst(digits.count).drop { $0 == 32 || $0 == 9 }
        guard !digits.isEmpty, digits.count <= 15, rest.isEmpty || rest.first == UInt8(ascii: ";") else {
            throw HTTPViolation(400, "a malformed chunk size")
        }
        return digits.reduce(0) { $0 << 4 | Int(hexDigit($1) ?? 0) }
    }

    private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { isLetter($0) || isDigit($0) || "!#$%&'*+-.^_`|~".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 32) }
    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
