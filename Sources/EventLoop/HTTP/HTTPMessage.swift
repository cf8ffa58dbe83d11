/// A request with all of its body.
package struct HTTPRequest: Hashable, Sendable {
    package var method: String
    /// Path and query as they stand in the request line.
    package var target: String
    package var headers: HTTPHeaders
    package var body: [UInt8]

    package init(_ method: String, _ target: String, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// The target up to the `?`. Not decoded.
    package var path: Substring { target.prefix { $0 != "?" } }

    /// What follows the first `?`. Not decoded.
    package var query: Substring { target.dropFirst(path.count).dropFirst() }

    /// The value of the first query parameter of that name, without its percent-encoding; nil if there is none, or its
    /// encoding is wrong.
    package func queryValue(_ name: String) -> String? {
        for part in query.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.first.map({ $0 == name }) == true else { continue }
            return percentDecoded(pair.count == 2 ? pair[1] : "")
        }
        return nil
    }

    /// The bytes on the wire. Sets `Content-Length` where there is a body or the method usually has one.
    package var encoded: [UInt8] {
        var headers = headers
        if !body.isEmpty || ["POST", "PUT", "PATCH"].contains(method) { headers["Content-Length"] = String(body.count) }
        return encode("\(method) \(target) HTTP/1.1", headers) + body
    }
}

/// A response with all of its body.
package struct HTTPResponse: Hashable, Sendable {
    package var status: Int
    package var headers: HTTPHeaders
    package var body: [UInt8]

    package init(_ status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A response of plain text.
    package init(_ status: Int, text: String) {
        self.init(status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Array(text.utf8))
    }

    /// Whether this status never has a body.
    package var isBodiless: Bool { (100..<200).contains(status) || status == 204 || status == 304 }

    /// The bytes on the wire. To a HEAD request the body's length is told, but not the body.
    package func encoded(toHead: Bool = false) -> [UInt8] {
        var headers = headers
        if !isBodiless { headers["Content-Length"] = String(body.count) }
        let head = encode("HTTP/1.1 \(status) \(Self.reason(status))", headers)
        return isBodiless || toHead ? head : head + body
    }

    /// What a status is called.
    package static func reason(_ status: Int) -> String {
        switch status {
        case 100: "Continue"
        case 101: "Switching Protocols"
        case 200: "OK"
        case 201: "Created"
        case 204: "No Content"
        case 301: "Moved Permanently"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 417: "Expectation Failed"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Status \(status)"
        }
    }
}

private func encode(_ startLine: String, _ headers: HTTPHeaders) -> [UInt8] {
    var bytes = Array(startLine.utf8)
    for field in headers.fields { bytes += "\r\n\(field.name): \(field.value)".utf8 }
    bytes += "\r\n\r\n".utf8
    return bytes
}

/// Text without its percent-encoding; nil if that is wrong, or what it encodes isn't UTF-8.
package func percentDecoded(_ text: some StringProtocol) -> String? {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
    var bytes: [UInt8] = []
    var rest = Substring(text).utf8
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
            bytes.append(byte)
            continue
        }
        guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else {
            return nil
        }
        bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
}

func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
