import EventLoop

/// What comes of a request: the answer, and what must be kept and sent before it is given.
package struct AuthReply: Sendable {
    package var response: HTTPResponse
    /// In the service already; must be durable before the response leaves.
    package var changes: [AuthChange] = []
    package var mails: [AuthMail] = []
}

/// A message that the server wants to have sent.
package struct AuthMail: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable { case confirm, reset }

    package var kind: Kind
    package var appId: String
    package var email: String
    /// What the recipient's app hands back.
    package var token: String
    package var tokenId: String
}

/// What is to be done about a request.
package enum AuthStep: Sendable {
    case reply(AuthReply)
    /// Run the job where it disturbs nobody, then call `finish` with its outcome.
    case password(PasswordJob)
}

/// The App Services API for logging in, without I/O: a request and the time go in, an answer comes out.
package struct AuthService: Sendable {
    /// How the server presents itself.
    package struct Settings: Sendable {
        /// What clients are told to use; nil repeats the name by which they came (H-15).
        package var publicURL: String?
        /// An app that isn't there is made when somebody asks for it: for development only.
        package var makesApps = false
        package var passwordCost = PasswordCost.interactive

        package init() {}
    }

    package static let base = "/api/client/v2.0"

    package internal(set) var directory: AuthDirectory
    let settings: Settings
    var random: any RandomNumberGenerator & Sendable
    /// Keys that issuers of tokens publish, by URL and id. Nothing of it is kept.
    var publishedKeys: [String: [String: String]] = [:]
    /// Of the request at hand.
    var changes: [AuthChange] = []
    var mails: [AuthMail] = []

    package init(
        _ directory: AuthDirectory = AuthDirectory(), settings: Settings = Settings(),
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.directory = directory
        self.settings = settings
        self.random = random
    }

    /// What a password job's outcome is for.
    enum Continuation: Sendable {
        case login(appId: String, email: String, deviceId: String, linkTo: String?)
        case register(appId: String, email: String)
        case reset(appId: String, email: String, tokenId: String)
    }

    /// Whether a path is below this service's base.
    package static func serves(_ request: HTTPRequest) -> Bool { request.path.hasPrefix(base + "/") }

    /// Answers a request; `now` in seconds since 1970, `isSecure` if it came by TLS.
    package mutating func handle(_ request: HTTPRequest, now: Int64, isSecure: Bool = false) -> AuthStep {
        attempt(request.origin(isSecure, settings)) { service throws(AuthFailure) in
            try service.route(AuthRequest(request, now: now, isSecure: isSecure))
        }
    }

    /// Goes on where `handle` had to wait.
    package mutating func finish(_ job: PasswordJob, _ outcome: PasswordJob.Outcome, now: Int64) -> AuthReply {
        let step = attempt(job.origin) { service throws(AuthFailure) in
            .reply(try service.resume(job.continuation, outcome, now: now))
        }
        guard case .reply(var reply) = step else { return AuthReply(response: HTTPResponse(500), changes: job.changes) }
        reply.changes = job.changes + reply.changes
        return reply
    }

    private mutating func resume(
        _ continuation: Continuation, _ outcome: PasswordJob.Outcome, now: Int64
    ) throws(AuthFailure) -> AuthReply {
        switch (continuation, outcome) {
        case (.login(let appId, let email, let deviceId, let linkTo), .verified(let isRight)):
            try finishLogin(appId, email, deviceId, linkTo, isRight, now: now)
        case (.register(let appId, let email), .hashed(let hash)):
            try finishRegistration(appId, email, hash, now: now)
        case (.reset(let appId, let email, let tokenId), .hashed(let hash)):
            try finishReset(appId, email, tokenId, hash)
        default:
            throw AuthFailure(500, .internalServerError, "the password can't be processed now")
        }
    }

    /// Runs the body, and turns what it throws into an answer; its changes and mails go into the reply.
    private mutating func attempt(
        _ origin: String, _ body: (inout AuthService) throws(AuthFailure) -> AuthStep
    ) -> AuthStep {
        changes = []
        mails = []
        defer {
            changes = []
            mails = []
        }
        do throws(AuthFailure) {
            let step = try body(&self)
            switch step {
            case .reply(var reply):
                reply.changes = changes
                reply.mails = mails
                return .reply(reply)
            case .password(var job):
                job.origin = origin
                job.changes = changes
                return .password(job)
            }
        } catch {
            // Changes made before the refusal are real, such as an app that was made.
            let response = error.response(link: "\(origin)/logs?co_id=\(newId(now: 0))")
            return .reply(AuthReply(response: response, changes: changes))
        }
    }

    mutating func apply(_ change: AuthChange) {
        directory.apply(change)
        changes.append(change)
    }

    /// 24 hexadecimal digits, rising with time.
    mutating func newId(now: Int64) -> String {
        let time = UInt64(UInt32(truncatingIfNeeded: now))
        return Self.hex(time, digits: 8) + Self.hex(random.next(), digits: 16)
    }

    /// A secret with 256 bits.
    mutating func newSecret() -> String {
        Base64.encodeURL((0..<32).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    private static func hex(_ value: UInt64, digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: digits - text.count) + text
    }
}
