/// What a client does about a connection that failed (P-15, P-18, P-26, P-34, P-119).
struct ConnectionReaction: Hashable {
    enum Retry: Hashable {
        /// After a delay.
        case backoff
        /// Once the token is there; at once if this is the first time.
        case token
        /// Once the location is there.
        case location
        /// Not before somebody asks for it.
        case never
    }

    /// For the applications of all sessions; nil: they see nothing.
    var report: SyncReport?
    var retry = Retry.backoff
    var logsOut = false
    /// Each session's file is to be reset.
    var resetsFiles = false
    /// All sessions stop until they are resumed.
    var stopsSessions = false
    var backoff: ErrorBody.Backoff?

    /// `isVerified`: the endpoint has been connected to before, or its location is fresh (P-18, P-122).
    init(_ failure: ConnectionFailure, isVerified: Bool) {
        switch failure {
        case .resolve, .connect:
            if !isVerified { retry = .location }
        case .tls(let message):
            report = SyncReport(.tlsHandshakeFailed, message, isFatal: false)
        case .negotiation(let message):
            report = SyncReport(.negotiationFailed, message, isFatal: true)
        case .ended, .connectTimeout, .pongTimeout: break
        case .http(let status): react(toStatus: status, isVerified: isVerified)
        case .closed(let code): react(toClose: code)
        case .server(let code, let body):
            if body.action != .transient { report = SyncReport(code, body) }
            backoff = body.backoff
            react(to: body)
        case .loggedOut(let message):
            report = SyncReport(.authError, message, isFatal: true, action: .logOutUser)
            (retry, logsOut, stopsSessions) = (.never, true, true)
        case .violation(let message):
            report = SyncReport(.protocolInvariantFailed, message, isFatal: true, action: .protocolViolation)
            retry = .never
            stopsSessions = true
        }
    }

    private mutating func react(toStatus status: Int, isVerified: Bool) {
        switch status {
        case 301, 308: retry = .location
        case 401: retry = .token
        case 403:
            report = SyncReport(.authError, "HTTP 403", isFatal: true, action: .logOutUser)
            (retry, logsOut, stopsSessions) = (.never, true, true)
        case 300..<400, 500..<600:
            report = SyncReport(.connectionClosed, "HTTP \(status)", isFatal: false)
        default:
            guard isVerified else {
                retry = .location
                return
            }
            // Fatal for who waits; the session stays active and tries again.
            report = SyncReport(.connectFailed, "HTTP \(status)", isFatal: true)
        }
    }

    private mutating func react(toClose code: Int) {
        let message = "WebSocket closed with \(code)"
        switch code {
        case 1000: break
        case 1006, 4001: retry = .token
        case 1009:
            report = SyncReport(.limitExceeded, message, isFatal: true, action: .clientReset)
            (resetsFiles, stopsSessions) = (true, true)
        case 1011: report = SyncReport(.connectionClosed, message, isFatal: false)
        case 1015: report = SyncReport(.tlsHandshakeFailed, message, isFatal: false)
        case 4002:
            report = SyncReport(.authError, message, isFatal: true, action: .logOutUser)
            (retry, logsOut, stopsSessions) = (.never, true, true)
        case 4003: retry = .location
        default: report = SyncReport(.protocolInvariantFailed, message, isFatal: false)
        }
    }

    private mutating func react(to body: ErrorBody) {
        switch body.action {
        case .refreshUser: retry = .token
        case .refreshLocation: retry = .location
        case .logOutUser: (retry, logsOut, stopsSessions) = (.never, true, true)
        default:
            guard body.tryAgain else {
                (retry, stopsSessions) = (.never, true)
                return
            }
        }
    }
}
