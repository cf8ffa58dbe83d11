import COpenSSL
import Foundation

/// The HTTP part of a WebSocket.
package enum WebSocketHandshake {
    private static let magic = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// A client's key: 16 random bytes in base64.
    package static func key(_ random: inout some RandomNumberGenerator) -> String {
        Data((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }).base64EncodedString()
    }

    /// What the server must answer to a key (P-16).
    package static func acceptance(of key: String) -> String {
        let input = Array((key + magic).utf8)
        var digest = [UInt8](repeating: 0, count: 20)
        SHA1(input, input.count, &digest)
        return Data(digest).base64EncodedString()
    }

    /// The client's request (P-7). Target and Host come from the URL it is sent to.
    package static func request(key: String, subprotocols: String?, headers: HTTPHeaders = [:]) -> HTTPRequest {
        var fields: HTTPHeaders = [
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": key, "Sec-WebSocket-Version": "13"
        ]
        if let subprotocols { fields.add("Sec-WebSocket-Protocol", subprotocols) }
        for field in headers.fields { fields.add(field) }
        return HTTPRequest("GET", "/", headers: fields)
    }

    /// Checks a client's request (P-8); what it offers is for the caller to choose from.
    package static func check(_ request: HTTPRequest) throws(HTTPViolation) {
        func refused(_ reason: String) -> HTTPViolation { HTTPViolation(400, "not a WebSocket request: \(reason)") }
        guard request.method == "GET" else { throw refused("the method isn't GET") }
        guard request.headers.tokens("Upgrade").contains("websocket") else { throw refused("no Upgrade: websocket") }
        guard request.headers.tokens("Connection").contains("upgrade") else { throw refused("no Connection: Upgrade") }
        guard request.headers["Sec-WebSocket-Version"] == "13" else { throw refused("the version isn't 13") }
        guard request.headers["Sec-WebSocket-Key"]?.isEmpty == false else { throw refused("no Sec-WebSocket-Key") }
    }

    /// The server's answer (P-16) to a request that was checked. No extension is ever agreed on.
    package static func response(to request: HTTPRequest, subprotocol: String?, headers: HTTPHeaders = [:])
        -> HTTPResponse
    {
        var fields: HTTPHeaders = [
            "Upgrade": "websocket", "Connection": "Upgrade",
            "Sec-WebSocket-Accept": acceptance(of: request.headers["Sec-WebSocket-Key"] ?? "")
        ]
        if let subprotocol { fields.add("Sec-WebSocket-Protocol", subprotocol) }
        for field in headers.fields { fields.add(field) }
        return HTTPResponse(101, headers: fields)
    }

    /// Checks a server's 101 answer (P-16); the subprotocol is for the caller to check.
    package static func check(_ response: HTTPResponse, key: String) throws(NetworkError) {
        guard response.status == 101, response.headers.tokens("Upgrade") == ["websocket"],
            response.headers.tokens("Connection").contains("upgrade")
        else { throw NetworkError(.webSocket, "the server didn't switch to WebSocket") }
        guard response.headers["Sec-WebSocket-Accept"] == acceptance(of: key) else {
            throw NetworkError(.webSocket, "the server's Sec-WebSocket-Accept doesn't belong to our key")
        }
        guard response.headers["Sec-WebSocket-Extensions"] == nil else {
            throw NetworkError(.webSocket, "the server uses an extension that nobody asked for")
        }
    }
}
