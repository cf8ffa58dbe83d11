/// What went wrong on the way to a peer, or with it.
package struct NetworkError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, by a name that stays.
    package struct Code: RawRepresentable, Hashable, Sendable {
        package var rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        /// The host's name has no address.
        package static let resolve = Code(rawValue: "resolve-failed")
        /// No address of the host takes the connection.
        package static let connect = Code(rawValue: "connect-failed")
        /// The connection broke while reading, or the peer has reset it.
        package static let read = Code(rawValue: "read-failed")
        /// The connection broke while writing, or more was queued than is allowed.
        package static let write = Code(rawValue: "write-failed")
        /// Something took longer than it may.
        package static let timeout = Code(rawValue: "timed-out")
        /// No secure connection came about, or the peer broke the rules of one.
        package static let tls = Code(rawValue: "tls-failed")
        /// A certificate is missing, can't be read, or isn't trusted.
        package static let certificate = Code(rawValue: "certificate-refused")
        /// What the peer says isn't HTTP as specified, or exceeds a limit.
        package static let http = Code(rawValue: "http-violation")
        /// What the peer says isn't WebSocket as specified, or exceeds a limit.
        package static let webSocket = Code(rawValue: "websocket-violation")
        /// An address or URL that can't be used.
        package static let address = Code(rawValue: "bad-address")
        /// The connection is closed, by us or without an error.
        package static let closed = Code(rawValue: "closed")
    }

    package var code: Code
    /// A sentence that somebody can act on.
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// What the system refused, as a failure of a stream.
    init(_ error: LoopError) {
        self.init(error.operation == "read" ? .read : .write, error.description)
    }

    package var description: String { "\(message) (\(code.rawValue))" }
}
