import EventLoop
import Foundation

/// Why an app's server didn't do what it was asked for (H-55 to H-57).
package struct AppServerError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        /// The server named the error, for example `InvalidPassword`.
        case named(String)
        /// The server gave a message only.
        case unnamed
        /// A status without an error that the client understands.
        case status
        /// No answer came.
        case network(NetworkError.Code)
        /// The answer lacks what it must have, or isn't JSON.
        case malformed
    }

    package var kind: Kind
    /// The HTTP status; 0 if no answer came.
    package var status: Int
    package var message: String
    /// Where the server's log has more of it.
    package var link: String?

    package init(_ kind: Kind, status: Int = 0, _ message: String, link: String? = nil) {
        self.kind = kind
        self.status = status
        self.message = message
        self.link = link
    }

    init(_ error: NetworkError) { self.init(.network(error.code), error.message) }

    /// Nil for an answer that is no error (H-56).
    init?(_ response: HTTPResponse) {
        let fields =
            response.headers["Content-Type"] == "application/json"
            ? (try? JSONSerialization.jsonObject(with: Data(response.body))) as? [String: Any] : nil
        let message = fields?["error"] as? String
        if let name = fields?["error_code"] as? String, !name.isEmpty {
            self.init(.named(name), status: response.status, message ?? name, link: fields?["link"] as? String)
        } else if let message {
            self.init(.unnamed, status: response.status, message, link: fields?["link"] as? String)
        } else if !(200...299).contains(response.status) {
            let text = String(decoding: response.body.prefix(300), as: UTF8.self)
            self.init(.status, status: response.status, "http error code considered fatal: \(text)")
        } else {
            return nil
        }
    }

    /// Whether the session that a token stands for is over: only a new login helps (H-33).
    package var endsSession: Bool { status == 401 || status == 403 }

    package var description: String {
        switch kind {
        case .named(let name): "\(message) (\(name))"
        case .network(let code): "\(message) (\(code.rawValue))"
        case .unnamed, .status, .malformed: message
        }
    }
}
