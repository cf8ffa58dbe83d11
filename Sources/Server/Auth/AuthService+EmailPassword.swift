import EventLoop

extension AuthService {
    /// Characters of a password (H-46).
    package static let passwordLength = 6...128
    /// Bytes of a password, and of an address.
    static let passwordByteLimit = 1024
    static let emailByteLimit = 320
    /// Seconds for which a token sent by mail is good (H-46).
    package static let pendingLifetime: Int64 = 30 * 60

    /// The endpoints of chapter 9.
    mutating func emailPassword(
        _ request: AuthRequest, _ app: AuthApp, _ path: [String]
    ) throws(AuthFailure) -> AuthStep {
        guard app.emailPassword != nil else {
            throw AuthFailure(404, .authProviderNotFound, "log-in by local-userpass isn't enabled")
        }
        let body = try request.body()
        switch path {
        case ["register"]: return try register(body, app)
        case ["confirm"]:
            try confirm(body, app, now: request.now)
        case ["confirm", "send"]:
            try sendConfirmation(body, app, now: request.now)
        case ["reset", "send"]:
            var account = try knownAccount(body, app)
            try send(.reset, to: &account, now: request.now)
        case ["reset"]: return try reset(body, app, now: request.now)
        case ["confirm", "call"], ["reset", "call"]:
            throw AuthFailure(404, .functionNotFound, "this server has no functions")
        default: throw Self.unknownPath
        }
        return .reply(AuthReply(response: .json(200, [:])))
    }

    private func register(_ body: JSONValue, _ app: AuthApp) throws(AuthFailure) -> AuthStep {
        let email = try body.required("email")
        let password = try body.required("password")
        guard (1...Self.emailByteLimit).contains(email.utf8.count),
            email.unicodeScalars.allSatisfy({ !$0.properties.isWhitespace && $0.value >= 32 && $0.value != 127 })
        else { throw AuthFailure(400, .badRequest, "the email isn't an address") }
        try Self.checkLength(password)
        guard directory.account(email, in: app.id) == nil else { throw Self.nameInUse }
        return .password(
            PasswordJob(
                password: password, cost: settings.passwordCost, work: .hash,
                continuation: .register(appId: app.id, email: email)))
    }

    private static let nameInUse = AuthFailure(409, .accountNameInUse, "name already in use")

    private static func checkLength(_ password: String) throws(AuthFailure) {
        guard passwordLength.contains(password.count), password.utf8.count <= passwordByteLimit else {
            throw AuthFailure(
                400, .badRequest,
                "password must be between \(passwordLength.lowerBound) and \(passwordLength.upperBound) characters")
        }
    }

    mutating func finishRegistration(
        _ appId: String, _ email: String, _ hash: String, now: Int64
    ) throws(AuthFailure) -> AuthReply {
        // Somebody may have been faster.
        guard let settings = directory.app(appId)?.emailPassword, directory.account(email, in: appId) == nil else {
            throw Self.nameInUse
        }
        var account = EmailAccount(
            appId: appId, email: email, passwordHash: hash, isConfirmed: settings.confirmation == .automatic)
        if account.isConfirmed { apply(.putAccount(account)) } else { try send(.confirm, to: &account, now: now) }
        return AuthReply(response: .json(201, [:]))
    }

    private static let badToken = AuthFailure(400, .userpassTokenInvalid, "invalid token data")

    /// The account whose pending token these are.
    private func account(
        _ body: JSONValue, _ app: AuthApp, _ purpose: PendingToken.Purpose, now: Int64
    ) throws(AuthFailure) -> EmailAccount {
        let digest = Digest.sha256(try body.required("token"))
        guard let account = directory.account(tokenId: try body.required("tokenId")), account.appId == app.id,
            let pending = account.pending, pending.purpose == purpose, pending.expiresAt > now,
            Digest.isSame(pending.digest, digest)
        else { throw Self.badToken }
        return account
    }

    private mutating func confirm(_ body: JSONValue, _ app: AuthApp, now: Int64) throws(AuthFailure) {
        var account = try account(body, app, .confirm, now: now)
        account.isConfirmed = true
        account.pending = nil
        apply(.putAccount(account))
    }

    private mutating func sendConfirmation(_ body: JSONValue, _ app: AuthApp, now: Int64) throws(AuthFailure) {
        var account = try knownAccount(body, app)
        guard !account.isConfirmed else { throw AuthFailure(400, .userAlreadyConfirmed, "already confirmed") }
        try send(.confirm, to: &account, now: now)
    }

    private func knownAccount(_ body: JSONValue, _ app: AuthApp) throws(AuthFailure) -> EmailAccount {
        guard let account = directory.account(try body.required("email"), in: app.id) else {
            throw AuthFailure(404, .userNotFound, "user not found")
        }
        return account
    }

    /// Stores the account with a new pending token, and has that sent.
    private mutating func send(
        _ purpose: PendingToken.Purpose, to account: inout EmailAccount, now: Int64
    ) throws(AuthFailure) {
        // A reset would be in the way of the confirmation that has yet to come.
        guard purpose == .confirm || account.isConfirmed else {
            throw AuthFailure(400, .badRequest, "the address isn't confirmed yet")
        }
        let token = newSecret()
        let pending = PendingToken(
            id: newId(now: now), digest: Digest.sha256(token), purpose: purpose, expiresAt: now + Self.pendingLifetime)
        account.pending = pending
        apply(.putAccount(account))
        mails.append(
            AuthMail(
                kind: purpose == .confirm ? .confirm : .reset, appId: account.appId, email: account.email, token: token,
                tokenId: pending.id))
    }

    private func reset(_ body: JSONValue, _ app: AuthApp, now: Int64) throws(AuthFailure) -> AuthStep {
        let account = try account(body, app, .reset, now: now)
        let password = try body.required("password")
        try Self.checkLength(password)
        guard let pending = account.pending else { throw Self.badToken }
        return .password(
            PasswordJob(
                password: password, cost: settings.passwordCost, work: .hash,
                continuation: .reset(appId: app.id, email: account.email, tokenId: pending.id)))
    }

    mutating func finishReset(
        _ appId: String, _ email: String, _ tokenId: String, _ hash: String
    ) throws(AuthFailure) -> AuthReply {
        // The token is good once, however often it was sent at the same time.
        guard var account = directory.account(email, in: appId), account.pending?.id == tokenId else {
            throw Self.badToken
        }
        account.passwordHash = hash
        account.pending = nil
        apply(.putAccount(account))
        // Whoever knew the old password is out.
        if let userId = account.userId { revokeSessions(of: userId) }
        return AuthReply(response: .json(200, [:]))
    }
}
