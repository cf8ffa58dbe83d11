import EventLoop
import Wire

// app.*
extension ClientSession {
    private func app(_ identity: AppIdentity) throws(WireError) -> AgentApp {
        guard !server.isDraining else { throw WireError(.shuttingDown, "the agent is shutting down") }
        return try server.apps.app(identity)
    }

    /// Answers with the user, when what was asked for is done.
    private func reply(_ responder: Responder) -> AgentApp.Outcome {
        { result in responder.answer(result.map { AppUserReply(user: $0.info()) }) }
    }

    func logIn(_ request: AppLogin, _ responder: Responder) throws(WireError) {
        try app(request.app).logIn(request, completion: reply(responder))
    }

    func listUsers(_ request: AppUsers, _ responder: Responder) throws(WireError) {
        let app = try app(request.app)
        let users = app.users.values.filter { request.user == nil || request.user == $0.id }
        let sorted = users.sorted { ($0.record.order, $0.id) > ($1.record.order, $1.id) }
        responder.succeed(
            AppUsersReply(users: sorted.map { $0.info(tokens: request.tokens) }, current: app.current?.id))
    }

    func switchUser(_ request: AppSwitch, _ responder: Responder) throws(WireError) {
        try app(request.app).switchTo(request.user, completion: reply(responder))
    }

    func logOut(_ request: AppLogout, _ responder: Responder) throws(WireError) {
        let app = try app(request.app)
        try depart(app, request.user, request.unsent, request.timeoutMilliseconds, responder) {
            [self] () throws(WireError) in
            try app.logOut(request.user, completion: reply(responder))
        }
    }

    func removeUser(_ request: AppRemove, _ responder: Responder) throws(WireError) {
        let app = try app(request.app)
        try depart(app, request.user, request.unsent, request.timeoutMilliseconds, responder) { () throws(WireError) in
            try app.remove(request.user, delete: request.delete) { error in
                if let error { responder.fail(error) } else { responder.succeed(Acknowledgement()) }
            }
        }
    }

    /// Runs `leave` once nothing of the user's keeps the user here.
    private func depart(
        _ app: AgentApp, _ user: String, _ policy: UnsentPolicy, _ timeout: Int64?, _ responder: Responder,
        _ leave: @escaping @LoopActor () throws(WireError) -> Void
    ) throws(WireError) {
        let limit = timeout.map { Duration.milliseconds(min(max($0, 0), 86_400_000)) }
        UserDeparture(try app.user(user), policy, within: limit, of: server) {
            responder.session.isOpen
        } completion: { error in
            if let error { return responder.fail(error) }
            do throws(WireError) {
                try leave()
            } catch {
                responder.fail(error)
            }
        }.begin()
    }

    func refreshUser(_ request: AppRefresh, _ responder: Responder) throws(WireError) {
        try app(request.app).refresh(request.user, completion: reply(responder))
    }

    func callServer(_ request: AppCall, _ responder: Responder) throws(WireError) {
        try app(request.app).call(request) { responder.answer($0) }
    }
}
