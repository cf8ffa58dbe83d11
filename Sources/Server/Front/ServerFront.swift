import EventLoop

/// A client that has opened a sync connection, and what its token says.
package struct SyncClient: Sendable {
    package var user: AuthenticatedUser
    /// What the server answered with (P-12).
    package var subprotocol: String
    /// Tells this connection apart in the logs of both ends (P-17).
    package var requestId: String
    package var userAgent: String
}

/// What the sync protocol has to say about connections.
package struct SyncRoute: Sendable {
    /// Chooses among the subprotocols that a client offers, or refuses with a 400 that names the versions (P-12, P-14).
    package var choose: @LoopActor (String?) throws(HTTPViolation) -> String
    /// Takes over an open connection.
    package var accept: @LoopActor (WebSocket, SyncClient) -> Void

    package init(
        choose: @escaping @LoopActor (String?) throws(HTTPViolation) -> String,
        accept: @escaping @LoopActor (WebSocket, SyncClient) -> Void
    ) {
        self.choose = choose
        self.accept = accept
    }
}

/// The server as seen from the network: listeners, and the way from a request to who answers it.
@LoopActor
package final class ServerFront {
    package struct Options: Sendable {
        package var http = HTTPServerOptions()
        package var webSocket = WebSocket.Options()

        package init() {
            // Clients see an error only in this form (H-5, H-55).
            http.failure = { AuthFailure($0.status, .badRequest, $0.message).response(link: "/logs") }
        }
    }

    private let network: any Network
    private let scheduler: any Scheduler
    private let options: Options
    private let auth: AuthEndpoint
    private let sync: SyncRoute
    /// Answers requests to other paths than those of the API; nil: there is no such page.
    package var page: @LoopActor (HTTPRequest) -> HTTPResponse? = { _ in nil }
    private var listeners: [any NetworkListener] = []
    private var servers: [HTTPServer] = []
    private var connectionCount = 0

    package init(
        _ network: any Network, scheduler: any Scheduler, options: Options = Options(), auth: AuthEndpoint,
        sync: SyncRoute
    ) {
        self.network = network
        self.scheduler = scheduler
        self.options = options
        self.auth = auth
        self.sync = sync
    }

    /// Listens at one more address, with TLS if there is a context. Returns where.
    @discardableResult
    package func listen(_ endpoint: Endpoint, tls context: TLSContext? = nil) throws -> Endpoint {
        let server = HTTPServer(options.http, scheduler: scheduler) { [unowned self] exchange in
            handle(exchange, isSecure: context != nil)
        }
        let listener = try network.listen(endpoint) { [scheduler] stream in
            guard let context else { return server.serve(stream) }
            do { server.serve(try TLSStream(over: stream, context, scheduler: scheduler)) } catch { stream.close() }
        }
        listeners.append(listener)
        servers.append(server)
        return listener.endpoint
    }

    /// Takes no more connections, and ends those that wait for a request. Sync connections are whose who accepted them.
    package func close() {
        for listener in listeners { listener.close() }
        for server in servers { server.shutDown() }
        listeners = []
    }

    private func handle(_ exchange: HTTPExchange, isSecure: Bool) {
        if let appId = Self.syncApp(of: exchange.request) { return open(exchange, appId: appId) }
        guard AuthService.serves(exchange.request) else {
            if let answer = page(exchange.request) { return exchange.respond(answer) }
            return exchange.respond(AuthService.unknownPath.response(link: "/logs"))
        }
        auth.handle(exchange, isSecure: isSecure)
    }

    /// The app that a sync path names (P-5): nil if it isn't one, empty for the bare path that leaves it to the token.
    private static func syncApp(of request: HTTPRequest) -> String? {
        let path = request.path
        if path == "/realm-sync" || path.hasPrefix("/realm-sync/") { return "" }
        let prefix = AuthService.base + "/app/"
        guard path.hasPrefix(prefix), path.hasSuffix("/realm-sync") else { return nil }
        let name = path.dropFirst(prefix.count).dropLast("/realm-sync".count)
        guard !name.isEmpty, !name.contains("/") else { return nil }
        return percentDecoded(name)
    }

    private func open(_ exchange: HTTPExchange, appId: String) {
        let request = exchange.request
        if !appId.isEmpty, auth.service.directory.app(appId) == nil {
            let failure = AuthFailure(404, .valueNotFound, "there is no app \(appId.prefix(100))")
            return exchange.respond(failure.response(link: "/logs"))
        }
        connectionCount += 1
        let requestId = "\(auth.startId)-\(connectionCount)"
        var subprotocol = ""
        let socket = exchange.acceptWebSocket(
            scheduler: scheduler, options: options.webSocket, headers: ["X-Appservices-Request-Id": requestId]
        ) { offered throws(HTTPViolation) in
            subprotocol = try sync.choose(offered)
            return subprotocol
        }
        guard let socket else { return }
        do throws(AuthFailure) {
            let user = try auth.checkAccess(request.queryValue("baas_at") ?? "", appId: appId)
            let client = SyncClient(
                user: user, subprotocol: subprotocol, requestId: requestId,
                userAgent: request.headers["User-Agent"] ?? "")
            sync.accept(socket, client)
        } catch {
            // After the upgrade, so that the client gets a new token and comes back, and the application sees nothing (P-6).
            socket.close(4001, error.message)
        }
    }
}
