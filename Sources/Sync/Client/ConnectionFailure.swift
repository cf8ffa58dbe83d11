/// Why a connection could not be made, or ended.
package enum ConnectionFailure: Error, Hashable, Sendable {
    /// The host name has no address.
    case resolve
    /// TCP could not be connected.
    case connect
    case tls(String)
    /// The upgrade was answered with this status instead of 101.
    case http(Int)
    /// The server chose no protocol that we know (P-15).
    case negotiation(String)
    /// The stream ended or broke.
    case ended
    /// A WebSocket close frame with this code (P-26).
    case closed(Int)
    case connectTimeout
    case pongTimeout
    /// An error for the whole connection.
    case server(SyncErrorCode, ErrorBody)
    /// The user's session is over: no token can be had (P-125).
    case loggedOut(String)
    /// The server broke the protocol.
    case violation(String)

    /// Failures of one kind in a row make delays longer (P-119).
    package enum Kind: Hashable, Sendable {
        case resolve, connect, tls, negotiation, ended, timeout, moved, retry, unauthorized, forbidden, serverError
        case fatalHTTP, closed, tooBig, server, violation
    }

    package var kind: Kind {
        switch self {
        case .resolve: .resolve
        case .connect: .connect
        case .tls, .closed(1015): .tls
        case .negotiation: .negotiation
        case .ended: .ended
        case .connectTimeout, .pongTimeout: .timeout
        case .http(301), .http(308), .closed(4003): .moved
        case .http(401), .closed(4001), .closed(1006): .unauthorized
        case .http(403), .closed(4002), .loggedOut: .forbidden
        case .http(300..<400): .retry
        case .http(500..<600): .serverError
        case .http: .fatalHTTP
        case .closed(1009): .tooBig
        case .closed: .closed
        case .server: .server
        case .violation: .violation
        }
    }
}
