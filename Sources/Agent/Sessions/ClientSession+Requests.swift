import Wire

extension ClientSession {
    /// Takes one frame. Throws when the connection can't go on.
    func receive(_ frame: UnsafeRawBufferPointer) throws {
        let envelope = try UnsafeEnvelope(frame: frame, depthLimit: Int(rules.limits.depth))
        guard case .request(let id, let name, let params) = envelope else {
            throw WireError(.badMessage, "a client sends requests, not replies")
        }
        switch rules.admit(method: name, hasId: id != nil) {
        case .take(let method):
            let responder = Responder(session: self, id: id)
            do {
                try handle(method, params, responder)
            } catch {
                responder.fail(error)
                if method == .hello { finishAfterRefusal(error) }
            }
        case .refuse(let error):
            if let id { fail(id, error) } else { logDropped(error) }
        case .close(let error):
            if let id { fail(id, error) }
            throw error
        }
    }

    private func finishAfterRefusal(_ error: any Error) {
        if rules.phase == .fresh { dismiss(WireError(reporting: error)) }
    }

    /// One line a method.
    private func handle(_ method: Method, _ params: UnsafeBSONView, _ responder: Responder) throws {
        switch method {
        case .hello: try greet(Hello(params: params), responder)
        case .agentStatus: responder.succeed(server.status())
        case .agentShutdown:
            responder.succeed(Acknowledgement())
            server.shutDown(reason: "asked by \(title)")
        default:
            throw WireError(.unsupportedFeature, "this agent serves no realms")
        }
    }

    private func greet(_ hello: Hello, _ responder: Responder) throws {
        if let refusal = rules.greet(hello) { throw refusal }
        if let session = hello.session { server.replaceSession(session, by: self) }
        responder.succeed(
            HelloReply(agent: server.options.version, pid: server.pid, features: Feature.all, limits: rules.limits))
    }
}
