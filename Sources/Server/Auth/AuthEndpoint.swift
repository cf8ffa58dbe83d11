import EventLoop
import Foundation

/// Makes changes durable, and calls back on the loop once they are.
@LoopActor
package protocol AuthJournal: AnyObject, Sendable {
    /// Keeps the changes, in order. `completion` is called once, with what went wrong if something did.
    func append(_ changes: [AuthChange], completion: @escaping @LoopActor ((any Error)?) -> Void)
}

/// A journal that keeps nothing: for tests, and for servers that may forget.
package final class NoJournal: AuthJournal {
    package init() {}

    package func append(_ changes: [AuthChange], completion: @escaping @LoopActor ((any Error)?) -> Void) {
        completion(nil)
    }
}

/// The auth API on an HTTP server: runs password jobs aside, and answers when what changed is durable.
@LoopActor
package final class AuthEndpoint {
    package private(set) var service: AuthService
    /// Fetches what issuers of tokens publish; without it such tokens aren't accepted.
    package var keySets: KeySetLoader?
    /// Has mails sent. By default they go nowhere.
    package var sendMail: @LoopActor (AuthMail) -> Void = { _ in }
    /// Tells the runs of a server apart in logs.
    package let startId: String
    private let journal: any AuthJournal
    private let now: @LoopActor () -> Int64
    private let passwords: PasswordQueue
    /// A journal that failed once: what is in memory may be ahead of the disk, so nothing is acknowledged any more.
    private var journalFailure: (any Error)?

    /// `now` gives the seconds since 1970.
    package init(
        _ service: AuthService, journal: any AuthJournal,
        now: @escaping @LoopActor () -> Int64 = { Int64(Date().timeIntervalSince1970) },
        passwordThreads: Int = 2
    ) {
        var service = service
        startId = service.newId(now: now())
        self.service = service
        self.journal = journal
        self.now = now
        passwords = PasswordQueue(threads: passwordThreads)
    }

    /// Answers a request of the auth API.
    package func handle(_ exchange: HTTPExchange, isSecure: Bool = false) {
        guard let keySets, let wanted = service.keySet(for: exchange.request) else {
            return serve(exchange, isSecure: isSecure)
        }
        keySets.load(wanted.url, for: wanted.keyId) { [self] keys in
            if let keys { service.publish(keys, at: wanted.url) }
            serve(exchange, isSecure: isSecure)
        }
    }

    private func serve(_ exchange: HTTPExchange, isSecure: Bool) {
        switch service.handle(exchange.request, now: now(), isSecure: isSecure) {
        case .reply(let reply): answer(exchange, reply)
        case .password(let job):
            let isQueued = passwords.run(job) { [self] outcome in
                answer(exchange, service.finish(job, outcome, now: now()))
            }
            guard !isQueued else { return }
            let busy = AuthFailure(429, nil, "too many passwords are being checked; try again later")
            answer(exchange, AuthReply(response: busy.response(link: job.origin + "/logs"), changes: job.changes))
        }
    }

    /// Checks the access token of a sync connection (P-6); an empty `appId` leaves it to the token which app it is for.
    package func checkAccess(_ token: String, appId: String) throws(AuthFailure) -> AuthenticatedUser {
        try service.checkAccess(token, appId: appId.isEmpty ? nil : appId, now: now())
    }

    /// Changes apps or users, and calls back when that is durable.
    package func administer(
        _ body: (inout AuthService) throws(AuthFailure) -> [AuthChange],
        completion: @escaping @LoopActor ((any Error)?) -> Void
    ) throws(AuthFailure) {
        keep(try body(&service), completion: completion)
    }

    private func answer(_ exchange: HTTPExchange, _ reply: AuthReply) {
        keep(reply.changes) { [self] error in
            guard error == nil else {
                let failure = AuthFailure(500, .internalServerError, "the change couldn't be stored")
                return exchange.respond(failure.response(link: "/logs"))
            }
            for mail in reply.mails { sendMail(mail) }
            exchange.respond(reply.response)
        }
    }

    private func keep(_ changes: [AuthChange], completion: @escaping @LoopActor ((any Error)?) -> Void) {
        guard !changes.isEmpty else { return completion(nil) }
        if let journalFailure { return completion(journalFailure) }
        journal.append(changes) { [self] error in
            if let error { journalFailure = error }
            completion(error)
        }
    }
}
